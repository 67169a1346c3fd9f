package wire

import (
	"net"
	"sync"
	"sync/atomic"
)

// pass carries one client's connection until either side closes it.
func (p *Proxy) pass(near net.Conn) {
	defer p.forget(near)
	far, err := net.Dial("tcp", p.target)
	if err != nil || !p.keep(far) {
		return
	}
	defer p.forget(far)
	// Whose turn it is: the client's first bytes after the server's are a round trip.
	// The turn is noted before bytes go on, so the other side can't be ahead of it.
	var asked atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		p.carry(near, far, func() bool {
			if !asked.Swap(true) {
				p.trips.Add(1)
			}
			return true
		})
	})
	both.Go(func() {
		p.carry(far, near, func() bool {
			asked.Store(false)
			return !p.lose.CompareAndSwap(true, false)
		})
	})
	both.Wait()
}

// carry moves bytes one way while saw allows it, and then closes both ends.
func (p *Proxy) carry(from, to net.Conn, saw func() bool) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		mended := p.mended
		p.mu.Unlock()
		<-mended
		if !saw() {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
