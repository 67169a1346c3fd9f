package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// ErrAddress says that a host has an address that must not be called.
var ErrAddress = errors.New("address is private, local or reserved, and not under allow")

// reserved holds what netip's own questions don't answer: networks that lead into
// a provider, a carrier or a translation to any of the others.
var reserved = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		all[i] = netip.MustParsePrefix(t)
	}
	return all
}

// allowed reports whether addr may be called: a public unicast address, or one
// that the tool declares. Metadata servers are link-local, or unique local in IPv6.
func allowed(addr netip.Addr, declared []netip.Prefix) bool {
	addr = addr.Unmap().WithZone("")
	if within(addr, declared) {
		return true
	}
	return addr.IsGlobalUnicast() && !addr.IsPrivate() && !addr.IsLoopback() && !addr.IsLinkLocalUnicast() && !within(addr, reserved)
}

func within(addr netip.Addr, in []netip.Prefix) bool {
	for _, p := range in {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// guard is a net.Dialer's Control: it sees the address that is about to be dialled,
// after the name was resolved, so that a name that changes its mind between a check
// and the call gains nothing.
func guard(declared []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("dial: %w", ErrAddress)
		}
		if !allowed(ap.Addr(), declared) {
			return fmt.Errorf("dial %s: %w", ap.Addr(), ErrAddress)
		}
		return nil
	}
}
