package relay_test

import (
	"errors"
	"strings"
	"testing"

	"onceway.internal/functions/relay"
	"onceway.internal/shared/once"
)

func TestConfigNamesEveryFaultByItsVariable(t *testing.T) {
	t.Parallel()
	_, err := relay.New(relay.Config{
		URL: "ftp://secret.example", VerifyURL: "https://orders.acme.example/all", Policy: "twice", Timeout: -1, MaxResponse: -1,
		Audience: "a", Headers: []string{"Idempotency-Key", "Onceway-Epoch", "ce-id", "bad name"},
	}, nil)
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{
		"RELAY_URL", "VERIFY_URL", "POLICY", "TIMEOUT", "MAX_RESPONSE", "AUDIENCE", `"Idempotency-Key"`, `"Onceway-Epoch"`, `"ce-id"`, `"bad name"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not name %s:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("error repeats the URL: %v", err)
	}
}

func TestAddressesThatMustNotBeReached(t *testing.T) {
	t.Parallel()
	never := []string{
		"http://169.254.169.254/x", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/", "http://[fd20:ce::254]",
		"http://0.0.0.0/", "http://[::]/", "http://224.0.0.1/", "http://metadata.google.internal/", "http://METADATA.google.internal./",
		"http://[64:ff9b::a9fe:a9fe]/", "http://168.63.129.16/",
	}
	declared := []string{
		"http://127.0.0.1:80/", "http://[::1]/", "http://10.1.2.3/", "http://192.168.1.1", "http://172.16.0.1", "http://100.64.0.1", "http://[fd00::1]/", "http://[64:ff9b::a00:1]/",
	}
	public := []string{"https://orders.acme.example/x?y=1", "http://192.0.2.1/", "https://[2001:db8::1]:8443/"}
	check := func(url string, private, want bool) {
		_, err := relay.New(relay.Config{URL: url, Private: private}, nil)
		if (err == nil) != want || (err != nil && !errors.Is(err, relay.ErrAddress)) {
			t.Errorf("%s, private %v: %v", url, private, err)
		}
	}
	for _, private := range []bool{false, true} {
		for _, url := range never {
			check(url, private, false)
		}
		for _, url := range declared {
			check(url, private, private)
		}
		for _, url := range public {
			check(url, private, true)
		}
	}
	for _, url := range []string{"", "/path", "http://", "https://user:pw@acme.example", "https://acme.example/#x", "://"} {
		if _, err := relay.New(relay.Config{URL: url}, nil); err == nil {
			t.Errorf("%q was taken", url)
		}
	}
}

// TestNameIsCheckedWhereItResolves: a name passes the configuration, its address does not.
func TestNameIsCheckedWhereItResolves(t *testing.T) {
	t.Parallel()
	s, _ := catch(t)
	at := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	b := setUp(t, relay.Config{URL: at}, nil)
	if rep := b.deliver(t, message(t, "1")); rep.Outcome != once.Failed || !errors.Is(rep.Err, relay.ErrAddress) || s.requests.Load() != 0 {
		t.Errorf("outcome %s (%v)", rep.Outcome, rep.Err)
	}
	b = setUp(t, relay.Config{URL: at, Private: true}, nil)
	if rep := b.deliver(t, message(t, "1")); rep.Outcome != once.Done {
		t.Errorf("declared: outcome %s (%v)", rep.Outcome, rep.Err)
	}
}
