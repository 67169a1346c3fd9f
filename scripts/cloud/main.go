// Command cloud puts an installation into Google Cloud, by gcloud: it compares what is
// there with what infra/deploy.yaml and infra/groups.yaml say, and runs just the
// commands that are missing. scripts/provision, deploy, rollback and destroy are its
// doors; cloudbuild.yaml runs its release.
//
// It exits with 0 when all went well, 1 when something failed, 2 when the command line
// or a file is wrong, and 3 when a person said no.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"onceway.internal/shared/estate"
	"onceway.internal/shared/groups"
)

var (
	errUsage = errors.New("usage")
	errNo    = errors.New("nothing was changed")
)

type cli struct {
	Project string `env:"GOOGLE_CLOUD_PROJECT" help:"Project; gcloud's own setting where it is empty."`
	Deploy  string `default:"infra/deploy.yaml" help:"What is to stand there."`
	Groups  string `default:"infra/groups.yaml" help:"The distribution groups."`
	Infra   string `default:"infra" help:"Folder of run/ and monitoring/."`
	Jobs    int    `default:"4" help:"gcloud commands at once."`

	Provision provisionCmd `cmd:"" help:"Make what is missing, change what differs."`
	Destroy   destroyCmd   `cmd:"" help:"Remove everything that provision made; for test projects."`
	Submit    submitCmd    `cmd:"" help:"Build, release, and hook up what waited for the first release."`
	Release   releaseCmd   `cmd:"" help:"Deploy an image to every service, try it, then move traffic. Cloud Build runs this."`
	Rollback  rollbackCmd  `cmd:"" help:"Give traffic back to the revisions before."`
	Render    renderCmd    `cmd:"" help:"Write the files that are handed to gcloud."`
	Roles     rolesCmd     `cmd:"" help:"Print who may do what, as a Markdown table."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	var c cli
	status := -1
	parser, err := kong.New(&c, kong.Name("cloud"), kong.Writers(out, errw), kong.Exit(func(code int) { status = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintf(errw, "cloud: %v\n", err)
		return 2
	}
	parsed, err := parser.Parse(args)
	if status >= 0 {
		return status // --help
	}
	if err == nil {
		err = parsed.Run(&console{ctx: ctx, cli: &c, in: in, out: out, errw: errw})
	} else {
		err = fmt.Errorf("%w: %w", errUsage, err)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(errw, "cloud: %v\n", err)
	switch {
	case errors.Is(err, errUsage):
		return 2
	case errors.Is(err, errNo):
		return 3
	}
	return 1
}

// console is what a command works with.
type console struct {
	ctx  context.Context
	cli  *cli
	in   io.Reader
	out  io.Writer
	errw io.Writer
}

// gcloud finds out the project, and answers with the runner of commands in it.
func (c *console) gcloud() (*gcloud, error) {
	g := &gcloud{project: c.cli.Project}
	if g.project == "" {
		out, err := g.output(c.ctx, "config", "get-value", "project")
		if err != nil {
			return nil, err
		}
		if g.project = string(out); g.project == "" {
			return nil, fmt.Errorf("%w: no project: give --project, or run: gcloud config set project PROJECT", errUsage)
		}
	}
	return g, nil
}

// estate computes what is to stand in the project of g.
func (c *console) estate(number string, project string) (estate.Estate, error) {
	f, err := estate.Load(c.cli.Deploy)
	if err != nil {
		return estate.Estate{}, fmt.Errorf("%w: %w", errUsage, err)
	}
	gs, err := groups.Load(c.cli.Groups)
	if err != nil {
		return estate.Estate{}, fmt.Errorf("%w: %w", errUsage, err)
	}
	e, err := estate.New(c.ctx, f, gs, estate.Project{ID: project, Number: number})
	if err != nil {
		return e, fmt.Errorf("%w: %s: %w", errUsage, c.cli.Deploy, err)
	}
	return e, nil
}

// open is gcloud and the estate together.
func (c *console) open() (*gcloud, estate.Estate, error) {
	g, err := c.gcloud()
	if err != nil {
		return nil, estate.Estate{}, err
	}
	number, err := g.number(c.ctx)
	if err != nil {
		return nil, estate.Estate{}, err
	}
	e, err := c.estate(number, g.project)
	return g, e, err
}

type rolesCmd struct{}

// Run prints the table for a project of a made-up number: names are all it shows.
func (rolesCmd) Run(c *console) error {
	project := c.cli.Project
	if project == "" {
		project = "demo-project"
	}
	e, err := c.estate("123456789012", project)
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.out, e.Table())
	return err
}
