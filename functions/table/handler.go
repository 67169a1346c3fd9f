package table

import (
	"context"
	"net/http"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/once"
)

// Handler serves a function over HTTP. It is made at the first request; while that
// fails, requests are answered 503 and the next one tries again.
func (a *App) Handler(e Entry) http.Handler {
	var made lazy[http.Handler]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(logging.WithTrace(r.Context(), r.Header))
		h, err := made.get(r.Context(), func(ctx context.Context) (http.Handler, error) {
			if e.HTTP != nil {
				return e.HTTP(ctx, a)
			}
			rc, err := e.Push(ctx, a)
			if err != nil {
				return nil, err
			}
			return a.Trace.Handler(once.Push(a.Trace.Receiver(rc), a.Log)), nil
		})
		if err != nil {
			a.Log.ErrorContext(r.Context(), "function can't start", "function", e.Name, "error", claim.Cut(err.Error(), 2048))
			http.Error(w, "function "+e.Name+" can't start: see its log", http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	})
}
