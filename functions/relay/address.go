package relay

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// ErrAddress says that an address is not to be relayed to.
var ErrAddress = errors.New("address is not allowed")

// admit checks an address that a name resolved to.
func admit(ip netip.Addr, private bool) error {
	ip = ip.WithZone("").Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case ip.IsLinkLocalUnicast(), ip.IsMulticast(), ip.IsUnspecified(), isMetadata(ip):
		return fmt.Errorf("%w: link-local, multicast or metadata", ErrAddress)
	case !private && (ip.IsLoopback() || ip.IsPrivate() || shared.Contains(ip) || zero.Contains(ip)):
		return fmt.Errorf("%w: loopback or private, and ONCEWAY_RELAY_PRIVATE is not set", ErrAddress)
	}
	return nil
}

var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	shared = netip.MustParsePrefix("100.64.0.0/10")
	zero   = netip.MustParsePrefix("0.0.0.0/8") // this host, on some systems
)

// isMetadata knows the metadata servers that don't stand on link-local addresses.
func isMetadata(ip netip.Addr) bool {
	switch ip.String() {
	case "fd20:ce::254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16":
		return true
	}
	return false
}

func isMetadataName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "metadata" || host == "metadata.google.internal"
}
