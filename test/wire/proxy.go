package wire

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy passes TCP connections on to one server.
type Proxy struct {
	target   string
	listener net.Listener
	serving  sync.WaitGroup
	trips    atomic.Int64
	lose     atomic.Bool

	mu     sync.Mutex
	refuse bool
	mended chan struct{} // closed while no bytes are held back
	conns  map[net.Conn]bool
	closed bool
}

// New starts a proxy on loopback that ends with the test. target is host:port.
func New(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: target, listener: l, mended: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(p.mended)
	p.serving.Go(p.serve)
	t.Cleanup(p.close)
	return p
}

// Addr is host:port, for the client.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// RoundTrips answers how often clients asked and then waited since the last call.
// What they send in one go is one, however many packets or commands it is.
func (p *Proxy) RoundTrips() int { return int(p.trips.Swap(0)) }

// LoseNextReply closes the connection on which the server next answers, instead of
// passing the answer on.
func (p *Proxy) LoseNextReply() { p.lose.Store(true) }

// Refuse breaks every connection and takes no new one until Mend.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = true
	p.dropAll()
}

// Swallow keeps connections open, and takes new ones, but lets nothing through
// until Mend.
func (p *Proxy) Swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mended = make(chan struct{})
}

// Mend ends Refuse or Swallow; what was held back goes on its way.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = false
	select {
	case <-p.mended:
	default:
		close(p.mended)
	}
}

func (p *Proxy) close() {
	_ = p.listener.Close()
	p.Mend()
	p.mu.Lock()
	p.closed = true
	p.dropAll()
	p.mu.Unlock()
	p.serving.Wait()
}

// dropAll wants the lock.
func (p *Proxy) dropAll() {
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Proxy) serve() {
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
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse || p.closed {
		_ = c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) forget(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = c.Close()
	delete(p.conns, c)
}
