package campaigns

import (
	"encoding/json"
	"errors"
	"fmt"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/route"
)

// event is a campaign as it is published to us.
type event struct {
	Campaign string            `json:"campaign"`
	Customer string            `json:"customer"`
	Size     int64             `json:"size"` // 0 or absent: unknown
	Messages []json.RawMessage `json:"messages"`
}

// read decodes and bounds a campaign event; every fault is named.
func read(m *envelope.Message, maxMessages int) (event, error) {
	var e event
	if err := json.Unmarshal(m.Event.Data(), &e); err != nil {
		return e, fmt.Errorf("read campaign: %w", err)
	}
	var errs []error
	if err := e.route().Validate(); err != nil {
		errs = append(errs, err)
	}
	if n := len(e.Messages); n > maxMessages {
		errs = append(errs, fmt.Errorf("messages: %d are more than %d", n, maxMessages))
	} else if n > 0 && e.Size != 0 && e.Size != int64(n) {
		errs = append(errs, fmt.Errorf("size: %d, but there are %d messages", e.Size, n))
	}
	if err := errors.Join(errs...); err != nil {
		return e, fmt.Errorf("read campaign: %w", err)
	}
	return e, nil
}

func (e event) route() route.Campaign {
	c := route.Campaign{ID: e.Campaign, Customer: e.Customer, Size: e.Size}
	if n := len(e.Messages); n > 0 {
		c.Size = int64(n)
	}
	return c
}
