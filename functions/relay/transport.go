package relay

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

const dialTimeout = 10 * time.Second

// transport sends single requests; unlike a Client it follows no redirect.
func transport(c Config) *http.Transport {
	dialer := &net.Dialer{
		Timeout: dialTimeout,
		// Control sees the address behind the name, at the last moment.
		Control: func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrAddress, err)
			}
			return admit(at.Addr(), c.Private)
		},
	}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		ForceAttemptHTTP2:      c.Policy.Repeatable(),
		DisableKeepAlives:      !c.Policy.Repeatable(),
		DisableCompression:     true,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}
