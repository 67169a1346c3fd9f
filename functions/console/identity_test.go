package console_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"onceway.internal/functions/console"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/iap"
)

const audience = "/projects/123/locations/europe-west1/services/console"

// signer is Identity-Aware Proxy: it signs, and serves its keys.
type signer struct {
	t   *testing.T
	key *ecdsa.PrivateKey
	url string
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	s := &signer{t: t, key: must(ecdsa.GenerateKey(elliptic.P256(), crand.Reader))(t)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		raw, _ := s.key.PublicKey.Bytes()
		enc := base64.RawURLEncoding.EncodeToString
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []map[string]string{{"kty": "EC", "crv": "P-256", "kid": "k", "x": enc(raw[1:33]), "y": enc(raw[33:])}}})
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func claims(email string) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": "https://cloud.google.com/iap", "aud": audience, "sub": "accounts.google.com:1", "email": email,
		"iat": time.Now().Add(-time.Minute).Unix(), "exp": time.Now().Add(9 * time.Minute).Unix(),
	}
}

func (s *signer) sign(m jwt.SigningMethod, key crypto.PrivateKey, c jwt.MapClaims) string {
	s.t.Helper()
	token := jwt.NewWithClaims(m, c)
	token.Header["kid"] = "k"
	return must(token.SignedString(key))(s.t)
}

// behind is the console behind the proxy.
func (w *world) behind(s *signer) *console.Handler {
	w.t.Helper()
	d := w.deps
	d.Proxy = must(iap.New(iap.Config{Audience: audience, KeysURL: s.url, HTTP: http.DefaultClient, Now: time.Now}))(w.t)
	d.Identity = ""
	return must(console.New(d))(w.t)
}

func TestOnlyAssertionsOfTheProxyOpenAnything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := newSigner(t)
	h := w.behind(s)
	es := jwt.SigningMethodES256
	other := must(ecdsa.GenerateKey(elliptic.P256(), crand.Reader))(t)
	rsaKey := must(rsa.GenerateKey(crand.Reader, 2048))(t)
	with := func(name string, value any) jwt.MapClaims {
		c := claims(operator)
		c[name] = value
		return c
	}
	for name, tc := range map[string]struct {
		assertion string
		status    int
	}{
		"good":                        {s.sign(es, s.key, claims(viewer)), 200},
		"missing":                     {"", 401},
		"forged":                      {s.sign(es, other, claims(operator)), 401},
		"expired":                     {s.sign(es, s.key, with("exp", time.Now().Add(-time.Minute).Unix())), 401},
		"wrong audience":              {s.sign(es, s.key, with("aud", "/projects/123/global/backendServices/7")), 401},
		"wrong issuer":                {s.sign(es, s.key, with("iss", "https://accounts.google.com")), 401},
		"RS256, as Google's others":   {s.sign(jwt.SigningMethodRS256, rsaKey, with("iss", "https://accounts.google.com")), 401},
		"RS256, with the right names": {s.sign(jwt.SigningMethodRS256, rsaKey, claims(operator)), 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/groups", "/groups/live", "/campaigns", "/claims", "/letters", "/audit", "/health", "/api/v1/me", "/api/v1/groups", "/api/v1/claims", "/api/v1/letters", "/api/v1/audit", "/api/v1/health"} {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://console.acme.example"+path, nil)
				r.Header.Set("X-Goog-IAP-JWT-Assertion", tc.assertion)
				r.Header.Set("X-Goog-Authenticated-User-Email", "accounts.google.com:"+operator) // unsigned: means nothing
				if rec := serve(h, r); rec.Code != tc.status {
					t.Errorf("%s: %d, want %d", path, rec.Code, tc.status)
				}
			}
		})
	}
}

// writes are every change there is, as a form and as an API call.
func (w *world) writes() map[string]string {
	id, dead := w.parked("order-1"), w.dead("order-2")
	return map[string]string{
		"/groups/dg01/reserve":                "token=t&customers=acme",
		"/groups/dg01/release":                "token=t",
		"/groups/dg01/drain":                  "token=t",
		"/groups/dg01/undrain":                "token=t",
		"/claims/" + id + "/resolve":          "token=t&as=done",
		"/letters/" + dead + "/replay":        "token=t",
		"/letters/" + dead + "/drop":          "token=t",
		"/api/v1/groups/dg01/reserve":         `{"customers":["acme"]}`,
		"/api/v1/groups/dg01/release":         `{}`,
		"/api/v1/groups/dg01/drain":           `{}`,
		"/api/v1/groups/dg01/undrain":         `{}`,
		"/api/v1/claims/" + id + "/resolve":   `{"as":"done"}`,
		"/api/v1/letters/" + dead + "/replay": `{"newKey":true}`,
		"/api/v1/letters/" + dead + "/drop":   `{}`,
	}
}

func TestViewersChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := newSigner(t)
	h := w.behind(s)
	for path, body := range w.writes() {
		r := w.request(http.MethodPost, path, body)
		r.Header.Set("X-Goog-IAP-JWT-Assertion", s.sign(jwt.SigningMethodES256, s.key, claims(viewer)))
		if rec := serve(h, r); rec.Code != http.StatusForbidden {
			t.Errorf("%s by a viewer: %d, want 403", path, rec.Code)
		}
		r = w.request(http.MethodPost, path, body)
		if rec := serve(h, r); rec.Code != http.StatusUnauthorized {
			t.Errorf("%s by nobody: %d, want 401", path, rec.Code)
		}
	}
	w.untouched()
	r := w.request(http.MethodGet, "/letters/"+w.dead("order-3")+"?body=true", "")
	r.Header.Set("X-Goog-IAP-JWT-Assertion", s.sign(jwt.SigningMethodES256, s.key, claims(viewer)))
	if rec := serve(h, r); rec.Code != http.StatusForbidden || strings.Contains(rec.Body.String(), "payload of") {
		t.Errorf("a viewer read an event's body: %d", rec.Code)
	}
}

// untouched checks that nothing was changed: refusals alone stand in the audit log.
func (w *world) untouched() {
	w.t.Helper()
	if l := must(w.live.Load(w.t.Context()))(w.t); len(l.Reservations)+len(l.Draining) > 0 {
		w.t.Errorf("live state changed: %+v", l)
	}
	if n := len(w.topic.all()); n > 0 {
		w.t.Errorf("%d events were published", n)
	}
	if all, _, err := w.letters.List(w.t.Context(), "", 10); err != nil || len(all) != 2 {
		w.t.Errorf("%d letters are left, want 2 (%v)", len(all), err)
	}
	for _, e := range w.entries() {
		if !strings.HasSuffix(e, ": refused") {
			w.t.Errorf("audit log has %q", e)
		}
	}
}

func TestWritesFromOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, body := range w.writes() {
		for name, headers := range map[string][2]string{
			"cross-site":        {"Sec-Fetch-Site", "cross-site"},
			"same-site":         {"Sec-Fetch-Site", "same-site"},
			"another origin":    {"Origin", "https://evil.example"},
			"an opaque origin":  {"Origin", "null"},
			"another port here": {"Origin", "http://localhost:9999"},
		} {
			r := w.request(http.MethodPost, path, body)
			r.Header.Set(headers[0], headers[1])
			if rec := serve(w.handler, r); rec.Code != http.StatusForbidden {
				t.Errorf("%s, %s: %d, want 403", path, name, rec.Code)
			}
		}
	}
	w.untouched()
	r := w.request(http.MethodPost, "/groups/dg01/drain", "token=t")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if rec := serve(w.handler, r); rec.Code != http.StatusSeeOther {
		t.Errorf("from the console itself: %d, want 303", rec.Code)
	}
}

// Without the proxy whoever reaches the console is somebody: so only this machine may,
// and no page elsewhere by a name that it rebinds.
func TestWithoutTheProxyOnlyThisMachineIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tc := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"localhost":              {func(*http.Request) {}, 200},
		"localhost with a port":  {func(r *http.Request) { r.Host = "localhost:8080" }, 200},
		"127.0.0.1":              {func(r *http.Request) { r.Host = "127.0.0.1:8080" }, 200},
		"IPv6":                   {func(r *http.Request) { r.Host, r.RemoteAddr = "[::1]:8080", "[::1]:40000" }, 200},
		"from elsewhere":         {func(r *http.Request) { r.RemoteAddr = "192.0.2.1:40000" }, 403},
		"to another name":        {func(r *http.Request) { r.Host = "rebound.example" }, 403},
		"to a name like ours":    {func(r *http.Request) { r.Host = "localhost.evil.example" }, 403},
		"through a proxy":        {func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") }, 403},
		"through another proxy":  {func(r *http.Request) { r.Header.Set("Via", "1.1 proxy") }, 403},
		"from no address at all": {func(r *http.Request) { r.RemoteAddr = "@" }, 403},
	} {
		r := w.request(http.MethodGet, "/groups", "")
		tc.change(r)
		rec := serve(w.handler, r)
		if rec.Code != tc.status {
			t.Errorf("%s: %d, want %d", name, rec.Code, tc.status)
		}
		if tc.status == 200 && !strings.Contains(rec.Body.String(), "Not signed in.") {
			t.Errorf("%s: no banner says that nobody signed in", name)
		}
	}
}

func TestWhoHasNoRoleSeesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Policy = must(policy.Parse("policy.yaml", []byte("default: nobody\n")))(t)
	h := must(console.New(w.deps))(t)
	for _, path := range []string{"/groups", "/claims", "/api/v1/groups", "/api/v1/me"} {
		if rec := serve(h, w.request(http.MethodGet, path, "")); rec.Code != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", path, rec.Code)
		}
	}
}

func TestThePolicyMayAskForMoreThanAnOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Policy = must(policy.Parse("policy.yaml", []byte("roles:\n  operator:\n    emails: ["+operator+"]\ncommands:\n  drain: admin\n")))(t)
	h := must(console.New(w.deps))(t)
	if rec := serve(h, w.request(http.MethodPost, "/groups/dg01/drain", "token=t")); rec.Code != http.StatusForbidden {
		t.Errorf("an operator drained where the policy wants an admin: %d", rec.Code)
	}
	if rec := serve(h, w.request(http.MethodPost, "/groups/dg01/reserve", "token=t&customers=acme")); rec.Code != http.StatusSeeOther {
		t.Errorf("reserve: %d, want 303", rec.Code)
	}
}
