package relay

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"onceway.internal/shared/claim"
)

// operationMark stands for the operation ID in Config.VerifyURL.
const operationMark = "{operation}"

// Defaults of Config.
const (
	DefaultTimeout     = 60 * time.Second
	DefaultMaxResponse = 64 << 10
)

// Config says where events go and how.
type Config struct {
	// URL takes the events by POST.
	URL string
	// VerifyURL is asked by GET whether an operation took effect; it holds
	// {operation}. 200 says it did, 404 that it did not, anything else nothing.
	// Empty leaves parked events to people.
	VerifyURL string
	// Policy is at-least-once unless set.
	Policy claim.Policy
	// Timeout bounds one request from dialling to the answer; 60 s unless set.
	Timeout time.Duration
	// MaxResponse is how many bytes of an answer's body are read, and dropped,
	// before the connection is given up instead; 64 KiB unless set.
	MaxResponse int64
	// Headers are the message attributes that are passed on as headers of the same name.
	Headers []string
	// Audience of the identity token that is sent along; empty sends none.
	Audience string
	// Private admits loopback and private addresses.
	Private bool
}

// Validate reports every fault at once, by the variables that the values come from.
func (c Config) Validate() error {
	faults := []error{
		c.checkURL("ONCEWAY_RELAY_URL", c.URL),
	}
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	if c.VerifyURL != "" {
		faults = append(faults, c.checkURL("ONCEWAY_RELAY_VERIFY_URL", strings.ReplaceAll(c.VerifyURL, operationMark, "0")))
		fault(!strings.Contains(c.VerifyURL, operationMark), "ONCEWAY_RELAY_VERIFY_URL: must hold %s", operationMark)
	}
	fault(c.Policy != "" && !c.Policy.Known(), "ONCEWAY_RELAY_POLICY: %q is no policy", c.Policy)
	fault(c.Timeout < 0, "ONCEWAY_RELAY_TIMEOUT: %v is negative", c.Timeout)
	fault(c.MaxResponse < 0, "ONCEWAY_RELAY_MAX_RESPONSE: %d is negative", c.MaxResponse)
	fault(c.Audience != "" && strings.HasPrefix(c.URL, "http:") && !c.Private,
		"ONCEWAY_RELAY_AUDIENCE: a token is sent over https only, or to private addresses")
	for _, name := range c.Headers {
		fault(reserved(name), "ONCEWAY_RELAY_HEADERS: %q can't be passed on", name)
	}
	return errors.Join(faults...)
}

// checkURL does not repeat the URL in its errors: it may hold a secret.
func (c Config) checkURL(variable, raw string) error {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return fmt.Errorf("%s: must be an absolute http or https URL", variable)
	}
	if u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%s: must hold no user and no fragment", variable)
	}
	if isMetadataName(u.Hostname()) {
		return fmt.Errorf("%s: %w", variable, ErrAddress)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		if err := admit(ip, c.Private); err != nil {
			return fmt.Errorf("%s: %w", variable, err)
		}
	}
	return nil
}

// reserved reports whether a header is no publisher's to set.
func reserved(name string) bool {
	if !httpguts.ValidHeaderFieldName(name) {
		return true
	}
	switch canon := http.CanonicalHeaderKey(name); canon {
	case "Authorization", "Connection", "Content-Length", "Content-Type", "Cookie", "Expect", "Forwarded", "Host",
		keyHeader, "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent":
		return true
	default:
		return strings.HasPrefix(canon, "Ce-") || strings.HasPrefix(canon, "Onceway-") || strings.HasPrefix(canon, "X-Idempotency") ||
			strings.HasPrefix(canon, "Proxy-") || strings.HasPrefix(canon, "X-Forwarded-")
	}
}

func (c Config) complete() Config {
	if c.Policy == "" {
		c.Policy = claim.AtLeastOnce
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxResponse == 0 {
		c.MaxResponse = DefaultMaxResponse
	}
	return c
}
