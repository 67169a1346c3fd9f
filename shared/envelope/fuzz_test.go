package envelope_test

import (
	"bufio"
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onceway.internal/shared/envelope"
)

func seeds(f *testing.F) [][]byte {
	f.Helper()
	files, err := filepath.Glob(goldenDir + "/*.http")
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden pushes: %v", err)
	}
	var all [][]byte
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, raw)
	}
	return all
}

// sound is what every Message holds to, whatever it was made from.
func sound(t *testing.T, m *envelope.Message) {
	t.Helper()
	if m.ID == "" {
		t.Error("message without an ID")
	}
	if m.Attributes == nil {
		t.Error("attributes are nil")
	}
	if m.DeliveryAttempt < 0 {
		t.Errorf("delivery attempt %d", m.DeliveryAttempt)
	}
	if err := m.Event.Validate(); err != nil {
		t.Errorf("event is invalid: %v", err)
	}
	c := m.Clone()
	if c.Event.ID() != m.Event.ID() || !bytes.Equal(c.Data, m.Data) {
		t.Error("clone differs")
	}
}

func FuzzFromRequest(f *testing.F) {
	for _, raw := range seeds(f) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			t.Skip("no HTTP request")
		}
		m, err := envelope.FromRequest(r)
		if (m == nil) == (err == nil) {
			t.Fatalf("answered %v, %v", m, err)
		}
		if err == nil {
			sound(t, m)
		}
	})
}

func FuzzFromPulled(f *testing.F) {
	for _, raw := range seeds(f) {
		_, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
		f.Add("1", body, "content-type", "application/cloudevents+json", "ce-id", "7", 1)
		f.Add("1", body, "ce-specversion", "1.0", "ce-time", "2026-01-02T03:04:05Z", 0)
	}
	f.Fuzz(func(t *testing.T, id string, data []byte, k1, v1, k2, v2 string, attempt int) {
		m, err := envelope.FromPulled(envelope.Pulled{
			ID: id, Data: data, DeliveryAttempt: attempt,
			Attributes: map[string]string{"ce-source": "s", "ce-type": "t", k1: v1, k2: v2},
		})
		if strings.TrimSpace(id) == "" {
			if !errors.Is(err, envelope.ErrMalformed) {
				t.Fatalf("no ID answered %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		sound(t, m)
		if !bytes.Equal(m.Data, data) {
			t.Error("data changed")
		}
	})
}
