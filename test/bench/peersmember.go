package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"onceway.internal/test/bench/peers/load"
)

// member is one process that obeys package load's orders, one at a time.
type member struct {
	name    peerName
	cmd     *exec.Cmd
	in      io.Closer
	orders  *json.Encoder
	reports *json.Decoder
	turn    int
}

func hire(name peerName, cmd *exec.Cmd) (*member, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return &member{name: name, cmd: cmd, in: in, orders: json.NewEncoder(in), reports: json.NewDecoder(out)}, nil
}

// obey passes an order on. A report with a fault is an error.
func (m *member) obey(_ context.Context, o load.Order) (load.Report, error) {
	m.turn++
	o.Space = fmt.Sprintf("%d-%d", m.cmd.Process.Pid, m.turn)
	var r load.Report
	if err := errors.Join(m.orders.Encode(o), m.reports.Decode(&r)); err != nil {
		return r, fmt.Errorf("ask %s: %w", m.name, err)
	}
	if r.Fault != "" {
		return r, fmt.Errorf("%s does not run events once: %s", m.name, r.Fault)
	}
	return r, nil
}

// dismiss lets the process end, and waits for it.
func (m *member) dismiss() error {
	err := m.in.Close()
	return errors.Join(err, m.cmd.Wait())
}

// stint is a member's turns in one comparison.
type stint struct {
	m     *member
	calls int
	used  time.Duration
}

func (s *stint) side(kind string, parallel int) side {
	return side{name: string(s.m.name), run: func(ctx context.Context, d time.Duration) (round, error) {
		r, err := s.m.obey(ctx, load.Order{Kind: kind, Parallel: parallel, Millis: int(d.Milliseconds())})
		if err != nil {
			return round{}, err
		}
		s.calls += r.Calls
		s.used += seconds(r.CPU)
		out := round{Count: r.Calls, Took: seconds(r.Seconds)}
		for _, micros := range r.Latency {
			out.Latency = append(out.Latency, seconds(micros/1e6))
		}
		return out, nil
	}}
}

// cpu is what a call cost the member's process.
func (s *stint) cpu() time.Duration { return short(s.used / time.Duration(max(s.calls, 1))) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
