//go:build emulators

package e2e

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"onceway.internal/test/process"
	"onceway.internal/test/witness"
)

func TestWhatIsNoEventIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.receive("/relay", witness.Faults{})
	url := b.function("Relay", nil)
	for name, tt := range map[string]struct {
		body   io.Reader
		status int
	}{
		"malformed": {strings.NewReader(`{"message":"what?"}`), http.StatusBadRequest},
		"no JSON":   {strings.NewReader("hello"), http.StatusBadRequest},
		"oversized": {bytes.NewReader(make([]byte, 17<<20)), http.StatusRequestEntityTooLarge},
	} {
		response, err := http.Post(url, "application/json", tt.body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		response.Body.Close()
		if response.StatusCode != tt.status {
			t.Errorf("%s: answered %d, want %d", name, response.StatusCode, tt.status)
		}
	}
	b.want(witness.Tally{})
}

func TestBadConfigurationRefusesToStartAndNamesEveryFault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, tt := range map[string]struct {
		env   map[string]string
		wants []string
	}{
		"unknown function": {map[string]string{"FUNCTION_TARGET": "Relais"}, []string{"Relais", "Campaigns", "Relay", "Score"}},
		"two faults":       {map[string]string{"FUNCTION_TARGET": "Relay", "ONCEWAY_LEASE": "0s", "ONCEWAY_RELAY_URL": "nowhere"}, []string{"ONCEWAY_LEASE", "ONCEWAY_RELAY_URL"}},
	} {
		var said logs
		p, err := process.Start(name, binaries.Functions, b.env(tt.env), &said)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.Done():
		case <-time.After(within):
			t.Errorf("%s: it started", name)
			p.Kill()
		}
		for _, want := range tt.wants {
			if said.count(want) == 0 {
				t.Errorf("%s: %q is not named in:\n%s", name, want, said.tail(20))
			}
		}
	}
}
