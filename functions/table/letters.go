package table

import (
	"context"

	"onceway.internal/functions/letters"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
)

func checkLetters(c setting.Config, f *setting.Faults) { c.CheckOnce(f) }

// letterSlots bounds how many letters, each up to 10 MB, are stored at once.
const letterSlots = 8

func newLetters(ctx context.Context, a *App) (once.Receiver, error) {
	store, err := a.Letters(ctx)
	if err != nil {
		return nil, err
	}
	return letters.New(store, a.Log, a.Config.Once.HandlerTimeout, letterSlots)
}
