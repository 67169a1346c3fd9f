package redisclaim

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// slack is how much longer than the first's a passenger's time may be: all end with
// the first's.
const slack = 100 * time.Millisecond

// convoy sends what several callers ask for at one moment in one write, and reads
// the answers in one read: in a busy process, most of what a call costs is the
// system's. Nobody waits for company. Who is first yields the processor once, if
// others are on their way; those that were about to run come along, and the rest
// follow on other connections. Each script stays atomic by itself.
//
// The client has an automatic pipeliner too. It is marked experimental, keeps one
// batch on its way at a time, behind whose time-out all others wait, and a call does
// not end with its context there: a heartbeat must.
type convoy struct {
	client redis.UniversalClient

	mu      sync.Mutex
	calling int // callers in run
	waiting []*passenger
}

// passenger is one call of a script.
type passenger struct {
	script   *redis.Script
	keys     []string
	args     []any
	deadline time.Time // zero is none

	done   chan struct{} // closed when the rest is set
	answer any
	err    error
}

// run calls a script. Where ctx ends before the answer is there, the call may still
// happen, as one whose answer was lost.
func (c *convoy) run(ctx context.Context, script *redis.Script, keys []string, args ...any) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &passenger{script: script, keys: keys, args: args, done: make(chan struct{})}
	p.deadline, _ = ctx.Deadline()
	first, rides := c.join(p)
	defer c.arrive()
	switch {
	case first:
		c.send(ctx, c.gather())
	case !rides:
		p.alone(ctx, c.client)
	}
	select {
	case <-p.done:
		return p.answer, p.err
	default:
	}
	select {
	case <-p.done:
		return p.answer, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// join says whether p is the first to wait, and so sends for all; else whether it
// rides with the first.
func (c *convoy) join(p *passenger) (first, rides bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calling++
	first = len(c.waiting) == 0
	rides = first || !p.outlasts(c.waiting[0])
	if rides {
		c.waiting = append(c.waiting, p)
	}
	return first, rides
}

// gather answers with all who wait, after those had a chance who are on their way.
func (c *convoy) gather() []*passenger {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calling > 1 {
		c.mu.Unlock()
		runtime.Gosched()
		c.mu.Lock()
	}
	all := c.waiting
	c.waiting = nil
	return all
}

func (c *convoy) arrive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calling--
}

// outlasts reports whether p has more time than to travel with first.
func (p *passenger) outlasts(first *passenger) bool {
	if first.deadline.IsZero() {
		return false
	}
	return p.deadline.IsZero() || p.deadline.Sub(first.deadline) > slack
}

// send is the first's: its deadline holds for all, its cancelling for nobody.
func (c *convoy) send(ctx context.Context, all []*passenger) {
	if len(all) == 1 {
		all[0].alone(ctx, c.client)
		return
	}
	end, ends := ctx.Deadline()
	ctx = context.WithoutCancel(ctx)
	if ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	cmds := make([]*redis.Cmd, len(all))
	_, _ = c.client.Pipelined(ctx, func(pipe redis.Pipeliner) error { // each command has its own error
		for i, p := range all {
			cmds[i] = pipe.EvalSha(ctx, p.script.Hash(), p.keys, p.args...)
		}
		return nil
	})
	for i, p := range all {
		if redis.HasErrorPrefix(cmds[i].Err(), "NOSCRIPT") {
			p.alone(ctx, c.client)
			continue
		}
		p.answer, p.err = cmds[i].Result()
		close(p.done)
	}
}

// alone also sends the script's text, where the server has forgotten it.
func (p *passenger) alone(ctx context.Context, client redis.UniversalClient) {
	p.answer, p.err = p.script.Run(ctx, client, p.keys, p.args...).Result()
	close(p.done)
}
