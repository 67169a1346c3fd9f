package servers

import (
	"context"
	"os/exec"
	"syscall"
)

// Command is a server that this package has no function for.
type Command struct {
	Name string
	// Cmd makes the process that listens on that port of 127.0.0.1.
	Cmd func(port string) *exec.Cmd
	// Ready answers nil when the server at addr (host:port) serves.
	Ready func(ctx context.Context, addr string) error
}

// StartCommand starts a server on a free port. Stop kills it without asking first.
func StartCommand(ctx context.Context, c Command) (*Server, error) {
	return start(ctx, spec{name: c.Name, stop: syscall.SIGKILL, cmd: c.Cmd, ready: c.Ready})
}
