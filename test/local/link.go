package local

import (
	"fmt"
	"io"
	"net"
	"sync"
)

// Link is a way to a server that can be cut: to the one client behind it, a cut
// looks like the death of the network, to the server like the death of the client.
type Link struct {
	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]struct{}
}

// NewLink forwards connections from a free loopback port to target until Cut.
func NewLink(target string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for a link to %s: %w", target, err)
	}
	l := &Link{target: target, listener: listener, conns: map[net.Conn]struct{}{}}
	l.running.Go(l.serve)
	return l, nil
}

// Addr is where the client connects instead of the target.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Cut ends every connection and refuses new ones, for good. It returns when nothing
// is forwarded any more; cutting again changes nothing.
func (l *Link) Cut() {
	l.mu.Lock()
	l.cut = true
	_ = l.listener.Close()
	for c := range l.conns {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.running.Wait()
}

func (l *Link) serve() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !l.keep(client, server) {
			return
		}
		l.running.Go(func() { l.copy(client, server) })
		l.running.Go(func() { l.copy(server, client) })
	}
}

// keep remembers both ends for Cut, or closes them when it already came.
func (l *Link) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if l.cut {
			_ = c.Close()
			continue
		}
		l.conns[c] = struct{}{}
	}
	return !l.cut
}

// copy ends both directions when one ends: the protocols carried here don't half-close.
func (l *Link) copy(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, to)
	delete(l.conns, from)
}
