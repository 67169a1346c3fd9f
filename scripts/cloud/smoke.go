package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// trying bounds one try of a revision: a cold start and an answer.
const trying = 60 * time.Second

// try sends a candidate the request that changes nothing, as whoever gcloud is.
func (c *console) try(ctx context.Context, g *gcloud, r rollout) error {
	if r.try == "" {
		return nil // it serves already
	}
	token, err := g.token(ctx, r.service.URL)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, trying)
	defer cancel()
	s := r.service.Smoke
	req, err := http.NewRequestWithContext(ctx, s.Method, strings.TrimSuffix(r.try, "/")+s.Path, strings.NewReader(""))
	if err != nil {
		return fmt.Errorf("try %s: %w", r.revision, err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("try %s: %w", r.revision, err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)) // the status is the answer
	if !slices.Contains(s.Status, res.StatusCode) {
		return fmt.Errorf("try %s: %s %s answered %s, a sound one answers %v; see its log: gcloud logging read 'resource.labels.revision_name=%q' --limit=20 --project=%s",
			r.revision, s.Method, s.Path, res.Status, s.Status, r.revision, g.project)
	}
	fmt.Fprintf(c.out, "%s answers as it should\n", r.revision)
	return nil
}

// token is an identity token that a service accepts. A service account's must name the
// service; a person's can't, and is accepted anyway.
func (g *gcloud) token(ctx context.Context, audience string) (string, error) {
	account, err := g.output(ctx, "config", "get-value", "account")
	if err != nil {
		return "", err
	}
	args := []string{"auth", "print-identity-token"}
	if strings.HasSuffix(string(account), ".gserviceaccount.com") {
		args = append(args, "--audiences="+audience)
	}
	token, err := g.output(ctx, args...)
	return string(token), err
}
