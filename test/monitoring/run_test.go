package monitoring_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"onceway.internal/test/monitoring"
)

func TestRunSamplesEachPeriodUntilItIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		begin := time.Now()
		s, err := monitoring.New(monitoring.Config{
			Period: time.Second,
			Source: func() map[string]monitoring.Figures {
				at = append(at, time.Since(begin))
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		s.Run(ctx)
		if len(at) != 4 || at[3] != 3*time.Second {
			t.Errorf("samples at %v, want one at once and three more", at)
		}
	})
}

func TestConfigNamesEveryFault(t *testing.T) {
	t.Parallel()
	_, err := monitoring.New(monitoring.Config{Period: -1, MinLag: 2, MaxLag: 1, Keep: -1})
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 4 {
		t.Errorf("error %v, want four faults", err)
	}
}
