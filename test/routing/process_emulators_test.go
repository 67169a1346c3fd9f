//go:build emulators

package routing_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"onceway.internal/shared/route"
)

// order is what a router process is told, one JSON object a line; it answers each
// with one result when all of its campaigns are assigned.
type order struct {
	Addr, Prefix string
	Campaigns    []route.Campaign
}

type result struct {
	Assignments []route.Assignment
	Errors      []string
}

// routerProcess assigns what it is told, everything of one order at once.
func routerProcess(ctx context.Context, in io.Reader, out io.Writer) error {
	var r *route.Router
	orders, results := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("read an order: %w", err)
		}
		if r == nil {
			b, stop, err := openBench(ctx, o.Addr, o.Prefix)
			if err != nil {
				return err
			}
			defer stop()
			if r, err = b.router(nil); err != nil {
				return err
			}
		}
		if err := results.Encode(assignAll(ctx, r, o.Campaigns)); err != nil {
			return fmt.Errorf("write a result: %w", err)
		}
	}
}

func assignAll(ctx context.Context, r *route.Router, campaigns []route.Campaign) result {
	var res result
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, c := range campaigns {
		wg.Go(func() {
			a, err := r.Assign(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				res.Errors = append(res.Errors, err.Error())
				return
			}
			a.Candidates = nil
			res.Assignments = append(res.Assignments, a)
		})
	}
	wg.Wait()
	return res
}

// process is one running router process.
type process struct {
	in  *json.Encoder
	out *json.Decoder
}

func startProcess(t *testing.T) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), processEnv+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it leaves at the end of its orders
		if err := cmd.Wait(); err != nil {
			t.Errorf("router process: %v", err)
		}
	})
	return &process{in: json.NewEncoder(in), out: json.NewDecoder(bufio.NewReader(out))}
}

// together gives each process its campaigns and waits for all results.
func together(t *testing.T, b *bench, addr string, processes []*process, campaigns [][]route.Campaign) []result {
	t.Helper()
	for i, p := range processes {
		if err := p.in.Encode(order{Addr: addr, Prefix: b.prefix, Campaigns: campaigns[i]}); err != nil {
			t.Fatal(err)
		}
	}
	results := make([]result, len(processes))
	for i, p := range processes {
		if err := p.out.Decode(&results[i]); err != nil {
			t.Fatalf("router process %d: %v", i, err)
		}
		for _, e := range results[i].Errors {
			t.Errorf("router process %d: %s", i, e)
		}
	}
	return results
}
