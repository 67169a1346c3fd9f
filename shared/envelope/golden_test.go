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
	"time"

	"github.com/google/go-cmp/cmp"
	"onceway.internal/shared/envelope"
)

const goldenDir = "../../test/payloads/push"

// request reads a golden file as a server would.
func request(t testing.TB, raw []byte) *http.Request {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		t.Fatalf("read golden request: %v", err)
	}
	return r
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(goldenDir, name+".http"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// seen is what a handler can tell about a message, flat enough for a table.
type seen struct {
	ID, Sub, Order, Data string
	Attempt              int
	Published            string
	Attrs                map[string]string
	Own                  bool
	Event                string // id type source time content-type
	EventData            string
}

func see(m *envelope.Message) seen {
	s := seen{
		ID: m.ID, Sub: strings.TrimPrefix(m.Subscription, "projects/demo-project/subscriptions/"),
		Order: m.OrderingKey, Data: string(m.Data), Attempt: m.DeliveryAttempt, Own: m.OwnEvent, EventData: string(m.Event.Data()),
		Event: strings.Join([]string{m.Event.ID(), m.Event.Type(), m.Event.Source(), clock(m.Event.Time()), m.Event.DataContentType()}, " "),
	}
	s.Published = clock(m.PublishTime)
	if len(m.Attributes) > 0 {
		s.Attrs = m.Attributes
	}
	return s
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("15:04:05.000")
}

func TestGoldenPushesDecode(t *testing.T) {
	t.Parallel()
	for name, want := range wanted() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := envelope.FromRequest(request(t, golden(t, name)))
			if err != nil {
				t.Fatalf("decode: %v", err)
			}
			if diff := cmp.Diff(want, see(m)); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if m.Attributes == nil {
				t.Error("attributes are nil")
			}
			if err := m.Event.Validate(); err != nil {
				t.Errorf("event is invalid: %v", err)
			}
		})
	}
}

// TestMalformedPushesAreRefusedWithoutEcho also holds every golden file to being
// either wanted or malformed.
func TestMalformedPushesAreRefusedWithoutEcho(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(goldenDir + "/*.http")
	if err != nil || len(files) < 15 {
		t.Fatalf("found %d golden pushes, err %v", len(files), err)
	}
	want := wanted()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".http")
		if _, ok := want[name]; ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(name, "malformed-") && !strings.HasPrefix(name, "emulator-bare-") {
				t.Fatal("golden push that no test expects anything of")
			}
			m, err := envelope.FromRequest(request(t, golden(t, name)))
			if !errors.Is(err, envelope.ErrMalformed) || m != nil {
				t.Fatalf("answered %v, %v; want ErrMalformed", m, err)
			}
			for _, secret := range []string{"acme", "spring", "secret", "%%%", "eyJ"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("error %q echoes the body", err)
				}
			}
			if !strings.Contains(err.Error(), "expected") {
				t.Errorf("error %q does not say what was expected", err)
			}
		})
	}
}
