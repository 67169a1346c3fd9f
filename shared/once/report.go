package once

import (
	"context"
	"log/slog"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
)

// Report says what one delivery came to.
type Report struct {
	Handler string
	Outcome Outcome
	ClaimID string
	// State is the claim's as this delivery last saw it; "" if it never did.
	State   claim.State
	Epoch   int64
	Attempt int
	// Result is what the handler left, also for a duplicate that read the claim.
	Result []byte
	Err    error

	Total   time.Duration // of the delivery, waiting included
	Claim   time.Duration // until the claim was held or refused
	Handled time.Duration // in the handler; 0 if it did not run
}

// Log writes the one line that each delivery gets. It holds nothing of the event
// but names and hashes.
func Log(ctx context.Context, log *slog.Logger, m *envelope.Message, rep Report) {
	level := slog.LevelInfo
	switch rep.Outcome {
	case Failed, StoreDown, Malformed, TooLarge:
		level = slog.LevelWarn
	case Parked, DeadLettered, PayloadMismatch:
		level = slog.LevelError
	}
	attrs := []slog.Attr{
		slog.String("handler", rep.Handler),
		slog.String("outcome", string(rep.Outcome)),
		slog.String("key_hash", short(rep.ClaimID)),
		slog.String("state", string(rep.State)),
		slog.Int64("epoch", rep.Epoch),
		slog.Int("attempt", rep.Attempt),
		slog.String("message_id", m.ID),
		slog.Int("delivery_attempt", m.DeliveryAttempt),
		slog.Float64("ms", float64(rep.Total.Microseconds())/1e3),
		slog.Float64("claim_ms", float64(rep.Claim.Microseconds())/1e3),
	}
	if rep.Err != nil {
		attrs = append(attrs, slog.String("error", claim.Cut(rep.Err.Error(), claim.MaxError)))
	}
	log.LogAttrs(ctx, level, "delivery", attrs...)
}

// short is enough of a hash to find the claim, and short enough to read out.
func short(id string) string { return id[:min(16, len(id))] }
