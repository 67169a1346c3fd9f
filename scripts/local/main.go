package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

var errNotOK = errors.New("an event acted twice or was lost")

func main() {
	err := realMain(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "run: %v\n", err)
		os.Exit(1)
	}
}

func realMain(ctx context.Context, args []string, stdout, stderr *os.File) (err error) {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "onceway-run-")
	if err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	logs, err := os.Create(filepath.Join(dir, "onceway.log"))
	if err != nil {
		return fmt.Errorf("make the log: %w", err)
	}
	defer func() { _ = logs.Close() }()
	progress := stdout
	if c.json {
		progress = stderr
	}
	say := func(format string, args ...any) { fmt.Fprintf(progress, format+"\n", args...) }
	out, err := run(ctx, c, dir, logs, progress, say)
	if err != nil {
		return fmt.Errorf("%w (onceway's log: %s)", err, logs.Name())
	}
	if c.json {
		for _, name := range out.worst {
			say("wrong: %s", name)
		}
		err = out.writeJSON(stdout)
	} else {
		out.write(stdout)
	}
	if !out.OK {
		return fmt.Errorf("%w (onceway's log: %s)", errors.Join(err, errNotOK), logs.Name())
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// run sets the stage, plays, and clears up whatever came of it.
func run(ctx context.Context, c config, dir string, logs io.Writer, progress *os.File, say func(string, ...any)) (out *outcome, err error) {
	s, err := set(ctx, c, dir, logs, say)
	defer func() {
		if cerr := s.close(); err == nil && cerr != nil {
			err = fmt.Errorf("clear up: %w", cerr)
		}
	}()
	if err != nil {
		return nil, err
	}
	say("console: %s/", trimSlash(s.host.endpoint("Console")))
	say("running: %v of traffic; one worker will be lost on the way", c.duration)
	show := &screen{out: progress, terminal: isTerminal(progress) && !c.json, stage: s}
	return s.play(ctx, show.show(ctx))
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" && f.Name() != os.DevNull
}
