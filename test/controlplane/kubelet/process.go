package kubelet

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is a pod's container.
type process struct {
	pod   Pod
	cmd   *exec.Cmd
	probe string // URL; empty: ready at once
	out   bytes.Buffer
	done  chan struct{}

	mu     sync.Mutex
	since  time.Time // of SIGTERM
	killed bool
}

func (k *Kubelet) newProcess(p Pod) (*process, error) {
	c, err := p.container()
	if err != nil {
		return nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	proc := &process{pod: p, cmd: exec.Command(k.program(p), append(c.Command[1:], c.Args...)...), done: make(chan struct{})}
	proc.cmd.Env = append(c.env(), "PATH="+os.Getenv("PATH"))
	if k.cfg.Env != nil {
		proc.cmd.Env = append(proc.cmd.Env, k.cfg.Env(p, addr)...) // the last of a name counts
	}
	if c.ReadinessProbe != nil {
		proc.probe = "http://" + addr + c.ReadinessProbe.HTTPGet.Path
	}
	proc.cmd.Stdout, proc.cmd.Stderr = &proc.out, &proc.out
	proc.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return proc, nil
}

func (k *Kubelet) program(p Pod) string {
	if len(p.Spec.Containers) == 0 || len(p.Spec.Containers[0].Command) == 0 {
		return ""
	}
	return k.cfg.Programs[p.Spec.Containers[0].Command[0]]
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// run runs the process to its end and tells when its readiness changes. The kernel's
// parent-death signal follows the thread that started it, so that thread is kept.
func (p *process) run(tell func(ready bool)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	if err := p.begin(); err != nil {
		p.out.WriteString(err.Error())
		return
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		p.watch(stop, tell)
	}()
	_ = p.cmd.Wait() // how it ended is in its state
	close(stop)
	<-stopped
}

func (p *process) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return errors.New("killed before it started")
	}
	return p.cmd.Start()
}

func (p *process) watch(stop <-chan struct{}, tell func(ready bool)) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	was := false
	tell(was)
	for {
		if ready := p.ready(); ready != was {
			was = ready
			tell(was)
		}
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}

func (p *process) ready() bool {
	if p.probe == "" {
		return true
	}
	req, err := http.NewRequest(http.MethodGet, p.probe, nil)
	if err != nil {
		return false
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode < 400
}

// terminate asks the process to end, once, and kills it after grace.
func (p *process) terminate(grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.since.IsZero() || p.cmd.Process == nil {
		return // asked already, or not started yet: the next look asks
	}
	p.since = time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended
	timer := time.AfterFunc(grace, p.kill)
	go func() {
		<-p.done
		timer.Stop()
	}()
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended() {
		return
	}
	p.killed = true
	if p.cmd.Process != nil {
		_ = p.cmd.Process.Kill() // an error means that it has ended
	}
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) asked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.since.IsZero()
}

// exit tells how the process ended; only after it did.
func (p *process) exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := Exit{Pod: p.pod.Metadata.Name, Code: -1, Asked: !p.since.IsZero(), Killed: p.killed}
	if p.cmd.ProcessState != nil {
		e.Code = p.cmd.ProcessState.ExitCode()
	}
	if e.Asked {
		e.Took = time.Since(p.since)
	}
	said := p.out.Bytes()
	e.Said = string(said[max(0, len(said)-2000):])
	return e
}
