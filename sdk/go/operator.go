// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"google.golang.org/protobuf/proto"
	"xebec.dev/operator/internal/hooksv1"
)

// A SyncFunc decides what should exist for the parent of an observation. It calls methods of the observation and returns
// nil. An error means that it cannot decide: Xebec writes no child, shows the error, and calls the function again after
// a back-off. [Invalidf] and [RetryAfter] make errors with other effects.
//
// Calls run concurrently. An observation belongs to one call.
type SyncFunc func(ctx context.Context, o *Observation) error

// An Operator is a program that decides what should exist for the objects of one kind.
type Operator struct {
	name     string
	sync     SyncFunc
	finalize SyncFunc
}

// New returns an operator. The name is that of the object of kind Operator that declares the program.
func New(name string, sync SyncFunc) *Operator {
	if sync == nil {
		panic("operator: nil SyncFunc")
	}
	return &Operator{name: name, sync: sync}
}

// OnFinalize sets the function for parents that are being deleted, and returns the operator. The function decides in
// which order children are deleted, and sets the status. Without it, Xebec deletes all children in any order. Xebec calls
// it only if the Operator object has spec.finalizer.
func (op *Operator) OnFinalize(finalize SyncFunc) *Operator {
	op.finalize = finalize
	return op
}

// Name returns the name that New got.
func (op *Operator) Name() string { return op.name }

// Decide calls the function of the operator and returns its decision, for tests and tools. Package operatortest also
// checks that the function is deterministic.
func (op *Operator) Decide(ctx context.Context, in Input) (*Decision, error) {
	request, err := in.request(op.name)
	if err != nil {
		return nil, err
	}
	return op.decide(ctx, request)
}

// decide returns the decision for a request. Errors of the function pass through, except invalidError.
func (op *Operator) decide(ctx context.Context, request *hooksv1.SyncRequest) (_ *Decision, err error) {
	o, err := newObservation(request)
	if err != nil {
		return nil, err
	}
	call := op.sync
	if o.Phase == Finalize {
		call = op.finalize
	}
	if call == nil {
		return &o.decision, nil
	}
	defer func() {
		if reason := recover(); reason != nil {
			err = panicked(reason)
		}
	}()
	err = call(ctx, o)
	if invalid := (*invalidError)(nil); errors.As(err, &invalid) {
		o.decision.Invalid = invalid.message
		return &o.decision, nil
	}
	if err == nil {
		err = o.err
	}
	return &o.decision, err
}

// panicked logs a panic and returns it as an error.
func panicked(reason any) error {
	slog.Error("Handler panicked", "reason", reason, "stack", string(debug.Stack()))
	return fmt.Errorf("panic: %v", reason)
}

// answer returns the response to a request. The error is a malformedError. A panic becomes an error response here, and not
// only in decide, because the methods of the function's error may panic, too.
func (op *Operator) answer(ctx context.Context, request *hooksv1.SyncRequest) (response *hooksv1.SyncResponse, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			response, err = errorResponse(panicked(reason)), nil
		}
	}()
	decision, err := op.decide(ctx, request)
	if malformed, ok := err.(*malformedError); ok {
		return nil, malformed
	}
	if err == nil {
		if response, err = decisionResponse(decision); err == nil {
			return response, nil
		}
	}
	slog.Error("Handler failed", "error", err)
	return errorResponse(err), nil
}

func decisionResponse(decision *Decision) (*hooksv1.SyncResponse, error) {
	desired, err := encode(decision)
	if err != nil {
		return nil, err
	}
	if size := proto.Size(desired); size > maxDecision {
		return nil, fmt.Errorf("the decision has %d bytes: must have at most %d", size, maxDecision)
	}
	return &hooksv1.SyncResponse{Desired: desired}, nil
}
