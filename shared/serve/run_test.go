package serve_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"onceway.internal/shared/serve"
)

func TestMain(m *testing.M) {
	if os.Getenv(asPeer) != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

// server is Run on a real listener.
type server struct {
	url, addr string
	stop      context.CancelFunc
	ended     chan error
	client    *http.Client
}

func start(t *testing.T, cfg serve.Config, h http.HandlerFunc) *server {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listener, cfg.Logger = lis, slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	s := &server{
		url: "http://" + lis.Addr().String(), addr: lis.Addr().String(), stop: stop,
		ended: make(chan error, 1), client: &http.Client{Transport: transport, Timeout: 20 * time.Second},
	}
	go func() { s.ended <- serve.Run(ctx, cfg, h) }()
	t.Cleanup(func() { stop(); transport.CloseIdleConnections() })
	return s
}

func (s *server) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(15 * time.Second):
		t.Fatal("the server did not end")
		return nil
	}
}

// get answers with the status, or an error's text.
func (s *server) get() string {
	resp, err := s.client.Get(s.url)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.Status
}

func TestRequestInWorkFinishesWithinGrace(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan context.Context), make(chan struct{})
	s := start(t, serve.Config{Grace: time.Minute}, func(w http.ResponseWriter, r *http.Request) {
		entered <- r.Context()
		<-leave
	})
	got := make(chan string, 1)
	go func() { got <- s.get() }()
	ctx := <-entered
	s.stop()
	refused(t, s)
	if ctx.Err() != nil {
		t.Errorf("request's context ended before the grace period: %v", context.Cause(ctx))
	}
	close(leave)
	if status := <-got; status != "200 OK" {
		t.Errorf("answered %s", status)
	}
	if err := s.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// refused waits until new connections are.
func refused(t *testing.T, s *server) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			return
		}
		conn.Close()
	}
	t.Fatal("still takes connections")
}

func TestHandlersAreCancelledAfterGraceAndSettle(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	causes, told := make(chan error, 1), make(chan struct{})
	s := start(t, serve.Config{Grace: time.Millisecond, Settle: time.Minute, Stopping: func() { close(told) }}, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		causes <- context.Cause(r.Context())
		<-told
		w.WriteHeader(http.StatusTeapot)
	})
	got := make(chan string, 1)
	go func() { got <- s.get() }()
	<-entered
	s.stop()
	if cause := <-causes; !errors.Is(cause, serve.ErrStopping) {
		t.Errorf("context's cause is %v", cause)
	}
	if status := <-got; !strings.HasPrefix(status, "418") {
		t.Errorf("the settled handler's answer was lost: %s", status)
	}
	if err := s.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestHandlerThatNeverSettlesDoesNotHoldTheExit(t *testing.T) {
	t.Parallel()
	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := start(t, serve.Config{Grace: time.Millisecond, Settle: time.Millisecond}, func(http.ResponseWriter, *http.Request) {
		defer close(left)
		close(entered)
		<-leave
	})
	go s.get()
	<-entered
	s.stop()
	if err := s.wait(t); !errors.Is(err, serve.ErrUnsettled) {
		t.Errorf("ended with %v", err)
	}
	close(leave)
	<-left
}

func TestLateRequestOnAnOpenConnectionReachesNoHandler(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	s := start(t, serve.Config{}, func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-leave
	})
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go s.get() // holds the server open; its answer also proves that conn was accepted before
	<-entered
	s.stop()
	refused(t, s)
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
	if answer, err := io.ReadAll(conn); len(answer) > 0 || err != nil {
		t.Errorf("answered %q, %v; want the connection closed", answer, err)
	}
	if len(entered) > 0 {
		t.Error("a handler took the request")
	}
	close(leave)
	if err := s.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestUnwrappedPushWithAllItsAttributesFits(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Config{}, func(http.ResponseWriter, *http.Request) {})
	req, _ := http.NewRequest(http.MethodPost, s.url, nil)
	for i := range 100 {
		req.Header.Set(strings.Repeat("k", 250)+string(rune('a'+i/26))+string(rune('a'+i%26)), strings.Repeat("v", 1024))
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("answered %s", resp.Status)
	}
}

// Not parallel: the signal goes to the whole process, and ends every other server.
func TestSIGTERMEndsTheServer(t *testing.T) {
	s := start(t, serve.Config{}, func(http.ResponseWriter, *http.Request) {})
	if status := s.get(); status != "200 OK" {
		t.Fatalf("answered %s", status)
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	t.Parallel()
	err := serve.Run(t.Context(), serve.Config{Grace: -1}, http.NotFoundHandler())
	for _, name := range []string{"address", "logger", "grace"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name %s", err, name)
		}
	}
	if err := serve.Run(t.Context(), serve.Config{Addr: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)}, nil); err == nil {
		t.Error("nil handler was taken")
	}
	if err := serve.Run(t.Context(), serve.Config{Addr: "256.0.0.1:x", Logger: slog.New(slog.DiscardHandler)}, http.NotFoundHandler()); err == nil {
		t.Error("bad address was taken")
	}
}
