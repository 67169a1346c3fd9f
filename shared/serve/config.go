package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"
)

// Defaults of Config. Together they stay well within Cloud Run's 10 s.
const (
	DefaultGrace  = 7 * time.Second
	DefaultSettle = 1500 * time.Millisecond
)

const (
	headerTimeout = 10 * time.Second
	// idleTimeout is longer than the 600 s for which Google's front ends keep a
	// connection: closing first would race with their next request.
	idleTimeout = 620 * time.Second
	// maxHeaderBytes holds what an unwrapped push may bring: 100 attributes of
	// 256 + 1,024 bytes, as headers.
	maxHeaderBytes = 256 << 10
)

// Config says where and how long to serve. Zero values mean the defaults.
type Config struct {
	// Addr is host:port, as for net.Listen; unused with a Listener.
	Addr string
	// Listener serves on a listener that is open already; Run closes it.
	Listener net.Listener
	// Grace is how long requests in work may go on after the signal to stop.
	Grace time.Duration
	// Settle is how long handlers have after their contexts ended.
	Settle time.Duration
	// Stopping is called once when the grace period is over and requests' contexts
	// end; may be nil.
	Stopping func()
	// Logger takes what net/http has to say; required.
	Logger *slog.Logger
}

func (c Config) complete() (Config, error) {
	var faults []error
	if c.Addr == "" && c.Listener == nil {
		faults = append(faults, errors.New("address: needed without a listener"))
	}
	if c.Logger == nil {
		faults = append(faults, errors.New("logger: needed"))
	}
	if c.Grace < 0 || c.Settle < 0 {
		faults = append(faults, fmt.Errorf("grace %v, settle %v: must not be negative", c.Grace, c.Settle))
	}
	if c.Stopping == nil {
		c.Stopping = func() {}
	}
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	if c.Settle == 0 {
		c.Settle = DefaultSettle
	}
	return c, errors.Join(faults...)
}
