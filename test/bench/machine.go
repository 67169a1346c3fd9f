package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// machine is what the figures were taken on. Load is what it did besides, before.
type machine struct {
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Memory    string `json:"memory"`
	System    string `json:"system"`
	Load      string `json:"load"`
}

func thisMachine() machine {
	m := machine{Cores: runtime.NumCPU(), Processor: field("/proc/cpuinfo", "model name"), Memory: field("/proc/meminfo", "MemTotal")}
	m.System = runtime.GOOS + "/" + runtime.GOARCH
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System += ", Linux " + strings.TrimSpace(string(b))
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load = strings.Join(strings.Fields(string(b))[:3], " ")
	}
	return m
}

// field is the first line "name : value" of a file of /proc, or "".
func field(path, name string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// compared are the modules whose version bears on a figure.
var compared = []string{
	"github.com/GoogleCloudPlatform/functions-framework-go", "cloud.google.com/go/firestore", "cloud.google.com/go/pubsub/v2",
	"github.com/redis/go-redis/v9", "github.com/jackc/pgx/v5",
}

// versions of what was measured, by name: ours, the modules', the servers'.
func (e *env) versioned() map[string]string {
	v := e.versions
	v["go"] = runtime.Version()
	if out, err := exec.Command("git", "-C", e.root, "describe", "--always", "--dirty").Output(); err == nil {
		v["onceway"] = strings.TrimSpace(string(out))
	}
	info, _ := debug.ReadBuildInfo()
	for _, name := range compared {
		for _, d := range info.Deps {
			if d.Path == name {
				v[name] = d.Version
			}
		}
	}
	for name, command := range map[string][]string{
		"redis":    {"redis-server", "--version"},
		"postgres": {"psql", "--version"},
		"node":     {"node", "--version"},
	} {
		if e.started[name] == nil && name != "node" {
			continue
		}
		if out, err := exec.Command(command[0], command[1:]...).Output(); err == nil {
			v[name] = strings.TrimSpace(string(out))
		}
	}
	return v
}

func (m machine) String() string {
	return fmt.Sprintf("%d × %s, %s, %s; load before: %s", m.Cores, m.Processor, m.Memory, m.System, m.Load)
}
