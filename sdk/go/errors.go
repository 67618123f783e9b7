// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"xebec.dev/operator/internal/hooksv1"
)

const (
	maxError = 1000
	// The limits of SyncResponse.retry_after.
	minRetry = time.Second
	maxRetry = 24 * time.Hour
)

// invalidError is the error of Invalidf.
type invalidError struct{ message string }

func (e *invalidError) Error() string { return e.message }

// Invalidf returns an error for a [SyncFunc] that finds the spec of the parent invalid. The message says what is wrong,
// where, and what to do. Xebec then writes no child and shows the message in the parent's conditions.
func Invalidf(format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if message == "" {
		message = "the spec is invalid; the hook does not say why"
	}
	return &invalidError{message}
}

// retryError is the error of RetryAfter.
type retryError struct {
	error
	after time.Duration
}

func (e *retryError) Unwrap() error { return e.error }

// RetryAfter returns an error for a [SyncFunc] that cannot decide now. Xebec writes no child, shows err, and calls the
// function again after this time. The time is from 1 s to 24 h. The limit replaces a time beyond it: a negative time
// means 1 s. If err is nil, Xebec shows that no decision is possible now.
func RetryAfter(after time.Duration, err error) error {
	if err == nil {
		err = errors.New("no decision is possible now")
	}
	return &retryError{err, min(max(after, minRetry), maxRetry)}
}

// malformedError means that a request does not follow the contract.
type malformedError struct{ error }

func malformedf(format string, args ...any) error {
	return &malformedError{fmt.Errorf(format, args...)}
}

func errorResponse(err error) *hooksv1.SyncResponse {
	message := strings.ToValidUTF8(err.Error(), "?")
	if len(message) > maxError {
		message = strings.ToValidUTF8(message[:maxError], "")
	}
	if message == "" {
		message = "unknown error"
	}
	response := &hooksv1.SyncResponse{Error: message}
	if retry := (*retryError)(nil); errors.As(err, &retry) {
		response.RetryAfter = durationpb.New(retry.after)
	}
	return response
}
