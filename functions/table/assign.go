package table

import (
	"context"
	"math/rand/v2"
	"net/http"

	"onceway.internal/functions/assign"
)

func newAssign(ctx context.Context, a *App) (http.Handler, error) {
	r, err := a.Router(ctx)
	if err != nil {
		return nil, err
	}
	state, err := a.State(ctx)
	if err != nil {
		return nil, err
	}
	return assign.New(assign.Deps{Router: r, Advice: state, Rand: rand.Float64, Log: a.Log})
}
