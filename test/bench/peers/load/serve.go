package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrInFlight answers a call that was sent away, as another with its key still runs.
var ErrInFlight = errors.New("in flight elsewhere")

// Side is one way to run work once.
type Side struct {
	// Call runs the effect for e unless it ran before. It answers with what the
	// effect answered, now or then.
	Call func(ctx context.Context, e Event) ([]byte, error)
	// Effect is what Call runs.
	Effect *Effect
	// Silent says that a repeat is answered with nothing.
	Silent bool
}

// Serve obeys orders until there are no more.
func Serve(ctx context.Context, s Side, in io.Reader, out io.Writer) error {
	orders, reports := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o Order
		if err := orders.Decode(&o); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read order: %w", err)
		}
		if err := reports.Encode(s.obey(ctx, o)); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
}

func (s Side) obey(ctx context.Context, o Order) Report {
	if o.Parallel < 1 {
		return Report{Fault: "no callers"}
	}
	var r Report
	var err error
	switch o.Kind {
	case First:
		r, err = s.first(ctx, o)
	case Repeat:
		r, err = s.repeat(ctx, o)
	case Race:
		r, err = s.race(ctx, o)
	default:
		err = fmt.Errorf("no order %q", o.Kind)
	}
	if err != nil {
		r.Fault = err.Error()
	}
	return r
}

func (o Order) length() time.Duration { return time.Duration(o.Millis) * time.Millisecond }
