package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// StartRedis starts Debian's redis-server without persistence. args go at the
// end of its command line, such as "--requirepass", "…".
func StartRedis(ctx context.Context, args ...string) (*Server, error) {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errors.New("start Redis: redis-server is missing: apt-get install redis-server")
	}
	dir, err := os.MkdirTemp("", "onceway-redis-")
	if err != nil {
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	return start(ctx, spec{
		name: "Redis",
		stop: syscall.SIGTERM,
		dirs: []string{dir},
		cmd: func(port string) *exec.Cmd {
			return exec.Command(bin, append([]string{"--bind", "127.0.0.1", "--port", port,
				"--dir", dir, "--save", "", "--appendonly", "no"}, args...)...)
		},
		url:   func(addr string) string { return "redis://" + addr + "/0" },
		ready: answersPing,
	})
}

// answersPing accepts an error reply too: a server that asks for a password serves.
func answersPing(ctx context.Context, addr string) error {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "PING\r\n"); err != nil {
		return err
	}
	_, err = io.ReadFull(conn, make([]byte, 1))
	return err
}
