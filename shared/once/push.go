package once

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"onceway.internal/shared/envelope"
)

// HeaderOutcome tells people what an acknowledged push came to.
const HeaderOutcome = "Onceway-Outcome"

// Receiver takes deliveries, pushed or pulled, and says what became of each. It
// answers only when nothing about the delivery is left to do.
type Receiver interface {
	Name() string
	Receive(ctx context.Context, m *envelope.Message) Report
}

type bound struct {
	r *Runner
	h Handler
}

func (b bound) Name() string { return b.h.Name() }
func (b bound) Receive(ctx context.Context, m *envelope.Message) Report {
	return b.r.Deliver(ctx, b.h, m)
}

// Bind answers with a Receiver that runs h under claims.
func (r *Runner) Bind(h Handler) Receiver { return bound{r, h} }

// Push serves a receiver as a push endpoint: it decodes the request, delivers, and
// answers by the outcome. Nothing runs after the answer.
func Push(rc Receiver, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		m, err := envelope.FromRequest(req)
		if err != nil {
			refuse(w, req, log, rc.Name(), err)
			return
		}
		rep := rc.Receive(req.Context(), m)
		w.Header().Set(HeaderOutcome, string(rep.Outcome))
		w.WriteHeader(rep.Outcome.Status())
	})
}

// refuse answers a body that is no event: there is no message yet to speak of.
func refuse(w http.ResponseWriter, req *http.Request, log *slog.Logger, name string, err error) {
	rep := Report{Handler: name, Outcome: Malformed, Err: err}
	if errors.Is(err, envelope.ErrTooLarge) {
		rep.Outcome = TooLarge
	}
	Log(req.Context(), log, &envelope.Message{}, rep)
	w.Header().Set(HeaderOutcome, string(rep.Outcome))
	http.Error(w, err.Error(), rep.Outcome.Status())
}
