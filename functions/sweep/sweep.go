// Package sweep is the function Sweep, called by Cloud Scheduler each minute: it asks
// handlers about parked claims, finishes replays that broke off, and reports claims
// that nobody will redeliver.
package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/settle"
)

// Sweeper does one round; settle.Settler is one.
type Sweeper interface {
	Sweep(ctx context.Context) (settle.Summary, error)
}

type handler struct {
	sweeper Sweeper
	log     *slog.Logger
	timeout time.Duration
}

// New answers with the function. One round gets at most timeout; what is left then
// is the next round's.
func New(s Sweeper, log *slog.Logger, timeout time.Duration) (http.Handler, error) {
	if s == nil || log == nil || timeout <= 0 {
		return nil, errors.New("new sweep: needs a sweeper, a log and a positive time-out")
	}
	return &handler{sweeper: s, log: log, timeout: timeout}, nil
}

// ServeHTTP answers 200 with the summary, also where single claims failed (they are
// logged and come again next minute), and 503 where nothing could be listed.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Sweep is called by POST, as Cloud Scheduler does", http.StatusMethodNotAllowed)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.timeout)
	defer cancel()
	sum, err := h.sweeper.Sweep(ctx)
	h.report(ctx, sum, err)
	w.Header().Set("Content-Type", "application/json")
	if err != nil && empty(sum) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(sum) //nolint:errcheck // the caller is gone: nothing is left to do
}

// report writes the lines that the alert policies look for.
func (h *handler) report(ctx context.Context, sum settle.Summary, err error) {
	if err != nil {
		h.log.WarnContext(ctx, "sweep failed in part", "error", claim.Cut(err.Error(), 2048))
	}
	if n := len(sum.Stranded); n > 0 {
		h.log.ErrorContext(ctx, "claims that nobody redelivers", "event", "claims-stranded", "count", n, "first", sum.Stranded[0])
	}
	if n := len(sum.Unreadable); n > 0 {
		h.log.ErrorContext(ctx, "claims that can't be read", "event", "claims-unreadable", "count", n, "first", sum.Unreadable[0])
	}
	h.log.InfoContext(ctx, "sweep", "verified", sum.Verified, "done", sum.Done, "retried", sum.Retried,
		"waiting", sum.Waiting, "finished", sum.Finished, "dropped", sum.Dropped, "cleaned", sum.Cleaned, "cut", sum.Cut)
}

func empty(s settle.Summary) bool {
	return s.Verified+s.Done+s.Retried+s.Waiting+s.Finished+s.Dropped+len(s.Stranded)+len(s.Unreadable) == 0
}
