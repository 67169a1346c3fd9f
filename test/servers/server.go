package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

const (
	startWithin = 60 * time.Second // JVMs and initdb on a busy machine
	stopWithin  = 5 * time.Second  // then the group is killed
	pollEvery   = 20 * time.Millisecond
	portTries   = 3 // a free port can be taken before the server binds it
)

// Server is a running server.
type Server struct {
	// Addr is host:port. URL is what clients of Redis and PostgreSQL take, else empty.
	Addr string
	URL  string

	cmd  *exec.Cmd
	out  *tail
	done chan struct{} // closed when the process was reaped
	dirs []string      // removed on Stop
	stop syscall.Signal
}

// spec says how to start one kind of server.
type spec struct {
	name  string
	stop  syscall.Signal // what asks it to end quickly
	cmd   func(port string) *exec.Cmd
	url   func(addr string) string                     // nil: no URL
	ready func(ctx context.Context, addr string) error // nil error: it serves
	dirs  []string
}

// PID is the process ID of the server, and the ID of its process group.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Stop ends the server's process group, waits until it is reaped and removes
// its files. Stopping again is harmless.
func (s *Server) Stop() error {
	_ = syscall.Kill(-s.PID(), s.stop) // an error means that it is gone already
	select {
	case <-s.done:
	case <-time.After(stopWithin):
	}
	_ = syscall.Kill(-s.PID(), syscall.SIGKILL) // also what the first process left behind
	<-s.done
	return removeAll(s.dirs)
}

// start runs the server and waits until it serves, on another port if it ends at once.
func start(ctx context.Context, sp spec) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	var err error
	for range portTries {
		var s *Server
		if s, err = startOnce(ctx, sp); err == nil {
			return s, nil
		}
		if ctx.Err() != nil || !errors.Is(err, errEnded) {
			break
		}
	}
	return nil, errors.Join(fmt.Errorf("start %s: %w", sp.name, err), removeAll(sp.dirs))
}

var errEnded = errors.New("it ended before it served")

func startOnce(ctx context.Context, sp spec) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: net.JoinHostPort("127.0.0.1", port), cmd: sp.cmd(port), stop: sp.stop,
		out: &tail{}, done: make(chan struct{})}
	if sp.url != nil {
		s.URL = sp.url(s.Addr)
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	if err := s.await(ctx, sp.ready); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	s.dirs = sp.dirs
	return s, nil
}

// run starts the process and reaps it. The kernel's parent-death signal follows
// the thread that started the process, so that thread is kept for as long.
func (s *Server) run() error {
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.cmd.WaitDelay = time.Second // a grandchild may hold the pipe open
	if s.cmd.SysProcAttr == nil {
		s.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	s.cmd.SysProcAttr.Setpgid = true
	s.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if s.stop == syscall.SIGQUIT { // a killed postmaster would leave its children to find out
		s.cmd.SysProcAttr.Pdeathsig = s.stop
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			_ = s.cmd.Wait() // how it ended shows in its output
			close(s.done)
		}
	}()
	return <-started
}

func (s *Server) await(ctx context.Context, ready func(context.Context, string) error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := ready(ctx, s.Addr)
		if err == nil {
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("%w: %s", errEnded, s.out)
		case <-ctx.Done():
			return fmt.Errorf("not ready (%w): %w: %s", err, ctx.Err(), s.out)
		case <-tick.C:
		}
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

func removeAll(dirs []string) error {
	var errs []error
	for _, d := range dirs {
		errs = append(errs, os.RemoveAll(d))
	}
	return errors.Join(errs...)
}
