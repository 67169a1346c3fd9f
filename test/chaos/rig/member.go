package rig

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"onceway.internal/test/process"
)

// stopWithin is what a worker gets to end by itself after SIGTERM.
const stopWithin = 20 * time.Second

// Member is one replica, whichever process it is just now.
type Member struct {
	name    string
	start   func() (*process.Process, error)
	metrics string // address

	mu      sync.Mutex
	process *process.Process
}

func (r *Rig) member(ctx context.Context, p Policy, n int) (*Member, error) {
	addr, err := process.FreeAddr()
	if err != nil {
		return nil, err
	}
	m := &Member{name: fmt.Sprintf("%s-%d", p, n), metrics: addr}
	env := maps.Clone(r.setup.environment(p, r.service.URL, r.tap.Addr(), addr))
	m.start = func() (*process.Process, error) {
		return process.Start(m.name, r.setup.Worker, env, r.setup.Log)
	}
	if m.process, err = m.start(); err != nil {
		return nil, err
	}
	if err := m.process.AwaitHTTP(ctx, m.url()); err != nil {
		m.process.Kill()
		return nil, err
	}
	return m, nil
}

func (m *Member) url() string { return "http://" + m.metrics + "/metrics" }

// again ends the process by end, starts another and waits until that one serves: on a
// busy machine nobody would be left to do any work otherwise. The process must be
// running: one that ended by itself is a fault.
func (m *Member) again(ctx context.Context, end func(*process.Process) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.process.Done():
		return fmt.Errorf("%s had ended by itself", m.name)
	default:
	}
	if err := end(m.process); err != nil {
		return err
	}
	var err error
	if m.process, err = m.start(); err != nil {
		return err
	}
	if err := m.process.AwaitHTTP(ctx, m.url()); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func (m *Member) stop() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.process.Stop(stopWithin)
}

// KillEach kills one member after the other with SIGKILL, one each period, and
// starts it again, until ctx ends. Never is more than one member down.
func (r *Rig) KillEach(ctx context.Context, every time.Duration) error {
	return r.each(ctx, every, r.members, func(m *Member) error {
		r.mu.Lock()
		r.kills++
		r.mu.Unlock()
		return m.again(ctx, func(p *process.Process) error { p.Kill(); return nil })
	})
}

// RollEach asks one member after the other to end with SIGTERM and starts it again,
// but for the first of each policy, until ctx ends.
func (r *Rig) RollEach(ctx context.Context, every time.Duration) error {
	var rolled []*Member
	for n := range r.setup.Replicas - 1 {
		for p := range policies {
			rolled = append(rolled, r.members[p*r.setup.Replicas+n+1])
		}
	}
	return r.each(ctx, every, rolled, func(m *Member) error {
		return m.again(ctx, func(p *process.Process) error { return p.Stop(stopWithin) })
	})
}

func (r *Rig) each(ctx context.Context, every time.Duration, members []*Member, do func(*Member) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := do(members[n%len(members)]); err != nil {
			return err
		}
	}
}
