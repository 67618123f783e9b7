// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"xebec.dev/operator/internal/hooksv1"
)

// served is a running server. stop ends it and returns the result of Serve.
type served struct {
	address string
	stop    func() error
}

func serve(t *testing.T, sync SyncFunc, options ServeOptions) served {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	options.Listener = listener
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- New("webs.example.com", sync).Serve(ctx, options) }()
	t.Cleanup(cancel)
	return served{listener.Addr().String(), func() error { cancel(); return <-result }}
}

func connect(t *testing.T, server served, creds credentials.TransportCredentials) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(server.address, grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

func client(t *testing.T, server served) hooksv1.HookServiceClient {
	return hooksv1.NewHookServiceClient(connect(t, server, insecure.NewCredentials()))
}

func request(name string) *hooksv1.SyncRequest {
	return &hooksv1.SyncRequest{Phase: hooksv1.Phase_PHASE_SYNC, Parent: fmt.Sprintf(`{"metadata": {"name": %q}}`, name)}
}

func nothing(context.Context, *Observation) error { return nil }

func TestDescribe(t *testing.T) {
	answer, err := client(t, serve(t, nothing, ServeOptions{Revision: "r1"})).Describe(t.Context(), &hooksv1.DescribeRequest{})
	if err != nil || answer.Revision != "r1" || len(answer.Capabilities) != 1 || !strings.HasPrefix(answer.Library, "xebec-operator-go/") {
		t.Errorf("got %v, %v", answer, err)
	}
	answer, err = client(t, serve(t, nothing, ServeOptions{})).Describe(t.Context(), &hooksv1.DescribeRequest{})
	if err != nil || len(answer.Revision) != 16 {
		t.Errorf("got %v, %v", answer, err)
	}
}

func TestEveryFieldOfADecisionIsSent(t *testing.T) {
	hook := client(t, serve(t, func(_ context.Context, o *Observation) error {
		o.Ensure(Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c"}}, Created("made\xff"), Stage(1),
			Memo("m"), ByVersion())
		o.Delete("v1", "Pod", "p", InNamespace("n"), Orphan, Reason("old"), Deleted("gone"))
		o.SetStatus(map[string]any{"a": []int{1}})
		o.SetCondition("Ready", true, "Done", "all")
		o.PublishEvent(Event{Reason: "Seen", Action: "See", Note: "it", Warning: true})
		o.ResyncAfter(1500 * time.Millisecond)
		return nil
	}, ServeOptions{Revision: "r"}))
	answer, err := hook.Sync(t.Context(), request("web"))
	if err != nil {
		t.Fatal(err)
	}
	desired := answer.Desired
	child, deletion, condition, event := desired.Children[0], desired.Deletions[0], desired.Conditions[0], desired.Events[0]
	if child.Object != `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}` || child.Stage != 1 || child.Memo != "m" ||
		!child.ByVersion || child.OnCreated[0].Note != "made\uFFFD" {
		t.Errorf("child %v", child)
	}
	if deletion.Namespace != "n" || deletion.Propagation != hooksv1.Propagation_PROPAGATION_ORPHAN || deletion.Reason != "old" ||
		deletion.OnDeleted[0].Note != "gone" {
		t.Errorf("deletion %v", deletion)
	}
	if desired.Status != `{"a":[1]}` || condition.Status != "True" || condition.Reason != "Done" || condition.Message != "all" ||
		event.Type != hooksv1.EventType_EVENT_TYPE_WARNING || event.Action != "See" || desired.ResyncAfter.AsDuration() != 1500*time.Millisecond {
		t.Errorf("got %v", desired)
	}
}

func TestAnErrorIsAnAnswer(t *testing.T) {
	for want, fail := range map[string]SyncFunc{
		"busy":        func(context.Context, *Observation) error { return RetryAfter(2*time.Second, errors.New("busy")) },
		"panic: oops": func(context.Context, *Observation) error { panic("oops") },
		"xxx":         func(context.Context, *Observation) error { return errors.New(strings.Repeat("x", 5000) + "\xff") },
	} {
		answer, err := client(t, serve(t, fail, ServeOptions{Revision: "r"})).Sync(t.Context(), request("web"))
		if err != nil || !strings.HasPrefix(answer.Error, want) || len(answer.Error) > maxError || answer.Desired != nil {
			t.Errorf("got %v, %v; want %s", answer, err, want)
		}
		if want == "busy" && answer.RetryAfter.AsDuration() != 2*time.Second {
			t.Errorf("retry after %v", answer.RetryAfter)
		}
	}
}

func TestTheTimeOfTheNextCallHasLimits(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{
		math.MinInt64: time.Second, -time.Hour: time.Second, 0: time.Second, time.Millisecond: time.Second,
		time.Minute: time.Minute, 25 * time.Hour: 24 * time.Hour, math.MaxInt64: 24 * time.Hour,
	} {
		if got := errorResponse(RetryAfter(after, errors.New("later"))).RetryAfter.AsDuration(); got != want {
			t.Errorf("%v: got %v, want %v", after, got, want)
		}
	}
}

// pointerError is an error whose method panics if the pointer is nil.
type pointerError struct{ text string }

func (e *pointerError) Error() string { return e.text }

func TestAStreamOutlivesAnError(t *testing.T) {
	for want, fail := range map[string]SyncFunc{
		"no decision is possible now": func(context.Context, *Observation) error { return RetryAfter(time.Second, nil) },
		"a?b":                         func(context.Context, *Observation) error { return errors.New("a\xffb") },
		"later?":                      func(context.Context, *Observation) error { return RetryAfter(-1, errors.New("later\xff")) },
		"panic: a?b":                  func(context.Context, *Observation) error { panic("a\xffb") },
		"panic: runtime error":        func(context.Context, *Observation) error { return (*pointerError)(nil) },
		"the decision has 83": func(_ context.Context, o *Observation) error {
			o.Ensure(Object{"apiVersion": "v1", "kind": "Pod", "metadata": Object{"name": "p"}}, Memo(strings.Repeat("x", maxDecision)))
			return nil
		},
	} {
		t.Run(want, func(t *testing.T) {
			stream := open(t, client(t, serve(t, func(ctx context.Context, o *Observation) error {
				if o.Name() == "bad" {
					return fail(ctx, o)
				}
				return nil
			}, ServeOptions{Revision: "r"})))
			for call := range uint64(3) {
				send(t, stream, call, request([]string{"good", "bad", "good"}[call]))
				answer, err := stream.Recv()
				if err != nil || answer.Call != call || (answer.Response.Desired == nil) != (call == 1) {
					t.Fatalf("call %d: got %v, %v", call, answer, err)
				}
				if got := answer.Response.Error; call == 1 && !strings.HasPrefix(got, want) {
					t.Errorf("got %q", got)
				}
			}
		})
	}
}

func TestAnErrorOfOneParentIsNoErrorOfTheOthers(t *testing.T) {
	const rounds = 20
	failures := map[string]error{"nil": RetryAfter(time.Second, nil), "text": errors.New("a\xffb")}
	want := map[string]string{"nil": "no decision is possible now", "text": "a?b", "good": ""}
	stream := open(t, client(t, serve(t, func(_ context.Context, o *Observation) error {
		return failures[o.Name()]
	}, ServeOptions{Revision: "r"})))
	names := slices.Repeat([]string{"nil", "text", "good"}, rounds)
	go func() {
		for call, name := range names {
			_ = stream.Send(&hooksv1.SyncStreamRequest{Call: uint64(call), Request: request(name)})
		}
		_ = stream.CloseSend()
	}()
	for range names {
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		name := names[answer.Call]
		if answer.Response.Error != want[name] || (answer.Response.Desired == nil) != (name != "good") {
			t.Errorf("%s: got %v", name, answer)
		}
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("got %v", err)
	}
}

func TestAMalformedRequestIsRefused(t *testing.T) {
	hook := client(t, serve(t, nothing, ServeOptions{Revision: "r"}))
	for _, malformed := range []*hooksv1.SyncRequest{
		{Phase: hooksv1.Phase_PHASE_SYNC},
		{Phase: hooksv1.Phase_PHASE_SYNC, Parent: "[]"},
		{Phase: hooksv1.Phase_PHASE_SYNC, Parent: `{"metadata": {}}`},
		{Phase: 7, Parent: `{"metadata": {"name": "a"}}`},
		{Parent: `{"metadata": {"name": "a"}}`},
		{Phase: hooksv1.Phase_PHASE_SYNC, Parent: `{"metadata": {"name": "a"}} {}`},
		{Phase: hooksv1.Phase_PHASE_SYNC, Parent: `{"metadata": {"name": "a"}}`, Configuration: "x"},
	} {
		if _, err := hook.Sync(t.Context(), malformed); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: got %v", malformed, err)
		}
	}
	stream := open(t, hook)
	send(t, stream, 3, nil)
	if answer, err := stream.Recv(); err != nil || answer.Call != 3 || !strings.HasPrefix(answer.Response.Error, "malformed request") {
		t.Errorf("got %v, %v", answer, err)
	}
}

func open(t *testing.T, hook hooksv1.HookServiceClient) hooksv1.HookService_SyncStreamClient {
	t.Helper()
	stream, err := hook.SyncStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func send(t *testing.T, stream hooksv1.HookService_SyncStreamClient, call uint64, request *hooksv1.SyncRequest) {
	t.Helper()
	if err := stream.Send(&hooksv1.SyncStreamRequest{Call: call, Request: request}); err != nil {
		t.Fatal(err)
	}
}

func TestAStreamAnswersOutOfOrder(t *testing.T) {
	mayEnd := make(chan struct{})
	stream := open(t, client(t, serve(t, func(_ context.Context, o *Observation) error {
		if o.Name() == "first" {
			<-mayEnd
		}
		return nil
	}, ServeOptions{Revision: "r"})))
	send(t, stream, 1, request("first"))
	send(t, stream, 2, request("second"))
	if answer, err := stream.Recv(); err != nil || answer.Call != 2 {
		t.Errorf("got %v, %v", answer, err)
	}
	close(mayEnd)
	if answer, err := stream.Recv(); err != nil || answer.Call != 1 {
		t.Errorf("got %v, %v", answer, err)
	}
}

func TestAStreamOfManyRequests(t *testing.T) {
	const count = 500
	stream := open(t, client(t, serve(t, nothing, ServeOptions{Revision: "r", Concurrency: 2})))
	go func() {
		for call := range uint64(count) {
			_ = stream.Send(&hooksv1.SyncStreamRequest{Call: call, Request: request("a")})
		}
		_ = stream.CloseSend()
	}()
	seen := map[uint64]bool{}
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		seen[answer.Call] = true
	}
	if len(seen) != count {
		t.Errorf("%d answers", len(seen))
	}
}

func TestStopLetsCallsEndAndEndsIdleStreams(t *testing.T) {
	running, mayEnd := make(chan struct{}), make(chan struct{})
	server := serve(t, func(context.Context, *Observation) error {
		close(running)
		<-mayEnd
		return nil
	}, ServeOptions{Revision: "r"})
	stream := open(t, client(t, server))
	send(t, stream, 1, request("a"))
	<-running
	result := make(chan error, 1)
	go func() { result <- server.stop() }()
	time.AfterFunc(100*time.Millisecond, func() { close(mayEnd) })
	if answer, err := stream.Recv(); err != nil || answer.Call != 1 {
		t.Errorf("got %v, %v", answer, err)
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("got %v", err)
	}
	if err := <-result; err != nil {
		t.Errorf("got %v", err)
	}
}

func TestStopDoesNotWaitLongerForAHandlerThanTheGracePeriod(t *testing.T) {
	running, mayEnd := make(chan struct{}), make(chan struct{})
	defer close(mayEnd)
	server := serve(t, func(context.Context, *Observation) error {
		close(running)
		<-mayEnd
		return nil
	}, ServeOptions{Revision: "r", Grace: 100 * time.Millisecond})
	stream := open(t, client(t, server))
	send(t, stream, 1, request("a"))
	<-running
	result := make(chan error, 1)
	go func() { result <- server.stop() }()
	select {
	case err := <-result:
		if err != nil {
			t.Errorf("got %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the server waits for the handler")
	}
}

func TestServeReportsErrors(t *testing.T) {
	server := serve(t, nothing, ServeOptions{Revision: "r"})
	for _, options := range []ServeOptions{{Listen: server.address}, {TLSKey: "key"}, {TLSCert: "none", TLSKey: "none"}} {
		if err := New("a", nothing).Serve(t.Context(), options); err == nil {
			t.Errorf("%+v: no error", options)
		}
	}
}

// certificate writes name.crt and name.key, and returns them as a pair and as the pool of its own CA.
func certificate(t *testing.T, folder, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	for end, content := range map[string][]byte{"crt": cert, "key": private} {
		if err := os.WriteFile(filepath.Join(folder, name+"."+end), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(cert, private)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pair, pool
}

func TestTLSWithClientCertificatesAndReload(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	_, trusted := certificate(t, folder, "server")
	known, _ := certificate(t, folder, "client")
	unknown, _ := certificate(t, folder, "unknown")
	server := serve(t, nothing, ServeOptions{Revision: "r", TLSCert: file("server.crt"), TLSKey: file("server.key"), ClientCA: file("client.crt")})
	check := func(roots *x509.CertPool, pairs ...tls.Certificate) error {
		connection := connect(t, server, credentials.NewTLS(&tls.Config{RootCAs: roots, Certificates: pairs}))
		_, err := healthpb.NewHealthClient(connection).Check(t.Context(), &healthpb.HealthCheckRequest{Service: "xebec.hooks.v1.HookService"})
		return err
	}
	if err := check(trusted, known); err != nil {
		t.Error(err)
	}
	if check(trusted) == nil || check(trusted, unknown) == nil || check(x509.NewCertPool(), known) == nil {
		t.Error("accepted a wrong certificate")
	}
	if err := os.WriteFile(file("server.crt"), []byte("half of a change"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(trusted, known); err != nil {
		t.Error(err)
	}
	_, renewed := certificate(t, folder, "server")
	if err := check(renewed, known); err != nil {
		t.Error(err)
	}
}
