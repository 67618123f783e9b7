// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"xebec.dev/operator/internal/hooksv1"
)

const (
	maxMessage  = 64 << 20
	maxDecision = 8<<20 - 64 // the gateway's default limit; the messages around it add fields
	lastMoment  = 500 * time.Millisecond
)

// ServeOptions are the settings of [Operator.Serve]. The zero value serves without TLS on port 50051.
type ServeOptions struct {
	// Listen is the address and port. Default: the environment variable XEBEC_HOOK_LISTEN, else ":50051".
	Listen string
	// Listener is used instead of Listen if it is not nil. Serve closes it.
	Listener net.Listener
	// TLSCert and TLSKey are PEM files with the certificate chain and the private key. Default: XEBEC_HOOK_TLS_CERT and
	// XEBEC_HOOK_TLS_KEY, else no TLS. The server reads changed files again.
	TLSCert, TLSKey string
	// ClientCA is a PEM file with the CAs of client certificates, which are then required. Default:
	// XEBEC_HOOK_CLIENT_CA.
	ClientCA string
	// Concurrency is the number of requests of one stream that are answered at the same time. Default: 32.
	Concurrency int
	// Revision is the revision of the program. When it changes, Xebec calls the hook again for every parent. Default: a
	// digest of the executable file.
	Revision string
	// Grace is the time after the end of the context during which calls in progress may end. Their contexts then end, and
	// Serve returns. Default: 10 s.
	Grace time.Duration
}

func (o ServeOptions) withDefaults() (ServeOptions, error) {
	o.Listen = cmp.Or(o.Listen, os.Getenv("XEBEC_HOOK_LISTEN"), ":50051")
	o.TLSCert = cmp.Or(o.TLSCert, os.Getenv("XEBEC_HOOK_TLS_CERT"))
	o.TLSKey = cmp.Or(o.TLSKey, os.Getenv("XEBEC_HOOK_TLS_KEY"))
	o.ClientCA = cmp.Or(o.ClientCA, os.Getenv("XEBEC_HOOK_CLIENT_CA"))
	o.Concurrency = cmp.Or(max(o.Concurrency, 0), 32)
	o.Grace = cmp.Or(o.Grace, 10*time.Second)
	if (o.TLSCert == "") != (o.TLSKey == "") || (o.ClientCA != "" && o.TLSCert == "") {
		return o, errors.New("TLS needs both TLSCert and TLSKey, and ClientCA needs both of them")
	}
	if o.Revision == "" {
		var err error
		if o.Revision, err = executableDigest(); err != nil {
			return o, fmt.Errorf("find the revision of the program: %w", err)
		}
	}
	return o, nil
}

// Serve serves the hook until ctx ends. It then refuses new calls, lets calls in progress end, and returns nil, after the
// grace period even if a call still runs. It also serves grpc.health.v1.Health.
func (op *Operator) Serve(ctx context.Context, options ServeOptions) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	server, err := newServer(options)
	if err != nil {
		return err
	}
	hook := &service{operator: op, revision: options.Revision, concurrency: options.Concurrency, stopping: make(chan struct{})}
	hooksv1.RegisterHookServiceServer(server, hook)
	status := health.NewServer()
	status.SetServingStatus(hooksv1.HookService_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(server, status)
	listener := options.Listener
	if listener == nil {
		if listener, err = net.Listen("tcp", options.Listen); err != nil {
			return err
		}
	}
	slog.Info("Serving hook", "listen", listener.Addr().String(), "tls", options.TLSCert != "", "revision", options.Revision)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	slog.Info("Stopping")
	status.Shutdown()
	close(hook.stopping)
	if stopGracefully(server, options.Grace) {
		<-served
		slog.Info("Stopped")
	} else {
		slog.Warn("Stopped while calls still run", "grace", options.Grace)
	}
	return nil
}

func newServer(options ServeOptions) (*grpc.Server, error) {
	settings := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
		// Clients may send pings on connections without calls.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	}
	if options.TLSCert != "" {
		config, err := tlsConfig(options.TLSCert, options.TLSKey, options.ClientCA)
		if err != nil {
			return nil, err
		}
		settings = append(settings, grpc.Creds(credentials.NewTLS(config)))
	}
	return grpc.NewServer(settings...), nil
}

// stopGracefully reports whether all calls have ended. After the grace period, it ends their contexts, and waits only a
// moment.
func stopGracefully(server *grpc.Server, grace time.Duration) bool {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		server.GracefulStop()
	}()
	if endsWithin(stopped, grace) {
		return true
	}
	go server.Stop() // it waits for calls because GracefulStop does
	return endsWithin(stopped, lastMoment)
}

func endsWithin(end <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-end:
		return true
	case <-timer.C:
		return false
	}
}

func executableDigest() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest.Sum(nil))[:16], nil
}
