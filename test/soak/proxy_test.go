//go:build soak

package soak_test

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// outage is how a store is gone.
type outage string

const (
	refused outage = "refusing connections"
	silent  outage = "swallowing bytes"
)

// proxy stands between workers and their store.
type proxy struct {
	target   string
	listener net.Listener
	serving  sync.WaitGroup

	mu     sync.Mutex
	how    outage        // "" passes everything on
	mended chan struct{} // closed while nothing is cut
	conns  map[net.Conn]bool
	closed bool
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{target: target, listener: l, mended: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(p.mended)
	p.serving.Go(p.serve)
	t.Cleanup(func() {
		_ = l.Close()
		p.mend()
		p.mu.Lock()
		p.closed = true
		p.dropAll()
		p.mu.Unlock()
		p.serving.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) cut(how outage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.how, p.mended = how, make(chan struct{})
	if how == refused {
		p.dropAll()
	}
}

func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.how != "" {
		p.how = ""
		close(p.mended)
	}
}

// dropAll wants the lock.
func (p *proxy) dropAll() {
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) serve() {
	for {
		c, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && p.keep(c) {
			p.serving.Go(func() { p.pass(c) })
		}
	}
}

// keep remembers a connection, or closes it while none is served.
func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.how == refused || p.closed {
		_ = c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) forget(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = c.Close()
	delete(p.conns, c)
}

func (p *proxy) pass(near net.Conn) {
	defer p.forget(near)
	far, err := net.Dial("tcp", p.target)
	if err != nil || !p.keep(far) {
		return
	}
	defer p.forget(far)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			_, _ = io.Copy(way[1], held{way[0], p}) // either side may go at any time
			_ = way[0].Close()
			_ = way[1].Close()
		})
	}
	both.Wait()
}

// held reads as long as nothing is cut, and else holds back what came, as a network
// does that has lost its way.
type held struct {
	net.Conn
	p *proxy
}

func (h held) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	h.p.mu.Lock()
	mended := h.p.mended
	h.p.mu.Unlock()
	<-mended
	return n, err
}
