package main

import (
	"fmt"
	"strings"

	"onceway.internal/shared/estate"
)

type submitCmd struct {
	Suites string `default:"unit" help:"Test suites that the build runs first."`
	DryRun bool   `help:"Print the command of the build."`
}

// buildArgs submits the checkout to Cloud Build.
func buildArgs(e estate.Estate, suites string) []string {
	return []string{
		"builds", "submit", ".", "--config=cloudbuild.yaml", "--region=" + e.File.Region,
		"--gcs-source-staging-dir=gs://" + e.Bucket() + "/source",
		"--service-account=projects/" + e.Project.ID + "/serviceAccounts/" + e.Builder(),
		"--substitutions=_REGION=" + e.File.Region + ",_REPOSITORY=" + e.File.Repository + ",_SUITES=" + suites,
		"--project=" + e.Project.ID,
	}
}

// Run builds and releases by Cloud Build, which may deploy but not give roles; what
// waited for the first release (subscriptions that push, jobs, invokers) is then hooked
// up with the caller's own rights.
func (s submitCmd) Run(c *console) error {
	g, e, err := c.open()
	if err != nil {
		return err
	}
	args := buildArgs(e, strings.ReplaceAll(s.Suites, ",", " "))
	if s.DryRun {
		fmt.Fprintln(c.out, shown(args))
		return nil
	}
	if err := g.attached(c.ctx, c.out, c.errw, args...); err != nil {
		return err
	}
	return provisionCmd{NoGroups: true}.Run(c)
}
