package serve_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	cloudevents "github.com/cloudevents/sdk-go/v2"

	"onceway.internal/shared/serve"
)

// asPeer marks the child process in which the framework's CloudEvent receiver is
// stormed: it may wedge, and it leaks.
const asPeer = "ONCEWAY_TEST_PEER"

// TestStormBesideACloudEventFunction reports, and does not assert, what the same
// storm does to a function that the framework decodes events for.
func TestStormBesideACloudEventFunction(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestPeer$", "-test.v")
	child.Env = append(os.Environ(), asPeer+"=1", "FUNCTION_TARGET=Peer")
	out, err := child.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if _, figure, ok := strings.Cut(line, "figure: "); ok {
			t.Logf("functions.CloudEvent after the storm: %s", strings.TrimSpace(figure))
			return
		}
	}
	t.Logf("functions.CloudEvent after the storm: no answer (%v)", err)
}

// TestPeer runs in the child alone.
func TestPeer(t *testing.T) {
	if os.Getenv(asPeer) == "" {
		return
	}
	var inWork atomic.Int64
	functions.CloudEvent("Peer", func(ctx context.Context, e cloudevents.Event) error {
		if e.Extensions()["stuck"] != nil {
			inWork.Add(1)
			<-ctx.Done()
		}
		return nil
	})
	h, err := serve.Framework()
	if err != nil {
		t.Fatal(err)
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go serve.Run(context.Background(), serve.Config{Listener: lis, Logger: slog.New(slog.DiscardHandler)}, h)
	url := "http://" + lis.Addr().String()

	var senders sync.WaitGroup
	storm(t, func(ctx context.Context) { postEvent(ctx, url, "yes") }, func() int64 { return inWork.Load() })

	second, done := context.WithTimeout(t.Context(), time.Second)
	defer done()
	var answered atomic.Int64
	for range good {
		senders.Go(func() {
			if postEvent(second, url, "") {
				answered.Add(1)
			}
		})
	}
	senders.Wait()
	t.Logf("figure: %d of %d good events answered within a second", answered.Load(), good)
}

func postEvent(ctx context.Context, url, stuck string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(`{}`)))
	if err != nil {
		return false
	}
	for name, value := range map[string]string{
		"Ce-Specversion": "1.0", "Ce-Id": "7", "Ce-Source": "s", "Ce-Type": "t", "Ce-Stuck": stuck, "Content-Type": "application/json",
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode < 300
}
