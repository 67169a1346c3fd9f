package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// flags are scripts/bench's.
type flags struct {
	Names    []string      `arg:"" optional:"" name:"name" help:"Benches to run; all when none is named."`
	JSON     bool          `help:"Print JSON instead of a table. A figure without a goal has goal, bound and met null."`
	Markdown bool          `help:"Print the table as it stands in test/bench/RESULTS.md."`
	Write    bool          `help:"Write the table into test/bench/RESULTS.md."`
	For      time.Duration `help:"Measure that long altogether, instead of each bench's own time."`
	Strict   bool          `help:"Exit with 1 when a goal is missed."`
	Needs    bool          `hidden:"" help:"Print what the benches need, and run nothing."`
}

var (
	errUsage  = errors.New("wrong arguments")
	errMissed = errors.New("a goal is missed")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := realMain(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "bench: %v\n", err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func realMain(ctx context.Context, args []string, out, progress io.Writer) error {
	var f flags
	parser, err := kong.New(&f, kong.Name("scripts/bench"), kong.Description(about()), kong.Writers(out, progress))
	if err != nil {
		return fmt.Errorf("read flags: %w", err)
	}
	if _, err := parser.Parse(args); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	list, unknown := chosen(f.Names)
	if unknown != "" {
		return fmt.Errorf("%w: there is no bench %q, but\n%s", errUsage, unknown, listed())
	}
	if f.Needs {
		for _, b := range list {
			fmt.Fprintln(out, strings.Join(b.needs, "\n"))
		}
		return nil
	}
	r, err := runAll(ctx, list, f.For, progress)
	r.Command = strings.TrimSpace("scripts/bench " + strings.Join(args, " "))
	return errors.Join(err, f.deliver(r, out))
}

// deliver prints the report as the flags say.
func (f flags) deliver(r report, out io.Writer) error {
	switch {
	case f.JSON:
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("print results: %w", err)
		}
	case f.Markdown:
		r.markdown(out)
	default:
		r.table(out)
	}
	if f.Write {
		if err := r.write(filepath.Join("test", "bench", "RESULTS.md")); err != nil {
			return err
		}
	}
	if f.Strict && len(r.missed()) > 0 {
		return errMissed
	}
	return nil
}

// runAll runs the benches one after another. One that fails keeps no other from running.
func runAll(ctx context.Context, list []bench, whole time.Duration, progress io.Writer) (r report, err error) {
	began := time.Now()
	e, err := newEnv(progress)
	if err != nil {
		return report{}, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	r.Machine = thisMachine()
	var failed []error
	for _, b := range list {
		e.budget = share(b, list, whole)
		e.say("== %s: %s (%s)", b.name, b.about, e.budget.Round(time.Second))
		figures, err := b.run(ctx, e)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", b.name, err))
		}
		r.Figures = append(r.Figures, figures...)
	}
	r.Versions = e.versioned()
	r.Took = time.Since(began).Round(time.Second).String()
	return r, errors.Join(failed...)
}

// share is a bench's part of the whole time, or its own budget.
func share(b bench, list []bench, whole time.Duration) time.Duration {
	if whole == 0 {
		return b.budget
	}
	var sum time.Duration
	for _, o := range list {
		sum += o.budget
	}
	return time.Duration(float64(whole) * float64(b.budget) / float64(max(sum, 1)))
}

func about() string {
	return "Measures what Onceway costs, side by side with what it is compared to, and prints ratios. " +
		"With all benches it takes ten minutes. It exits with 1 when a bench could not run; " +
		"a missed goal is named in the last line.\n\nBenches:\n" + listed()
}

func listed() string {
	var b strings.Builder
	for _, row := range benches() {
		fmt.Fprintf(&b, "  %-8s %s\n", row.name, row.about)
	}
	return b.String()
}
