package counters

import (
	"context"
	"errors"
	"time"

	"onceway.internal/shared/backlog"
)

// Reconciled is the backlog.Source that Score reads: live counters where queues
// are counted, the reference (Cloud Monitoring) for the others, and the counters
// corrected by the reference.
type Reconciled struct {
	store     Store
	reference backlog.Source
	counted   func(backlog.Queue) bool
}

// NewReconciled returns a Reconciled. counted says which queues have counters
// that workers keep; nil means all. A counter that nobody keeps would be wrong
// between two corrections, so count only what is really counted.
func NewReconciled(s Store, reference backlog.Source, counted func(backlog.Queue) bool) (*Reconciled, error) {
	if s == nil || reference == nil {
		return nil, errors.New("reconciled counters need a store and a reference")
	}
	if counted == nil {
		counted = func(backlog.Queue) bool { return true }
	}
	return &Reconciled{store: s, reference: reference, counted: counted}, nil
}

// Read reads both sources, corrects and notes the counters. See backlog.Source.
func (r *Reconciled) Read(ctx context.Context, queues []backlog.Queue) backlog.Reading {
	reading := r.reference.Read(ctx, queues)
	if reading.Samples == nil {
		reading.Samples = map[backlog.Queue]backlog.Sample{}
	}
	var counted []backlog.Queue
	for _, q := range queues {
		if r.counted(q) {
			counted = append(counted, q)
		}
	}
	if len(counted) == 0 {
		return reading
	}
	counters, now, err := r.store.Read(ctx, names(counted))
	if err != nil {
		reading.Errors = append(reading.Errors, failure(err))
		return reading
	}
	counts := map[string]int64{}
	for _, q := range counted {
		c, exists := counters[Name(q)]
		if !exists {
			r.begin(ctx, q, &reading)
			continue
		}
		counts[Name(q)] = r.merge(ctx, q, c, now, &reading)
	}
	if err := r.store.Note(ctx, now, counts); err != nil {
		reading.Errors = append(reading.Errors, failure(err))
	}
	return reading
}

// begin creates a counter from the reference's figure, which stays this run's answer.
func (r *Reconciled) begin(ctx context.Context, q backlog.Queue, reading *backlog.Reading) {
	s, ok := reading.Samples[q]
	if !ok {
		return
	}
	if _, err := r.store.Create(ctx, Name(q), s.Undelivered); err != nil {
		reading.Errors = append(reading.Errors, failure(err))
	}
}

// merge puts the counter into the reading and answers with the count to note.
func (r *Reconciled) merge(ctx context.Context, q backlog.Queue, c Counter, now time.Time, reading *backlog.Reading) int64 {
	reference, sampled := reading.Samples[q]
	if sampled {
		c.Count -= r.correct(ctx, q, c, reference, reading)
	}
	if c.Count < 0 {
		reading.Drifts = append(reading.Drifts, backlog.Drift{Queue: q, At: now, Off: c.Count})
	}
	s := sample(c, now)
	s.Oldest, s.Flow = reference.Oldest, reference.Flow // counters don't know them
	reading.Samples[q] = s
	return c.Count
}

// correct mends a counter that is off, and answers with by how much it was.
func (r *Reconciled) correct(ctx context.Context, q backlog.Queue, c Counter, s backlog.Sample, reading *backlog.Reading) int64 {
	off := drift(c, s)
	if off == 0 {
		return 0
	}
	done, err := r.store.Correct(ctx, Name(q), -off, s.At)
	if err != nil {
		reading.Errors = append(reading.Errors, failure(err))
	}
	reading.Drifts = append(reading.Drifts, backlog.Drift{Queue: q, At: s.At, Off: off, Corrected: done})
	return off // also where another reader was faster: what was read is off all the same
}
