package envelope_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"onceway.internal/shared/envelope"
)

// BenchmarkFromRequest is the whole way from a request to a Message;
// BenchmarkReference only reads the body and decodes its JSON and base64.
func BenchmarkFromRequest(b *testing.B) {
	for _, name := range []string{"service-wrapped", "service-unwrapped", "emulator-wrapped-binary-event", "emulator-wrapped-structured-event", "eventarc-binary"} {
		b.Run(name, func(b *testing.B) {
			replay(b, name, func(r *http.Request) error {
				_, err := envelope.FromRequest(r)
				return err
			})
		})
	}
}

func BenchmarkReference(b *testing.B) {
	replay(b, "service-wrapped", func(r *http.Request) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		var push struct {
			Message struct {
				Data        []byte            `json:"data"`
				ID          string            `json:"messageId"`
				Attributes  map[string]string `json:"attributes"`
				OrderingKey string            `json:"orderingKey"`
				PublishTime string            `json:"publishTime"`
			} `json:"message"`
			Subscription string `json:"subscription"`
			Attempt      int    `json:"deliveryAttempt"`
		}
		return json.Unmarshal(body, &push)
	})
}

func replay(b *testing.B, name string, do func(*http.Request) error) {
	r := request(b, golden(b, name))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		b.Fatal(err)
	}
	src := bytes.NewReader(body)
	r.Body = io.NopCloser(src)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		src.Reset(body)
		if err := do(r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWrappedPushCostsFewAllocations guards the path that nearly every delivery takes.
func TestWrappedPushCostsFewAllocations(t *testing.T) {
	r := request(t, golden(t, "service-wrapped"))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	src := bytes.NewReader(body)
	r.Body = io.NopCloser(src)
	got := testing.AllocsPerRun(100, func() {
		src.Reset(body)
		if _, err := envelope.FromRequest(r); err != nil {
			t.Fatal(err)
		}
	})
	if limit := 20.0; got > limit {
		t.Errorf("%.0f allocations for a wrapped push, at most %.0f wanted", got, limit)
	}
}
