package kubelet

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"onceway.internal/test/controlplane/cluster"
)

// Config says which pods are run, and as what.
type Config struct {
	Cluster   *cluster.Cluster
	Namespace string
	// Programs has for a container's command, such as "/worker", the program of this
	// machine that is run for it. Pods of other commands stay Pending, as without a node.
	Programs map[string]string
	// Env is set beside the container's own variables and goes before them; addr is a
	// free address of this pod alone, where its readiness is asked for.
	Env func(p Pod, addr string) []string
}

// Exit is how a pod's process ended.
type Exit struct {
	Pod    string
	Code   int
	Asked  bool          // by SIGTERM, since the pod was deleted
	Killed bool          // by SIGKILL, since its grace period was over
	Took   time.Duration // from SIGTERM
	Said   string        // the end of its output
}

// Kubelet runs the pods of a namespace.
type Kubelet struct {
	cfg  Config
	http *http.Client
	fail func(format string, args ...any)

	mu    sync.Mutex
	pods  map[string]*process // by UID
	exits []Exit
	wg    sync.WaitGroup
}

// pollEvery is how often pods are looked at.
const pollEvery = 100 * time.Millisecond

// Run runs pods until the test has ended, and kills what is left then. A pod that it
// should run and can't fails the test.
func Run(t testing.TB, c Config) *Kubelet {
	t.Helper()
	k := &Kubelet{cfg: c, http: c.Cluster.HTTP(), fail: t.Errorf, pods: make(map[string]*process)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.loop(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		k.killAll()
		k.wg.Wait()
	})
	return k
}

// Exits lists the processes that have ended, in the order in which they did.
func (k *Kubelet) Exits() []Exit {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]Exit(nil), k.exits...)
}

func (k *Kubelet) loop(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		pods, err := k.list(ctx)
		if err == nil {
			for _, p := range pods {
				if err = k.look(ctx, p); err != nil {
					break
				}
			}
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			k.fail("kubelet: %v", err)
			return
		}
		<-tick.C
	}
}

// look brings one pod a step forward.
func (k *Kubelet) look(ctx context.Context, p Pod) error {
	k.mu.Lock()
	proc := k.pods[p.Metadata.UID]
	k.mu.Unlock()
	switch {
	case p.Metadata.DeletionTimestamp != nil && (proc == nil || proc.ended()):
		return k.remove(ctx, p)
	case p.Metadata.DeletionTimestamp != nil:
		proc.terminate(time.Duration(p.Metadata.DeletionGracePeriodSeconds) * time.Second)
		return nil
	case proc == nil && p.Status.Phase == "Pending" && k.program(p) != "":
		return k.start(ctx, p)
	}
	return nil
}

func (k *Kubelet) start(ctx context.Context, p Pod) error {
	if err := k.bind(ctx, p); err != nil {
		return fmt.Errorf("bind pod: %w", err)
	}
	proc, err := k.newProcess(p)
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.pods[p.Metadata.UID] = proc
	k.mu.Unlock()
	k.wg.Go(func() { k.follow(ctx, proc) })
	return nil
}

// follow reports a process to the API server as it becomes ready and ends.
func (k *Kubelet) follow(ctx context.Context, proc *process) {
	proc.run(func(ready bool) {
		if err := k.report(ctx, proc.pod, "Running", ready); err != nil && ctx.Err() == nil && !proc.asked() {
			k.fail("kubelet: report pod %s: %v", proc.pod.Metadata.Name, err)
		}
	})
	exit := proc.exit()
	k.mu.Lock()
	k.exits = append(k.exits, exit)
	k.mu.Unlock()
	phase := "Failed"
	if exit.Code == 0 && proc.pod.Spec.RestartPolicy != "Always" {
		phase = "Succeeded"
	}
	if !exit.Asked && ctx.Err() == nil {
		if err := k.report(ctx, proc.pod, phase, false); err != nil {
			k.fail("kubelet: report the end of pod %s: %v", proc.pod.Metadata.Name, err)
		}
	}
}

func (k *Kubelet) killAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.pods {
		p.kill()
	}
}
