package webhook

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"onceway.internal/shared/chatops/document"
	"onceway.internal/shared/chatops/policy"
)

// reader turns what the file says into tools and notes every fault.
type reader struct {
	document.Faults
	seen map[string]bool
}

func (r *reader) tool(f toolForm) Tool {
	line := max(f.Name.Line, 1)
	t := Tool{Name: f.Name.Value, Words: f.Words.Value, Brief: f.Brief.Value, Audience: f.Audience.Value, Verify: f.Verify.Value}
	if !toolName.MatchString(t.Name) {
		r.Add(line, "tool %q: name must be lowercase letters, digits and dashes", t.Name)
	}
	if r.seen[t.Name] {
		r.Add(line, "tool %q: there twice", t.Name)
	}
	r.seen[t.Name] = true
	if !words.MatchString(t.Words) {
		r.Add(max(f.Words.Line, line), "tool %s: words %q must be one to four lowercase words", t.Name, t.Words)
	}
	if f.Destructive == nil {
		r.Add(line, "tool %s: destructive must be said, true or false", t.Name)
	} else {
		t.Destructive = *f.Destructive
	}
	t.Arguments = r.arguments(t.Name, f.Arguments)
	t.Role = r.role(t, f.Role)
	t.Timeout = r.timeout(t.Name, f.Timeout)
	t.Allow = r.allow(t.Name, f.Allow)
	t.URL = r.url(t, f.URL, line)
	if t.Verify != "" {
		if _, err := url.Parse(t.Verify); err != nil || !strings.Contains(t.Verify, "{operation}") {
			r.Add(f.Verify.Line, "tool %s: verify must be a URL that holds {operation}", t.Name)
		}
		r.url(t, document.Text{Value: strings.ReplaceAll(t.Verify, "{operation}", "0"), Line: f.Verify.Line}, line)
	}
	return t
}

func (r *reader) arguments(tool string, fs []document.Text) []Argument {
	var all []Argument
	for _, f := range fs {
		name, optional := strings.CutSuffix(f.Value, "?")
		if !toolName.MatchString(name) {
			r.Add(f.Line, "tool %s: argument %q must be a lowercase word, with ? behind it if it may be left out", tool, f.Value)
		}
		if !optional && len(all) > 0 && all[len(all)-1].Optional {
			r.Add(f.Line, "tool %s: argument %q can't be required behind one that may be left out", tool, f.Value)
		}
		all = append(all, Argument{Name: name, Optional: optional})
	}
	return all
}

func (r *reader) role(t Tool, f document.Text) policy.Role {
	if f.Value == "" {
		return policy.Operator
	}
	role, err := policy.ParseRole(f.Value)
	switch {
	case err != nil:
		r.Add(f.Line, "tool %s: %v", t.Name, err)
	case role < policy.Viewer || t.Destructive && role < policy.Operator:
		r.Add(f.Line, "tool %s: role %s is not enough for what it does", t.Name, role)
	}
	return role
}

func (r *reader) timeout(tool string, f document.Text) time.Duration {
	if f.Value == "" {
		return 10 * time.Second
	}
	d, err := time.ParseDuration(f.Value)
	if err != nil || d < 100*time.Millisecond || d > 5*time.Minute {
		r.Add(f.Line, "tool %s: timeout %q must be from 100ms to 5m", tool, f.Value)
	}
	return d
}

func (r *reader) allow(tool string, fs []document.Text) []netip.Prefix {
	var all []netip.Prefix
	for _, f := range fs {
		p, err := netip.ParsePrefix(f.Value)
		if addr, aerr := netip.ParseAddr(f.Value); err != nil && aerr == nil {
			p, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			r.Add(f.Line, "tool %s: allow %q must be an address or a prefix such as 10.0.0.0/8", tool, f.Value)
			continue
		}
		all = append(all, p.Masked())
	}
	return all
}

func (r *reader) url(t Tool, f document.Text, line int) *url.URL {
	line = max(f.Line, line)
	u, err := url.Parse(f.Value)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		r.Add(line, "tool %s: url %q must be an https URL", t.Name, f.Value)
		return nil
	}
	if u.User != nil {
		r.Add(line, "tool %s: the URL must not hold a password", t.Name)
	}
	if u.Scheme == "http" && len(t.Allow) == 0 {
		r.Add(line, "tool %s: plain http is for addresses under allow only: use https", t.Name)
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !allowed(addr, t.Allow) {
		r.Add(line, "tool %s: address %s is private or local: name it under allow if it is meant", t.Name, addr)
	}
	return u
}
