package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"onceway.internal/functions/console"
	"onceway.internal/functions/table"
	"onceway.internal/shared/claim"
)

// remote says that commands go to the console's API, with whatever rights the console
// gives to who asks, instead of to the stores.
type remote struct {
	Server    string `var:"ONCEWAY_SERVER" placeholder:"URL" help:"Ask the console there instead of the stores ($ONCEWAY_SERVER)."`
	IAPClient string `name:"iap-client" var:"ONCEWAY_IAP_CLIENT" placeholder:"ID" help:"Client ID of the Identity-Aware Proxy before it ($ONCEWAY_IAP_CLIENT). An identity token for it goes along: that of ONCEWAY_ID_TOKEN, or one made with the default credentials."`
}

// server is the console's JSON API.
type server struct {
	base   *url.URL
	client *http.Client
	token  string // of identity; empty sends none
	pause  time.Duration
}

const (
	serverTimeout = 60 * time.Second
	serverTries   = 3
	maxAnswer     = 64 << 20 // a letter's body, in base64
)

// errServer is the console's refusal that no error here says already.
var errServer = errors.New("the console refused")

// viaServer runs a command of the command line against the console.
func (t *terminal) viaServer(command string) error {
	s, err := t.newServer()
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(command, " <")
	name, _, _ = strings.Cut(name, " [<")
	run, ok := map[string]func(*server) error{
		"groups": t.serverGroups, "score": t.serverScore,
		"reserve": t.serverReserve, "release": t.serverGroup("release", "End the reservation of %s?", &t.cli.Release.one),
		"drain":       t.serverGroup("drain", "Send %s no new campaigns?", &t.cli.Drain.one),
		"undrain":     t.serverGroup("undrain", "Send %s campaigns again?", &t.cli.Undrain.one),
		"claims list": t.serverClaims, "claims show": t.serverClaim, "claims resolve": t.serverResolve,
		"deadletters list": t.serverLetters, "deadletters show": t.serverLetter,
		"deadletters replay": t.serverReplay, "deadletters drop": t.serverDrop,
	}[name]
	if !ok {
		return fmt.Errorf("%w: %s works on the installation itself: leave --server and ONCEWAY_SERVER out", errUsage, name)
	}
	return run(s)
}

func (t *terminal) newServer() (*server, error) {
	base, err := url.Parse(t.cli.Server)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, fmt.Errorf("%w: --server %q is not like https://console.acme.example", errUsage, t.cli.Server)
	}
	s := &server{base: base.JoinPath("api", "v1"), client: &http.Client{Timeout: serverTimeout}, pause: time.Second}
	s.token, _ = t.lookup("ONCEWAY_ID_TOKEN")
	if s.token == "" && t.cli.IAPClient != "" {
		var tokens table.IDTokens
		if s.token, err = tokens.Token(t.ctx, t.cli.IAPClient); err != nil {
			return nil, err
		}
	}
	if s.token != "" && base.Scheme != "https" {
		return nil, fmt.Errorf("%w: --server: an identity token is sent over https alone", errUsage)
	}
	return s, nil
}

func (s *server) get(ctx context.Context, into any, path string, query ...string) error {
	return s.call(ctx, http.MethodGet, path, query, nil, into)
}

// post makes a change, under one key for all of its tries: it is made once.
func (s *server) post(ctx context.Context, path string, body any) error {
	return s.call(ctx, http.MethodPost, path, nil, body, new(struct{}))
}

func (s *server) call(ctx context.Context, method, path string, query []string, body, into any) error {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	u := s.base.JoinPath(strings.Split(path, "/")...)
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	u.RawQuery = q.Encode()
	key := claim.NewToken()
	for try := 1; ; try++ {
		again, err := s.once(ctx, method, u.String(), key, payload, into)
		if err == nil || !again || try == serverTries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(s.pause):
		}
	}
}

// once sends a request; again says that a repeat may fare better.
func (s *server) once(ctx context.Context, method, to, key string, payload []byte, into any) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(payload))
	if err != nil {
		return false, fmt.Errorf("ask the console: %w", err)
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return true, fmt.Errorf("ask the console: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return true, fmt.Errorf("read the console's answer: %w", err)
	}
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal(answer, into); err != nil {
			return false, fmt.Errorf("read the console's answer: %w (is there a sign-in page before it? see --iap-client)", err)
		}
		return false, nil
	}
	return resp.StatusCode >= 500, refusal(resp, answer)
}

// refusal makes an error of a problem, one that the exit status knows where it is a conflict.
func refusal(resp *http.Response, answer []byte) error {
	var p console.Problem
	if json.Unmarshal(answer, &p) != nil || p.Code == "" {
		return fmt.Errorf("%w: it answered %s", errServer, resp.Status)
	}
	switch p.Status {
	case http.StatusConflict, http.StatusNotFound:
		return fmt.Errorf("%w: %s", errNotDone, plain(p.Detail))
	case http.StatusBadRequest:
		return fmt.Errorf("%w: %s", errUsage, plain(p.Detail))
	}
	return fmt.Errorf("%w (%d): %s", errServer, p.Status, plain(p.Detail))
}

// errNotDone says that the state there does not admit what was asked.
var errNotDone = errors.New("not done")
