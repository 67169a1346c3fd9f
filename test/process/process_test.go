package process

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the process that is started.
func TestMain(m *testing.M) {
	switch os.Getenv("ONCEWAY_TEST_CHILD") {
	case "":
		os.Exit(m.Run())
	case "serves":
		stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer cancel()
		go func() { _ = http.ListenAndServe(os.Getenv("ADDR"), http.NotFoundHandler()) }()
		<-stop.Done()
	case "ignores SIGTERM":
		signal.Ignore(syscall.SIGTERM)
		_ = http.ListenAndServe(os.Getenv("ADDR"), http.NotFoundHandler())
	case "ends":
		os.Stdout.WriteString("bad configuration")
		os.Exit(3)
	}
}

func child(t *testing.T, kind string) (p *Process, url string, out *bytes.Buffer) {
	t.Helper()
	addr, err := FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	out = &bytes.Buffer{}
	p, err = Start(kind, os.Args[0], map[string]string{"ONCEWAY_TEST_CHILD": kind, "ADDR": addr}, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, "http://" + addr, out
}

func TestProcessIsAwaitedAndStops(t *testing.T) {
	t.Parallel()
	p, url, _ := child(t, "serves")
	if err := p.AwaitHTTP(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(10 * time.Second); err != nil {
		t.Error(err)
	}
}

func TestProcessThatDoesNotStopIsKilled(t *testing.T) {
	t.Parallel()
	p, url, _ := child(t, "ignores SIGTERM")
	if err := p.AwaitHTTP(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(50 * time.Millisecond); err == nil {
		t.Error("it counts as stopped")
	}
	<-p.Done()
}

func TestProcessThatEndsIsNotAwaited(t *testing.T) {
	t.Parallel()
	p, url, out := child(t, "ends")
	if err := p.AwaitHTTP(t.Context(), url); err == nil {
		t.Error("it counts as serving")
	}
	if out.String() != "bad configuration" {
		t.Errorf("it printed %q", out)
	}
}
