package explore

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"onceway.internal/shared/claim"
)

// storePort is the claim store as processes see it.
type storePort struct{ w *world }

func (s storePort) Create(_ context.Context, r claim.Record) (claim.Stored, error) {
	return s.write(opCreate, floating{create: true, record: r})
}

func (s storePort) Swap(_ context.Context, _, version string, r claim.Record) (claim.Stored, error) {
	return s.write(opSwap, floating{version: version, record: r})
}

// write is sent whatever the caller's context says: a request that is on its way
// arrives all the same.
func (s storePort) write(k opKind, f floating) (got claim.Stored, err error) {
	var h how
	f.by, h = s.w.ask(k)
	defer func() { f.by.owns = f.by.owns || h != goOn || !errors.Is(err, claim.ErrExists) }()
	switch h {
	case died:
		return claim.Stored{}, errDead
	case lost:
		return f.by.answered(claim.Stored{}, errOutside)
	case late:
		s.w.floating = append(s.w.floating, f)
		return f.by.answered(claim.Stored{}, errOutside)
	}
	got, err = s.w.commit(f.by, f.create, f.version, f.record)
	if h == lostAck {
		got, err = claim.Stored{}, errOutside
	}
	return f.by.answered(got, err)
}

func (s storePort) Get(ctx context.Context, id string) (claim.Stored, error) {
	p, h := s.w.ask(opGet)
	switch h {
	case died:
		return claim.Stored{}, errDead
	case lost:
		return p.answered(claim.Stored{}, errOutside)
	}
	return p.answered(s.w.store.Get(context.WithoutCancel(ctx), id))
}

// List stops only where what is read decides what is done.
func (s storePort) List(ctx context.Context, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
	if state == claim.Indeterminate || state == claim.Retry {
		p, h := s.w.ask(opList)
		switch h {
		case died:
			return nil, "", errDead
		case lost:
			p.sees(errOutside)
			return nil, "", errOutside
		}
	}
	records, next, err := s.w.store.List(ctx, state, page, limit)
	for _, r := range records {
		_, _ = s.w.cur.answered(r, nil)
	}
	s.w.cur.sees(err)
	return records, next, err
}

// answered remembers what the store told p.
func (p *proc) answered(s claim.Stored, err error) (claim.Stored, error) {
	p.hist = p.w.record(p.hist, s)
	if strings.HasPrefix(s.WriteID, p.name+".") {
		p.proved = s
	}
	p.sees(err)
	return s, err
}

// commit writes for good, and has it checked.
func (w *world) commit(p *proc, create bool, version string, r claim.Record) (got claim.Stored, err error) {
	ctx := context.Background()
	if create {
		got, err = w.store.Create(ctx, r)
	} else {
		got, err = w.store.Swap(ctx, r.ID, version, r)
	}
	if err != nil {
		return got, err
	}
	w.note(p.name + " writes " + string(got.State) + " in epoch " + strconv.FormatInt(got.Epoch, 10))
	w.written(p, w.rec, got)
	w.rec = &got
	// What floats can now only fail: it is gone.
	w.floating = slices.DeleteFunc(w.floating, func(f floating) bool { return f.create || f.version != got.Version })
	return got, nil
}
