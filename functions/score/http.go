package score

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// problem is an RFC 9457 problem with the run's summary beside it.
type problem struct {
	Type    string   `json:"type"`
	Title   string   `json:"title"`
	Status  int      `json:"status"`
	Detail  string   `json:"detail"`
	Summary *Summary `json:"summary,omitempty"`
}

// ServeHTTP does a run for a POST, whoever sends it: Cloud Run's IAM decides that.
// The body means nothing.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		answer(w, "application/problem+json", http.StatusMethodNotAllowed, problem{
			Type: "about:blank", Title: "Method Not Allowed", Status: http.StatusMethodNotAllowed,
			Detail: fmt.Sprintf("Score is called by POST, as Cloud Scheduler does, not by %s", r.Method),
		})
		return
	}
	sum, err := h.Run(r.Context())
	if sum.Errors == nil {
		sum.Errors = []Failure{}
	}
	h.report(r, sum, err)
	if err != nil {
		answer(w, "application/problem+json", http.StatusServiceUnavailable, problem{
			Type: "about:blank", Title: "Service Unavailable", Status: http.StatusServiceUnavailable,
			Detail: err.Error() + "; see the summary's errors", Summary: &sum,
		})
		return
	}
	answer(w, "application/json", http.StatusOK, sum)
}

// report writes a line for the run, and one for each thing that failed.
func (h *Handler) report(r *http.Request, sum Summary, err error) {
	ctx := r.Context()
	for i, f := range sum.Errors {
		h.cfg.Log.WarnContext(ctx, "score failed in part", "event", "score.part-failed",
			"project", f.Project, "part", f.Part, "code", f.Code, "error", sum.causes[i])
	}
	for _, d := range sum.Drifts {
		h.cfg.Log.WarnContext(ctx, "counter was off", "event", "score.counter-drift",
			"group", d.Group, "queue", d.Queue, "off", d.Off, "corrected", d.Corrected)
	}
	run := append([]any{"event", "score.run", "job", r.Header.Get("X-CloudScheduler-JobName")}, sum.attrs()...)
	if err != nil {
		h.cfg.Log.ErrorContext(ctx, "score ran in vain", append(run, "error", err)...)
		return
	}
	h.cfg.Log.InfoContext(ctx, "scored", run...)
}

func answer(w http.ResponseWriter, kind string, status int, body any) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) //nolint:errcheck // the caller is gone: nothing is left to do
}
