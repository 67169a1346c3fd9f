package interaction_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops/interaction"
)

const payloads = "../../../test/payloads/chat"

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(payloads, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, name string) interaction.Event {
	t.Helper()
	e, err := interaction.Decode(read(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return e
}

// TestGoldenPayloads holds every payload against what was read from it by hand:
// a field that is no longer found, in either shape, shows as a changed line.
func TestGoldenPayloads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(payloads, "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d payloads, %v; want at least 40", len(files), err)
	}
	var got strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s\n", strings.TrimSuffix(filepath.Base(file), ".json"))
		e, err := interaction.Decode(data)
		if err != nil {
			fmt.Fprintf(&got, "  error: %v\n", err)
			continue
		}
		fmt.Fprintf(&got, "  %s\n", describe(e))
	}
	want, err := os.ReadFile("testdata/decoded.golden")
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("decoded.golden (-want +got):\n%s", diff)
		if dir := os.Getenv("ONCEWAY_TEST_GOLDEN"); dir != "" {
			_ = os.WriteFile(filepath.Join(dir, "decoded.golden"), []byte(got.String()), 0o644)
		}
	}
}

func describe(e interaction.Event) string {
	parts := []string{string(e.Shape), string(e.Type)}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, fmt.Sprintf("%s=%s", name, value))
		}
	}
	flag := func(name string, on bool) {
		if on {
			parts = append(parts, name)
		}
	}
	add("id", e.ID)
	add("time", e.Time)
	add("user", e.User.Name)
	add("mail", e.User.Email)
	flag("bot", e.User.Bot)
	add("space", e.Space.Name)
	flag("direct", e.Space.Direct)
	add("thread", e.Thread)
	add("message", e.MessageName)
	add("command", e.CommandID)
	add("function", e.Function)
	for _, k := range slices.Sorted(maps.Keys(e.Parameters)) {
		add("."+k, e.Parameters[k])
	}
	flag("dialog", e.Dialog)
	add("line", fmt.Sprintf("%q", e.Line()))
	return strings.Join(parts, " ")
}

func TestUnreadableDataIsAnErrorThatQuotesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bad-array", "bad-text-number", "bad-truncated", "bad-not-json", "bad-empty"} {
		_, err := interaction.Decode(read(t, name))
		if !errors.Is(err, interaction.ErrUnreadable) {
			t.Errorf("%s: %v, want ErrUnreadable", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "restart") {
			t.Errorf("%s: the error quotes the data: %v", name, err)
		}
	}
}

func TestTimeOfAnEvent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		event interaction.Event
		want  string
	}{
		"the event's":            {interaction.Event{Time: "2026-11-30T13:00:00.5Z", MessageTime: "2026-11-30T12:00:00Z"}, "13:00:00.5"},
		"else the message's":     {interaction.Event{MessageTime: "2026-11-30T12:00:00Z"}, "12:00:00"},
		"unreadable is no time":  {interaction.Event{Time: "yesterday"}, ""},
		"a broken one is passed": {interaction.Event{Time: "x", MessageTime: "2026-11-30T12:00:00Z"}, "12:00:00"},
	} {
		at, ok := test.event.At()
		if ok != (test.want != "") || ok && at.Format("15:04:05.999") != test.want {
			t.Errorf("%s: %v %v", name, at, ok)
		}
	}
}

func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(payloads, "*.json"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := interaction.Decode(data)
		if err != nil {
			return
		}
		again, err := interaction.Decode(data)
		if err != nil || again.Key() != e.Key() || again.Line() != e.Line() {
			t.Errorf("a second reading differs")
		}
		if e.Parameters == nil || len(e.Key()) > 512 {
			t.Errorf("parameters %v, key of %d bytes", e.Parameters, len(e.Key()))
		}
	})
}
