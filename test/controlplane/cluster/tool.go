package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
)

// Tool is the path of a Go tool that the suites build once for each version, outside
// the checkout. dir has the go.mod that pins the module it is of.
func Tool(name, dir, module string) (string, error) {
	version, err := pinned(dir, module)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "onceway", "bin", name+"-"+version+"-"+runtime.Version())
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s %s is missing: run scripts/test control-plane, which builds it once", name, version)
	}
	return path, nil
}

// Root is the checkout that the test runs in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "test", "controlplane", "binaries", "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not within a checkout")
		}
		dir = parent
	}
}

// pinned is the version of a module that a go.mod requires.
func pinned(dir, module string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`(?m)^(?:require)?\s*` + regexp.QuoteMeta(module) + ` (v\S+)`).FindSubmatch(data)
	if m == nil {
		return "", fmt.Errorf("%s/go.mod does not require %s", dir, module)
	}
	return string(m[1]), nil
}
