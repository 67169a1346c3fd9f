package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// powertoolsDir holds the program in JavaScript, below the module's root.
const powertoolsDir = "test/bench/peers/powertools"

// buildPeers compiles the programs in Go. Watermill stands in a module of its own,
// which shares only package load with ours.
func buildPeers(ctx context.Context, e *env) error {
	if _, err := e.build(ctx, "./test/bench/peers/ours"); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(e.dir, "watermill"), ".")
	cmd.Dir = filepath.Join(e.root, "test", "bench", "peers", "watermill")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build watermill: %w: %s", err, out)
	}
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", "github.com/ThreeDotsLabs/watermill")
	list.Dir, list.Env = cmd.Dir, cmd.Env
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("find watermill's version: %w", err)
	}
	e.versions["watermill"] = strings.TrimSpace(string(out))
	return nil
}

// install fetches the versions that dir's lock file pins, unless they are there.
func install(ctx context.Context, e *env, dir string) error {
	installed, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	lock, lockErr := os.Stat(filepath.Join(dir, "package-lock.json"))
	if lockErr != nil {
		return fmt.Errorf("install powertools: %w", lockErr)
	}
	if err != nil || installed.ModTime().Before(lock.ModTime()) {
		e.say("   npm ci")
		cmd := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("install powertools: %w: %s", err, out)
		}
	}
	for _, name := range []string{"@aws-lambda-powertools/idempotency", "@redis/client"} {
		if e.versions[name], err = npmVersion(filepath.Join(dir, "node_modules", name)); err != nil {
			return err
		}
	}
	return nil
}

func npmVersion(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var p struct {
		Version string `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return "", fmt.Errorf("read a package's version: %w", err)
	}
	return p.Version, nil
}

// validation tells how the peer's payload validation stands with a completed call,
// since that is why its comparison goes without.
func validation(ctx context.Context, e *env) error {
	redis, err := e.redis(ctx)
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "node", filepath.Join(e.root, powertoolsDir, "main.js"), redis.URL, "validation").Output()
	if err != nil {
		return fmt.Errorf("try powertools' payload validation: %w", err)
	}
	e.say("   Powertools with payload validation: %s", strings.TrimSpace(string(out)))
	return nil
}
