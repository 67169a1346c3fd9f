package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"onceway.internal/test/monitoring"
)

// leastStarts is how often each binary is started, however short the budget.
const leastStarts = 9

// What a start may take and hold, over the hello-worlds'.
const (
	clientsGoal = 1.2
	plainGoal   = 2.5
)

// program is one thing that is started.
type program struct {
	name   string
	binary string
	env    map[string]string
	ask    []byte // what it first answers with a 2xx or 3xx
}

// start is what one start came to.
type start struct {
	took   time.Duration // from exec to the first answer
	memory int           // KiB resident then
	own    int           // of these, not pages of the file
}

// cold starts every function again and again, in turns with a hello-world of the
// functions framework that links the same Google clients and with a plain one. Size
// is the one binary's.
func cold(ctx context.Context, e *env) ([]figure, error) {
	dir, err := e.build(ctx, "./functions", "./test/bench/hello/plain", "./test/bench/hello/clients")
	if err != nil {
		return nil, err
	}
	figures, err := sizes(dir)
	if err != nil {
		return nil, err
	}
	monitor, stop, err := nothingToSee()
	if err != nil {
		return nil, err
	}
	defer stop()
	all := programs(e.root, dir, monitor)
	starts := make(map[string][]start, len(all))
	order := rand.New(rand.NewPCG(1, 2))
	end := time.Now().Add(e.budget)
	for n := 0; n < leastStarts || time.Now().Before(end); n++ {
		for _, i := range order.Perm(len(all)) { // nobody always comes after the same one, which still ends
			p := all[i]
			s, err := p.start(ctx, e.root)
			if err != nil {
				return nil, fmt.Errorf("start %s: %w", p.name, err)
			}
			starts[p.name] = append(starts[p.name], s)
		}
	}
	for _, p := range all[2:] {
		figures = append(figures, colder(p.name, starts)...)
	}
	return figures, nil
}

// programs are the two hello-worlds and every function.
func programs(root, dir, monitor string) []program {
	functions := filepath.Join(dir, "functions")
	get := request("GET", "/", "")
	all := []program{
		{"plain", filepath.Join(dir, "plain"), map[string]string{"FUNCTION_TARGET": "Hello"}, get},
		{"clients", filepath.Join(dir, "clients"), map[string]string{"FUNCTION_TARGET": "Hello"}, get},
	}
	// a delivery that goes all the way to the runner, which leaves it to another handler
	push := request("POST", "/", `{"message":{"messageId":"1","data":"aGVsbG8=","attributes":{"onceway-handler":"another"}},"subscription":"projects/demo-project/subscriptions/events"}`)
	for _, f := range []struct {
		target string
		ask    []byte
	}{
		{"Chat", push}, {"Campaigns", push}, {"Relay", push}, {"Letters", push},
		{"Score", request("POST", "/", "")}, {"Sweep", request("POST", "/", "")},
		{"Assign", request("GET", "/v1/groups", "")}, {"Console", get},
	} {
		all = append(all, program{f.target, functions, map[string]string{
			"FUNCTION_TARGET": f.target, "GOOGLE_CLOUD_PROJECT": project, "ONCEWAY_HOST": "127.0.0.1", "ONCEWAY_LOCAL": "true",
			"ONCEWAY_CLAIMS": "memory", "ONCEWAY_STATE": "memory", "ONCEWAY_MONITORING_ENDPOINT": monitor,
			"ONCEWAY_RELAY_URL": "https://tools.acme.example/", "PUBSUB_EMULATOR_HOST": "127.0.0.1:1", // is never called
			"ONCEWAY_GROUPS":      filepath.Join(root, "infra/groups.yaml"),
			"ONCEWAY_CHAT_POLICY": filepath.Join(root, "infra/policy.yaml"), "ONCEWAY_CHAT_TOOLS": filepath.Join(root, "infra/tools.yaml"),
		}, f.ask})
	}
	return all
}

// nothingToSee is a Cloud Monitoring, for Score, that knows of no subscription.
func nothingToSee() (addr string, stop func(), err error) {
	s, err := monitoring.New(monitoring.Config{Source: func() map[string]monitoring.Figures { return nil }})
	if err != nil {
		return "", nil, err
	}
	return s.Listen("127.0.0.1:0")
}

func colder(name string, starts map[string][]start) []figure {
	ms := func(name string) float64 {
		return middle(starts[name], func(s start) float64 { return float64(s.took) / float64(time.Millisecond) })
	}
	memory := func(name string) float64 {
		return middle(starts[name], func(s start) float64 { return float64(s.memory) / 1024 })
	}
	own := func(name string) float64 {
		return middle(starts[name], func(s start) float64 { return float64(s.own) / 1024 })
	}
	n := len(starts[name])
	return []figure{
		against("cold/"+name+"/start", ms(name), ms("clients"), clientsGoal, fmt.Sprintf("ms, medians of %d starts; hello-world with clients", n)),
		against("cold/"+name+"/start/plain", ms(name), ms("plain"), plainGoal, "ms; plain hello-world"),
		{
			Name: "cold/" + name + "/memory", Ratio: memory(name) / memory("clients"), Goal: clientsGoal, Most: true,
			Says: fmt.Sprintf("%.1f MiB resident after the first answer, %.1f without pages of the file; hello-world with clients %.1f, %.1f",
				memory(name), own(name), memory("clients"), own("clients")),
		},
		against("cold/"+name+"/memory/plain", memory(name), memory("plain"), plainGoal, "MiB resident; plain hello-world"),
	}
}

// against is a figure of how much more ours takes than theirs.
func against(name string, ours, theirs, most float64, says string) figure {
	return figure{Name: name, Ratio: ours / theirs, Goal: most, Most: true, Says: fmt.Sprintf("%.1f %s %.1f", ours, says, theirs)}
}

func sizes(dir string) ([]figure, error) {
	mib := map[string]float64{}
	var errs []error
	for _, name := range []string{"functions", "clients", "plain"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		mib[name] = float64(info.Size()) / (1 << 20)
	}
	return []figure{
		against("cold/size", mib["functions"], mib["clients"], clientsGoal, "MiB, all functions in one binary; hello-world with clients"),
		against("cold/size/plain", mib["functions"], mib["plain"], plainGoal, "MiB; plain hello-world"),
	}, errors.Join(errs...)
}

func middle(all []start, of func(start) float64) float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return median(values)
}
