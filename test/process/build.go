package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Binaries are the files that Build made.
type Binaries struct {
	Functions string // every function, chosen by FUNCTION_TARGET
	Worker    string // the pull-mode container
}

// Build compiles the binaries into dir, with the race detector where race is set.
// It finds the module from the working directory.
func Build(ctx context.Context, dir string, race bool) (Binaries, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return Binaries{}, fmt.Errorf("find the module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	if race {
		args = append(args, "-race")
	}
	build := exec.CommandContext(ctx, "go", append(args, "./functions", "./functions/worker")...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return Binaries{}, fmt.Errorf("build the binaries: %w", errors.Join(err, errors.New(string(out))))
	}
	return Binaries{Functions: filepath.Join(dir, "functions"), Worker: filepath.Join(dir, "worker")}, nil
}
