package webhook

import (
	"net/netip"
	"testing"
)

func TestOnlyPublicOrDeclaredAddressesAreCalled(t *testing.T) {
	t.Parallel()
	declared := []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16"), netip.MustParsePrefix("fd12::/16")}
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "10.20.3.4": true, "fd12::5": true, "::ffff:10.20.3.4": true, "::ffff:8.8.8.8": true,
		"10.21.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false, "127.0.0.1": false, "127.8.8.8": false,
		"169.254.169.254": false, "::ffff:169.254.169.254": false, "fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false,
		"0.0.0.0": false, "0.1.2.3": false, "::": false, "::1": false, "100.64.0.1": false, "198.18.0.1": false, "192.0.0.192": false,
		"224.0.0.1": false, "239.1.1.1": false, "255.255.255.255": false, "240.0.0.1": false, "ff02::1": false,
		"64:ff9b::a9fe:a9fe": false, "2002:a9fe:a9fe::": false, "2001:0:1::": false, "::169.254.169.254": false, "fec0::1": false,
	} {
		if got := allowed(netip.MustParseAddr(addr), declared); got != want {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
}

func TestGuardRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "/var/run/docker.sock", "localhost:80", "1.2.3.4"} {
		if err := guard(nil)("tcp", address, nil); err == nil {
			t.Errorf("%q was let through", address)
		}
	}
}
