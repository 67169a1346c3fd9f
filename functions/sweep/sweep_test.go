package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/functions/sweep"
	"onceway.internal/shared/settle"
)

type fake struct {
	sum settle.Summary
	err error
}

func (f fake) Sweep(context.Context) (settle.Summary, error) { return f.sum, f.err }

func TestSweepAnswersAndReportsWhatItFound(t *testing.T) {
	t.Parallel()
	found := settle.Summary{Verified: 2, Done: 1, Retried: 1, Stranded: []string{"abc"}, Unreadable: []string{"def"}}
	for name, tc := range map[string]struct {
		method string
		fake   fake
		status int
		log    []string
	}{
		"all well":               {http.MethodPost, fake{sum: settle.Summary{}}, http.StatusOK, nil},
		"claims need people":     {http.MethodPost, fake{sum: found}, http.StatusOK, []string{"claims-stranded", "claims-unreadable"}},
		"single claims failed":   {http.MethodPost, fake{sum: found, err: errors.New("one failed")}, http.StatusOK, []string{"one failed"}},
		"nothing could be read":  {http.MethodPost, fake{err: errors.New("store is down")}, http.StatusServiceUnavailable, []string{"store is down"}},
		"not Scheduler's method": {http.MethodGet, fake{}, http.StatusMethodNotAllowed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			h, err := sweep.New(tc.fake, slog.New(slog.NewTextHandler(&log, nil)), time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(tc.method, "/", nil))
			if w.Code != tc.status {
				t.Errorf("status = %d, want %d", w.Code, tc.status)
			}
			for _, want := range tc.log {
				if !strings.Contains(log.String(), want) {
					t.Errorf("log lacks %q: %s", want, &log)
				}
			}
			if tc.method == http.MethodPost {
				var got settle.Summary
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.fake.sum, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
