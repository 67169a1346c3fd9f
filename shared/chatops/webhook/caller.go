package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onceway.internal/shared/chatops"
)

// Identity gives OIDC tokens for an audience. It blocks as long as a new token
// takes, and is safe for concurrent use.
type Identity interface {
	Token(ctx context.Context, audience string) (string, error)
}

// Commands makes a command of every tool. identity may be nil where no tool has
// an audience.
func Commands(f File, identity Identity) ([]chatops.Command, error) {
	var all []chatops.Command
	for _, t := range f.Tools {
		if t.Audience != "" && identity == nil {
			return nil, errors.New("webhooks: tool " + t.Name + " wants a token, and there is nothing to make one")
		}
		all = append(all, newCaller(t, identity).command())
	}
	return all, nil
}

type caller struct {
	tool     Tool
	identity Identity
	http     *http.Client
}

func newCaller(t Tool, identity Identity) *caller {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: guard(t.Allow)}
	return &caller{tool: t, identity: identity, http: &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			DisableKeepAlives:      true, // see the package's comment
			TLSHandshakeTimeout:    5 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (c *caller) command() chatops.Command {
	t := c.tool
	var usage []string
	for _, a := range t.Arguments {
		name := strings.ToUpper(a.Name)
		if a.Optional {
			name = "[" + name + "]"
		}
		usage = append(usage, name)
	}
	cmd := chatops.Command{
		Name: t.Words, Usage: strings.Join(usage, " "), Brief: t.Brief, Role: t.Role, Effect: chatops.Repeats, Parse: c.parse,
	}
	if t.Destructive {
		cmd.Effect = chatops.Once
	}
	if t.Verify != "" {
		cmd.Verify = c.verify
	}
	return cmd
}

func (c *caller) parse(a chatops.Args) (chatops.Call, error) {
	arguments := map[string]string{}
	for _, arg := range c.tool.Arguments {
		if arg.Optional && a.AtClause("because") {
			break
		}
		value, err := a.Next(strings.ToUpper(arg.Name))
		if err != nil {
			return chatops.Call{}, err
		}
		arguments[arg.Name] = value
	}
	reason, err := a.Because()
	if err != nil {
		return chatops.Call{}, err
	}
	return chatops.Call{
		Detail: detail(c.tool, arguments), Reason: reason, Subject: c.tool.Name,
		Do: func(ctx context.Context, op chatops.Operation) (string, error) {
			return c.call(ctx, op, arguments, reason)
		},
	}, nil
}

// detail shows the arguments to whoever reads the audit log.
func detail(t Tool, arguments map[string]string) string {
	var parts []string
	for _, a := range t.Arguments {
		if v, ok := arguments[a.Name]; ok {
			parts = append(parts, a.Name+"="+strconv.Quote(v))
		}
	}
	return strings.Join(parts, " ")
}
