// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"io"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"xebec.dev/operator/internal/hooksv1"
)

// service implements xebec.hooks.v1.HookService.
type service struct {
	hooksv1.UnimplementedHookServiceServer
	operator    *Operator
	revision    string
	concurrency int
	stopping    chan struct{} // closed when streams must end
}

func (s *service) Describe(context.Context, *hooksv1.DescribeRequest) (*hooksv1.DescribeResponse, error) {
	return &hooksv1.DescribeResponse{
		Revision:     s.revision,
		Capabilities: []hooksv1.Capability{hooksv1.Capability_CAPABILITY_SYNC_STREAM},
		Library:      "xebec-operator-go/" + Version,
	}, nil
}

func (s *service) Sync(ctx context.Context, request *hooksv1.SyncRequest) (*hooksv1.SyncResponse, error) {
	response, err := s.operator.answer(ctx, request)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	return response, nil
}

// SyncStream answers requests as their calls end. It reads no further request while many are unanswered. When the server
// stops, it ends when the requests that it has read are answered.
func (s *service) SyncStream(stream hooksv1.HookService_SyncStreamServer) error {
	incoming, done := make(chan *hooksv1.SyncStreamRequest), make(chan struct{})
	defer close(done)
	ended := make(chan error, 1)
	go func() { ended <- receive(stream, incoming, done) }()

	answering := make(chan struct{}, s.concurrency)
	var writing sync.Mutex
	var calls sync.WaitGroup
	defer calls.Wait()
	for {
		select {
		case <-s.stopping:
			return nil
		case err := <-ended:
			if err == io.EOF {
				return nil
			}
			return err
		case message := <-incoming:
			answering <- struct{}{}
			calls.Add(1)
			go func() {
				defer calls.Done()
				defer func() { <-answering }()
				response := s.answerOnStream(stream.Context(), message)
				writing.Lock()
				defer writing.Unlock()
				_ = stream.Send(response) // if it fails, Recv fails, too
			}()
		}
	}
}

// receive sends the messages of a stream to incoming until the stream ends or done is closed.
func receive(stream hooksv1.HookService_SyncStreamServer, incoming chan<- *hooksv1.SyncStreamRequest, done <-chan struct{}) error {
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		select {
		case incoming <- message:
		case <-done:
			return nil
		}
	}
}

func (s *service) answerOnStream(ctx context.Context, message *hooksv1.SyncStreamRequest) *hooksv1.SyncStreamResponse {
	request := message.Request
	if request == nil {
		request = &hooksv1.SyncRequest{}
	}
	response, err := s.operator.answer(ctx, request)
	if err != nil {
		response = errorResponse(fmt.Errorf("malformed request: %w", err))
	}
	return &hooksv1.SyncStreamResponse{Call: message.Call, Response: response}
}
