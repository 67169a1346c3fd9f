package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// gcloud runs commands in one project. It is safe for concurrent use.
type gcloud struct{ project string }

// output runs a command without the project and answers with its output, trimmed.
func (g *gcloud) output(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "gcloud", args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", shown(args), err, strings.TrimSpace(errs.String()))
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// read runs a command that answers JSON.
func (g *gcloud) read(ctx context.Context, to any, args ...string) error {
	return g.readIn(ctx, to, append(args, "--project="+g.project)...)
}

// readIn is read for a command that names its project itself.
func (g *gcloud) readIn(ctx context.Context, to any, args ...string) error {
	out, err := g.output(ctx, append(args, "--format=json")...)
	if err != nil {
		return err
	}
	if len(out) == 0 {
		return nil
	}
	if err := json.Unmarshal(out, to); err != nil {
		return fmt.Errorf("%s: read its JSON: %w", shown(args), err)
	}
	return nil
}

func (g *gcloud) number(ctx context.Context) (string, error) {
	var p struct{ ProjectNumber string }
	out, err := g.output(ctx, "projects", "describe", g.project, "--format=json")
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err == nil && p.ProjectNumber == "" {
		err = fmt.Errorf("project %s has no number", g.project)
	}
	return p.ProjectNumber, err
}

// shown is a command as it can be pasted into a shell.
func shown(args []string) string {
	words := []string{"gcloud"}
	for _, a := range args {
		words = append(words, quoted(a))
	}
	return strings.Join(words, " ")
}

const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:@,+%"

func quoted(s string) string {
	if s != "" && strings.Trim(s, plainWord) == "" {
		return s
	}
	flag, value, ok := strings.Cut(s, "=")
	if ok && strings.HasPrefix(flag, "--") && strings.Trim(flag, plainWord) == "" {
		return flag + "=" + quoted(value)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// attached runs a command that takes long, with its output passed on.
func (g *gcloud) attached(ctx context.Context, out, errw io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "gcloud", args...)
	cmd.Stdout, cmd.Stderr = out, errw
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", shown(args), err)
	}
	return nil
}
