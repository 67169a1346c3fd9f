package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sync/errgroup"

	"onceway.internal/shared/estate"
)

type releaseCmd struct {
	Image     string   `help:"Image by digest, as HOST/PROJECT/REPOSITORY/onceway@sha256:…"`
	ImageFile string   `help:"File that holds the image by digest."`
	Service   []string `help:"Only these services."`
	NoTraffic bool     `help:"Leave traffic where it is."`
}

var byDigest = regexp.MustCompile(`^[a-z0-9./_-]+@sha256:[0-9a-f]{64}$`)

func (r releaseCmd) image() (string, error) {
	image := r.Image
	if r.ImageFile != "" {
		data, err := os.ReadFile(r.ImageFile)
		if err != nil {
			return "", fmt.Errorf("read image: %w", err)
		}
		image = strings.TrimSpace(string(data))
	}
	if !byDigest.MatchString(image) {
		return "", fmt.Errorf("%w: image %q is not given by digest: a tag may mean another image tomorrow", errUsage, image)
	}
	return image, nil
}

// Run deploys to every service first, tries every new revision next, and moves traffic
// only when all of them are sound.
func (r releaseCmd) Run(c *console) error {
	image, err := r.image()
	if err != nil {
		return err
	}
	g, e, err := c.open()
	if err != nil {
		return err
	}
	services, err := chosen(e, r.Service)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "onceway-run-")
	if err != nil {
		return fmt.Errorf("make a folder for rendered files: %w", err)
	}
	defer os.RemoveAll(dir)
	made := make([]rollout, len(services))
	err = c.each(len(services), func(ctx context.Context, i int) (err error) {
		made[i], err = c.deploy(ctx, g, e, services[i], image, dir)
		return err
	})
	if err != nil {
		return fmt.Errorf("deploy (traffic is where it was): %w", err)
	}
	if err := c.each(len(made), func(ctx context.Context, i int) error { return c.try(ctx, g, made[i]) }); err != nil {
		return fmt.Errorf("try new revisions (traffic is where it was): %w", err)
	}
	if r.NoTraffic {
		return nil
	}
	return c.each(len(made), func(ctx context.Context, i int) error { return c.move(ctx, g, e, made[i]) })
}

// chosen are the services of these names, or all.
func chosen(e estate.Estate, names []string) ([]estate.Service, error) {
	if len(names) == 0 {
		return e.Services, nil
	}
	var out []estate.Service
	for _, n := range names {
		s, ok := e.Service(n)
		if !ok {
			return nil, fmt.Errorf("%w: there is no service %q", errUsage, n)
		}
		out = append(out, s)
	}
	return out, nil
}

// each does n things, several at once; every error is told.
func (c *console) each(n int, do func(ctx context.Context, i int) error) error {
	var group errgroup.Group
	group.SetLimit(c.cli.Jobs)
	errs := make([]error, n)
	for i := range n {
		group.Go(func() error { errs[i] = do(c.ctx, i); return nil })
	}
	_ = group.Wait() // none answers an error: they are in errs
	return errors.Join(errs...)
}

// rollout is a revision on its way.
type rollout struct {
	service  estate.Service
	revision string
	before   string // revision that has the traffic; "" for the first
	try      string // URL of the candidate
}

func (c *console) deploy(ctx context.Context, g *gcloud, e estate.Estate, s estate.Service, image, dir string) (rollout, error) {
	live, err := g.service(ctx, e, s.Name)
	if err != nil {
		return rollout{}, err
	}
	text, revision, err := renderService(c.cli.Infra, e, s, image, live.shares())
	if err != nil {
		return rollout{}, err
	}
	r := rollout{service: s, revision: revision, before: live.serving()}
	if r.before == revision {
		fmt.Fprintf(c.out, "%s serves %s already\n", s.Name, revision)
		return r, nil
	}
	path := filepath.Join(dir, s.Name+".yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return r, fmt.Errorf("write %s: %w", path, err)
	}
	if _, err := g.output(ctx, "run", "services", "replace", path, "--region="+e.File.Region, "--project="+g.project, "--quiet"); err != nil {
		return r, err
	}
	if live, err = g.service(ctx, e, s.Name); err != nil {
		return r, err
	}
	if r.try = live.url(tagCandidate); r.try == "" {
		return r, fmt.Errorf("%s has no revision tagged %s", s.Name, tagCandidate)
	}
	fmt.Fprintf(c.out, "deployed %s without traffic\n", revision)
	return r, nil
}

// move gives the candidate all traffic and keeps the way back.
func (c *console) move(ctx context.Context, g *gcloud, e estate.Estate, r rollout) error {
	if r.before == "" || r.before == r.revision {
		return nil
	}
	if err := g.shift(ctx, e, r.service.Name, r.revision, r.before); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s has the traffic of %s\n", r.revision, r.service.Name)
	return nil
}

// shift moves all traffic and tags what had it before.
func (g *gcloud) shift(ctx context.Context, e estate.Estate, service, to, from string) error {
	_, err := g.output(ctx, "run", "services", "update-traffic", service, "--to-revisions="+to+"=100",
		"--update-tags="+tagPrevious+"="+from, "--region="+e.File.Region, "--project="+g.project, "--quiet")
	return err
}
