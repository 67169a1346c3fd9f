// Command ctl is the operators' command line: groups and reservations, claims that need
// a person, dead letters, and what routing would do now. It works on the stores
// directly, with the caller's own credentials and the functions' own environment
// variables.
//
// It exits with 0 when all went well, 1 when something failed, 2 when the command
// line or the environment is wrong, 3 when a person said no, and 4 when the state does
// not admit what was asked.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"onceway.internal/functions/table"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/setting"
	"onceway.internal/shared/settle"
)

// Exit statuses.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitNo      = 3
	exitRefused = 4
)

type cli struct {
	Output string `short:"o" enum:"table,json" default:"table" help:"Print a table or JSON."`
	Yes    bool   `help:"Don't ask before changing anything."`
	Actor  string `var:"ONCEWAY_ACTOR" help:"Who is asking, for the audit log; required for changes ($ONCEWAY_ACTOR)."`
	Why    string `help:"Why, for the audit log."`
	remote

	Groups      groupsCmd      `cmd:"" help:"Show the groups: scores, backlogs, reservations."`
	Reserve     reserveCmd     `cmd:"" help:"Keep a group for customers."`
	Release     releaseCmd     `cmd:"" help:"End a reservation."`
	Drain       drainCmd       `cmd:"" help:"Let a group take no new campaigns."`
	Undrain     undrainCmd     `cmd:"" help:"Let a group take campaigns again."`
	Policy      policyCmd      `cmd:"" help:"Show or change how campaigns are routed, without a deployment."`
	Score       scoreCmd       `cmd:"" help:"Show what would be chosen now, and why."`
	Claims      claimsCmd      `cmd:"" help:"Look at claims and settle those that need a person."`
	Deadletters deadlettersCmd `cmd:"" help:"Look at dead letters, replay or drop them."`
	Latency     latencyCmd     `cmd:"" help:"Measure how far Cloud Monitoring lags here."`
	Doctor      doctorCmd      `cmd:"" help:"Check the live installation; each finding comes with its fix."`
	Config      configCmd      `cmd:"" help:"List the environment variables."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, lookup func(string) (string, bool), in io.Reader, out, errw io.Writer) int {
	var c cli
	status := -1
	parser, err := kong.New(&c, kong.Name("ctl"), kong.Description("Onceway's command line."),
		kong.Writers(out, errw), kong.Exit(func(code int) { status = code }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Resolvers(variables(lookup)))
	if err != nil {
		fmt.Fprintf(errw, "ctl: %v\n", err)
		return exitUsage
	}
	parsed, err := parser.Parse(args)
	if status >= 0 {
		return status // --help
	}
	if err != nil {
		fmt.Fprintf(errw, "ctl: %v (ctl --help shows the commands)\n", err)
		return exitUsage
	}
	t := &terminal{ctx: ctx, cli: &c, in: in, out: out, errw: errw, lookup: lookup}
	defer t.close()
	command := func() error { return parsed.Run(t) }
	if c.Server != "" {
		command = func() error { return t.viaServer(parsed.Command()) }
	}
	if err := command(); err != nil {
		fmt.Fprintf(errw, "ctl: %v\n", err)
		return exitStatus(err)
	}
	return 0
}

// variables fills flags that are not given from the variable in their tag var. Kong's
// own tag env would read the process's environment. As elsewhere, empty is unset.
func variables(lookup func(string) (string, bool)) kong.ResolverFunc {
	return func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		name := flag.Tag.Get("var")
		if v, ok := lookup(name); ok && name != "" && v != "" {
			return v, nil
		}
		return nil, nil
	}
}

// errUsage marks faults of the command line or the environment.
var errUsage = errors.New("usage")

// errNo says that a person did not confirm.
var errNo = errors.New("nothing was changed")

func exitStatus(err error) int {
	switch {
	case errors.Is(err, errUsage):
		return exitUsage
	case errors.Is(err, errNo):
		return exitNo
	}
	for _, refused := range []error{
		claim.ErrState, claim.ErrTooEarly, claim.ErrConflict, claim.ErrNotFound, letter.ErrNotFound,
		settle.ErrAlreadyDone, settle.ErrNoLetter, settle.ErrParked, settle.ErrNeedsKey, settle.ErrForgotten,
		groups.ErrUnknownGroup, groups.ErrReserved, groups.ErrNotReserved, groups.ErrInvalid, errNotDone,
	} {
		if errors.Is(err, refused) {
			return exitRefused
		}
	}
	return exitFailed
}

// terminal is what a command works with.
type terminal struct {
	ctx    context.Context
	cli    *cli
	in     io.Reader
	out    io.Writer
	errw   io.Writer
	lookup func(string) (string, bool)
	made   *table.App
}

// app reads the environment at the first command that needs it.
func (t *terminal) app() (*table.App, error) {
	if t.made != nil {
		return t.made, nil
	}
	c, err := setting.Load(t.ctx, t.lookup)
	if err != nil {
		return nil, fmt.Errorf("%w: environment:\n%w", errUsage, err)
	}
	var f setting.Faults
	c.CheckProcess(&f)
	c.CheckOnce(&f)
	c.CheckState(&f)
	f.Add(c.Store.Claims == setting.Memory, "ONCEWAY_CLAIMS", "memory is another process's alone: there is nothing to look at from here")
	if err := f.Err(); err != nil {
		return nil, fmt.Errorf("%w: environment:\n%w", errUsage, err)
	}
	t.made, err = table.NewApp(t.ctx, c, slog.New(slog.NewTextHandler(t.errw, &slog.HandlerOptions{Level: slog.LevelWarn})))
	return t.made, err
}

func (t *terminal) close() {
	if t.made != nil {
		if err := t.made.Close(); err != nil {
			fmt.Fprintf(t.errw, "ctl: close: %v\n", err)
		}
	}
}
