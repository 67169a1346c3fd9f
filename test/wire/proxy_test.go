package wire_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"onceway.internal/test/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a server that answers each line with itself.
func echo(t *testing.T) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().String()
}

type client struct {
	net.Conn
	lines *bufio.Scanner
}

func dial(t *testing.T, p *wire.Proxy) client {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return client{c, bufio.NewScanner(c)}
}

// ask sends text and reads as many lines as it has.
func (c client) ask(t *testing.T, text string, lines int) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	for range lines {
		if !c.lines.Scan() {
			t.Fatalf("the answer to %q is missing: %v", text, c.lines.Err())
		}
	}
}

func TestRoundTripsAreTurnsNotPackets(t *testing.T) {
	t.Parallel()
	p := wire.New(t, echo(t))
	a, b := dial(t, p), dial(t, p)
	a.ask(t, "one\n", 1)
	a.ask(t, "two\nand three, sent with it\n", 2)
	b.ask(t, "on another connection\n", 1)
	if got := p.RoundTrips(); got != 3 {
		t.Errorf("%d round trips, want 3", got)
	}
	if got := p.RoundTrips(); got != 0 {
		t.Errorf("%d round trips since the last call, want none", got)
	}
}

func TestSwallowedBytesArriveAfterMend(t *testing.T) {
	t.Parallel()
	p := wire.New(t, echo(t))
	c := dial(t, p)
	c.ask(t, "before\n", 1)
	p.Swallow()
	if _, err := io.WriteString(c, "during\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); n > 0 || !os.IsTimeout(err) {
		t.Errorf("read %d bytes and %v through a proxy that swallows", n, err)
	}
	p.Mend()
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	c.ask(t, "", 1)
}

func TestRefusedClientsAreClosed(t *testing.T) {
	t.Parallel()
	p := wire.New(t, echo(t))
	c := dial(t, p)
	c.ask(t, "before\n", 1)
	p.Refuse()
	for name, conn := range map[string]net.Conn{"open": c, "new": dial(t, p)} {
		if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("%s connection is served", name)
		}
	}
	p.Mend()
	dial(t, p).ask(t, "after\n", 1)
}

func TestLostReplyClosesItsConnection(t *testing.T) {
	t.Parallel()
	p := wire.New(t, echo(t))
	c := dial(t, p)
	p.LoseNextReply()
	if _, err := io.WriteString(c, "lost\n"); err != nil {
		t.Fatal(err)
	}
	if c.lines.Scan() {
		t.Errorf("got %q, want no reply", c.lines.Text())
	}
	dial(t, p).ask(t, "the next one\n", 1)
}
