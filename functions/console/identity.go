package console

import (
	"errors"
	"net"
	"net/http"

	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/iap"
)

// Person is who asks.
type Person struct {
	Email string `json:"email"`
	Role  string `json:"role"` // viewer, operator, admin
	// Local says that nobody signed in: the request came from this machine.
	Local bool `json:"local"`

	role policy.Role
}

// May reports whether the person may do what the policy's command of that name does.
func (h *Handler) may(who Person, command string) bool {
	return who.role >= h.Policy.Least(command, policy.Operator)
}

// identify says who asks, or why the request is not answered.
func (h *Handler) identify(r *http.Request) (Person, *Problem) {
	email := h.Identity
	if h.Proxy != nil {
		p, err := h.Proxy.Verify(r.Context(), r.Header.Get(iap.Header))
		switch {
		case errors.Is(err, iap.ErrInvalid):
			h.Log.WarnContext(r.Context(), "assertion is not valid", "event", "console.assertion", "error", err)
			return Person{}, problemOf(http.StatusUnauthorized, codeSignIn, "Identity-Aware Proxy did not vouch for this request. Open the console by its own address and sign in again.")
		case err != nil:
			h.Log.ErrorContext(r.Context(), "assertion can't be verified", "event", "console.keys", "error", err)
			return Person{}, problemOf(http.StatusServiceUnavailable, codeUnavailable, "Who you are can't be verified just now: the keys of Identity-Aware Proxy can't be read.")
		}
		email = p.Email
	} else if !local(r) {
		return Person{}, problemOf(http.StatusForbidden, codeNotLocal, "Without Identity-Aware Proxy the console answers only its own machine, under a name such as localhost.")
	}
	role := h.Policy.Role(policy.Who{Email: email})
	if role < policy.Viewer {
		return Person{}, problemOf(http.StatusForbidden, codeRole, "The policy file gives "+email+" no role here.")
	}
	return Person{Email: email, Role: role.String(), Local: h.Proxy == nil, role: role}, nil
}

// local reports whether a request came from this machine to this machine, with
// nothing in between that could stand for somebody else.
func local(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !loopback(from) {
		return false
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || loopback(host)
}

func loopback(host string) bool {
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
