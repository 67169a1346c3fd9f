package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"onceway.internal/test/process"
)

const (
	startLimit = 30 * time.Second
	startPoll  = 200 * time.Microsecond
)

var errNoAnswer = errors.New("it does not answer")

// start runs the program until its first answer, and kills it.
func (p program) start(ctx context.Context, dir string) (s start, err error) {
	addr, err := process.FreeAddr()
	if err != nil {
		return start{}, err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return start{}, err
	}
	cmd := exec.CommandContext(ctx, p.binary)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PORT="+port)
	for k, v := range p.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return start{}, err
	}
	defer func() {
		_ = cmd.Process.Kill() // an error means that it is gone already
		_ = cmd.Wait()         // killed: how it ended is known
	}()
	if err := answered(ctx, addr, p.ask); err != nil {
		return start{}, err
	}
	s.took = time.Since(began)
	s.memory, s.own, err = resident(cmd.Process.Pid)
	return s, err
}

// answered asks as soon as somebody listens.
func answered(ctx context.Context, addr string, ask []byte) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		w, err := dial(addr)
		if err == nil {
			status, err := w.exchange(ask)
			_ = w.close() // it was asked once
			if err == nil && status/100 != 2 && status/100 != 3 {
				err = fmt.Errorf("it answers %d", status)
			}
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", errNoAnswer, errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

// resident is how many KiB of a process are in memory, and how many of those are its
// own: the others are pages of its file, which the kernel may drop.
func resident(pid int) (all, own int, err error) {
	kib := func(name string) int {
		text := field("/proc/"+strconv.Itoa(pid)+"/status", name)
		n, nerr := strconv.Atoi(strings.TrimSuffix(text, " kB"))
		if nerr != nil {
			err = fmt.Errorf("read memory of the process: %w", nerr)
		}
		return n
	}
	all, own = kib("VmRSS"), kib("RssAnon")
	return all, own, err
}
