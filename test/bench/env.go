package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"onceway.internal/test/servers"
)

// project is whose everything is that the benches make.
const project = "demo-project"

// env is what the benches of one run share. It is used by one bench at a time.
type env struct {
	root     string // of the module
	dir      string // for what is built; removed at the end
	budget   time.Duration
	progress io.Writer
	versions map[string]string

	started map[string]*servers.Server
	closers []func() error
}

func newEnv(progress io.Writer) (*env, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	dir, err := os.MkdirTemp("", "onceway-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	return &env{
		root: filepath.Dir(strings.TrimSpace(string(mod))), dir: dir, progress: progress,
		versions: map[string]string{}, started: map[string]*servers.Server{},
	}, nil
}

// close stops what was started.
func (e *env) close() error {
	var errs []error
	for _, c := range e.closers {
		errs = append(errs, c())
	}
	for s := range maps.Values(e.started) {
		errs = append(errs, s.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(e.dir))...)
}

func (e *env) say(format string, args ...any) { fmt.Fprintf(e.progress, format+"\n", args...) }

// redis is the run's one Redis. Benches keep apart by prefixes.
func (e *env) redis(ctx context.Context) (*servers.Server, error) {
	return e.server(ctx, "redis", func(ctx context.Context) (*servers.Server, error) { return servers.StartRedis(ctx) })
}

func (e *env) postgres(ctx context.Context) (*servers.Server, error) {
	return e.server(ctx, "postgres", servers.StartPostgres)
}

// firestore is the run's one Firestore emulator, warmed.
func (e *env) firestore(ctx context.Context) (*servers.Server, error) {
	return e.server(ctx, "firestore", func(ctx context.Context) (*servers.Server, error) {
		s, err := servers.StartFirestore(ctx)
		if err != nil {
			return nil, err
		}
		if err := servers.WarmFirestore(ctx, s.Addr, project); err != nil {
			return nil, errors.Join(err, s.Stop())
		}
		return s, nil
	})
}

func (e *env) pubsub(ctx context.Context) (*servers.Server, error) {
	return e.server(ctx, "pubsub", servers.StartPubSub)
}

func (e *env) server(ctx context.Context, name string, start func(context.Context) (*servers.Server, error)) (*servers.Server, error) {
	if s := e.started[name]; s != nil {
		return s, nil
	}
	s, err := start(ctx)
	if err != nil {
		return nil, err
	}
	e.started[name] = s
	return s, nil
}

// build compiles packages of the module as infra/Dockerfile does, into a directory
// that goes with the run, and answers with that directory.
func (e *env) build(ctx context.Context, packages ...string) (string, error) {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", e.dir + string(filepath.Separator)}
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Dir, cmd.Env = e.root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", strings.Join(packages, " "), err, out)
	}
	return e.dir, nil
}
