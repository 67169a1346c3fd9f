package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/oauth2/google"

	"onceway.internal/shared/doctor"
	"onceway.internal/shared/estate"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/setting"
)

type doctorCmd struct {
	Deploy   string            `default:"infra/deploy.yaml" help:"What is to stand in the project."`
	Number   string            `help:"The project's number, where it may not be read."`
	Endpoint map[string]string `help:"Base URLs of APIs other than Google's own, as pubsub=http://HOST/v1/."`
	Timeout  time.Duration     `default:"2m" help:"Bounds all checks."`
}

// errSick makes ctl exit with 1; what is wrong was printed.
var errSick = errors.New("doctor found errors")

// Run prints a finding for each thing that is wrong, and a line for each check that
// found nothing or could not be made.
func (d *doctorCmd) Run(t *terminal) error {
	ctx, cancel := context.WithTimeout(t.ctx, d.Timeout)
	defer cancel()
	c, err := setting.Load(ctx, t.lookup)
	if err != nil {
		return fmt.Errorf("%w: environment:\n%w", errUsage, err)
	}
	f, err := estate.Load(d.Deploy)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	cloud, err := d.cloud(ctx, t.lookup, f.Region)
	if err != nil {
		return err
	}
	e, err := d.estate(ctx, f, c, cloud)
	if err != nil {
		return err
	}
	ask, end, err := askRedis(c.Store)
	if err != nil {
		return err
	}
	defer end()
	doc, err := doctor.New(doctor.Config{Estate: e, Cloud: cloud, Store: c.Store, Redis: ask, Now: time.Now})
	if err != nil {
		return err
	}
	found := doc.Examine(ctx)
	if err := t.print(found, func(w io.Writer) { findings(w, found) }); err != nil {
		return err
	}
	if doctor.Failed(found) {
		return errSick
	}
	return nil
}

func findings(w io.Writer, all []doctor.Finding) {
	row(w, "STATUS", "CHECK", "SUBJECT", "WHAT")
	for _, f := range all {
		row(w, f.Status, f.Check, orDash(f.Subject), f.What)
	}
	for _, f := range all {
		if f.Fix != "" {
			fmt.Fprintf(w, "\n# %s: %s\n%s\n", plain(f.Check), plain(f.Subject), plain(f.Fix))
		}
	}
}

// cloud reads Google's APIs with application credentials; an emulator, and endpoints
// that were given, get none, and then nothing else is asked.
func (d *doctorCmd) cloud(ctx context.Context, lookup func(string) (string, bool), region string) (*doctor.Cloud, error) {
	emulator, _ := lookup("PUBSUB_EMULATOR_HOST")
	if emulator == "" && len(d.Endpoint) == 0 {
		client, err := google.DefaultClient(ctx, "https://www.googleapis.com/auth/cloud-platform")
		if err != nil {
			return nil, fmt.Errorf("find credentials (gcloud auth application-default login gives some): %w", err)
		}
		return &doctor.Cloud{HTTP: client, Bases: doctor.Bases(region, "")}, nil
	}
	bases := map[doctor.API]string{}
	if emulator != "" {
		bases = doctor.Bases(region, emulator)
	}
	for name, base := range d.Endpoint {
		bases[doctor.API(name)] = base
	}
	return &doctor.Cloud{HTTP: http.DefaultClient, Bases: bases}, nil
}

func (d *doctorCmd) estate(ctx context.Context, f estate.File, c setting.Config, cloud *doctor.Cloud) (estate.Estate, error) {
	g, err := groups.Load(c.Routing.Groups)
	if err != nil {
		return estate.Estate{}, fmt.Errorf("%w: %w", errUsage, err)
	}
	p := estate.Project{ID: c.Process.Project, Number: d.Number}
	if p.Number == "" {
		if p.Number, err = cloud.Number(ctx, p.ID); err != nil {
			return estate.Estate{}, fmt.Errorf("find the project's number (--number gives it): %w", err)
		}
	}
	e, err := estate.New(ctx, f, g, p)
	if err != nil {
		return e, fmt.Errorf("%w: %s: %w", errUsage, d.Deploy, err)
	}
	return e, nil
}

var errRedisURL = errors.New("ONCEWAY_REDIS_URL: is not like redis://user:password@host:port/db")

// askRedis asks the Redis of the environment for sections of INFO; nil where none is set.
func askRedis(s setting.Store) (ask func(context.Context, string) (string, error), end func(), err error) {
	if s.Redis == "" {
		return nil, func() {}, nil
	}
	opts, err := redis.ParseURL(s.Redis.Reveal())
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errUsage, errRedisURL) // the parser's own error may repeat the password
	}
	client := redis.NewClient(opts)
	return func(ctx context.Context, section string) (string, error) {
		return client.Info(ctx, section).Result()
	}, func() { client.Close() }, nil
}
