package iap_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"onceway.internal/shared/iap"
)

const audience = "/projects/123/locations/europe-west1/services/console"

// proxy is Google's key server, and the proxy that signs.
type proxy struct {
	*httptest.Server
	key   *ecdsa.PrivateKey
	reads atomic.Int32
	down  atomic.Bool
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	p := &proxy{key: newKey(t)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.reads.Add(1)
		if p.down.Load() {
			http.Error(w, "down", http.StatusInternalServerError)
			return
		}
		raw, _ := p.key.PublicKey.Bytes()
		enc := base64.RawURLEncoding.EncodeToString
		json.NewEncoder(w).Encode(map[string]any{"keys": []map[string]string{
			{"kty": "RSA", "kid": "other", "n": "AQAB", "e": "AQAB"},
			{"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "k1", "x": enc(raw[1:33]), "y": enc(raw[33:])},
		}})
	}))
	t.Cleanup(p.Close)
	return p
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (p *proxy) verifier(t *testing.T, now func() time.Time) *iap.Verifier {
	t.Helper()
	v, err := iap.New(iap.Config{Audience: audience, KeysURL: p.URL, HTTP: p.Client(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func good() jwt.MapClaims {
	return jwt.MapClaims{
		"iss": "https://cloud.google.com/iap", "aud": audience, "sub": "accounts.google.com:1", "email": "ann@acme.example",
		"iat": time.Now().Add(-time.Minute).Unix(), "exp": time.Now().Add(9 * time.Minute).Unix(),
	}
}

func sign(t *testing.T, m jwt.SigningMethod, kid string, key crypto.PrivateKey, c jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(m, c)
	token.Header["kid"] = kid
	s, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// es384 signs as the library would not: with another hash than the key is for.
func es384(t *testing.T, key *ecdsa.PrivateKey, c jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodES384, c)
	token.Header["kid"] = "k1"
	text, err := token.SigningString()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum384([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := make([]byte, 96)
	r.FillBytes(signature[:48])
	s.FillBytes(signature[48:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func TestOnlyTheProxysOwnAssertionsForThisAudienceAreBelieved(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	es := jwt.SigningMethodES256
	with := func(name string, value any) jwt.MapClaims {
		c := good()
		if c[name] = value; value == nil {
			delete(c, name)
		}
		return c
	}
	raw, _ := p.key.PublicKey.Bytes()
	for name, tc := range map[string]struct {
		assertion string
		ok        bool
	}{
		"good":                     {sign(t, es, "k1", p.key, good()), true},
		"clock a little behind":    {sign(t, es, "k1", p.key, with("iat", time.Now().Add(20*time.Second).Unix())), true},
		"missing":                  {"", false},
		"no token":                 {"a.b.c", false},
		"forged by another key":    {sign(t, es, "k1", newKey(t), good()), false},
		"unknown key":              {sign(t, es, "k2", p.key, good()), false},
		"RS256":                    {sign(t, jwt.SigningMethodRS256, "k1", rsaKey, good()), false},
		"HS256 by the public key":  {sign(t, jwt.SigningMethodHS256, "k1", raw, good()), false},
		"ES384 by the proxy's key": {es384(t, p.key, good()), false},
		"unsigned":                 {sign(t, jwt.SigningMethodNone, "k1", jwt.UnsafeAllowNoneSignatureType, good()), false},
		"expired":                  {sign(t, es, "k1", p.key, with("exp", time.Now().Add(-time.Minute).Unix())), false},
		"without an end":           {sign(t, es, "k1", p.key, with("exp", nil)), false},
		"issued in the future":     {sign(t, es, "k1", p.key, with("iat", time.Now().Add(time.Hour).Unix())), false},
		"without a time of issue":  {sign(t, es, "k1", p.key, with("iat", nil)), false},
		"another audience":         {sign(t, es, "k1", p.key, with("aud", "/projects/123/global/backendServices/1")), false},
		"no audience":              {sign(t, es, "k1", p.key, with("aud", nil)), false},
		"empty audience":           {sign(t, es, "k1", p.key, with("aud", "")), false},
		"two audiences":            {sign(t, es, "k1", p.key, with("aud", []string{audience, "x"})), false},
		"another issuer":           {sign(t, es, "k1", p.key, with("iss", "https://accounts.google.com")), false},
		"no issuer":                {sign(t, es, "k1", p.key, with("iss", nil)), false},
		"no e-mail address":        {sign(t, es, "k1", p.key, with("email", nil)), false},
		"no subject":               {sign(t, es, "k1", p.key, with("sub", nil)), false},
		"longer than any real one": {sign(t, es, "k1", p.key, with("x", string(make([]byte, 20<<10)))), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who, err := p.verifier(t, time.Now).Verify(t.Context(), tc.assertion)
			if tc.ok && (err != nil || who.Email != "ann@acme.example") {
				t.Errorf("refused: %v %v", who, err)
			}
			if !tc.ok && (!errors.Is(err, iap.ErrInvalid) || who != iap.Person{}) {
				t.Errorf("answer %v, %v, want ErrInvalid", who, err)
			}
		})
	}
}

func TestForgedKeyIDsDontMakeKeysBeReadAgainAndAgain(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	v := p.verifier(t, time.Now)
	for range 20 {
		v.Verify(t.Context(), sign(t, jwt.SigningMethodES256, "forged", p.key, good()))
	}
	if n := p.reads.Load(); n != 1 {
		t.Errorf("%d reads, want 1", n)
	}
}

func TestKeysAreReadAgainAndServeWhileTheyCantBe(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	var shift atomic.Int64
	v := p.verifier(t, func() time.Time { return time.Now().Add(time.Duration(shift.Load())) })
	verify := func(later time.Duration) error {
		shift.Store(int64(later))
		c := good()
		c["iat"], c["exp"] = time.Now().Add(later).Unix(), time.Now().Add(later+time.Minute).Unix()
		_, err := v.Verify(t.Context(), sign(t, jwt.SigningMethodES256, "k1", p.key, c))
		return err
	}
	p.down.Store(true)
	if err := verify(0); !errors.Is(err, iap.ErrKeys) {
		t.Errorf("without keys: %v, want ErrKeys", err)
	}
	p.down.Store(false)
	if err := verify(time.Minute); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	p.down.Store(true)
	if err := verify(20 * time.Hour); err != nil {
		t.Errorf("known keys should serve for a day: %v", err)
	}
	if err := verify(25 * time.Hour); !errors.Is(err, iap.ErrKeys) {
		t.Errorf("after a day: %v, want ErrKeys", err)
	}
	p.down.Store(false)
	p.key = newKey(t) // rotated under the same ID
	if err := verify(26 * time.Hour); err != nil {
		t.Errorf("after rotation: %v", err)
	}
}

func TestEveryFaultOfTheConfigurationIsNamed(t *testing.T) {
	t.Parallel()
	if _, err := iap.New(iap.Config{}); err == nil {
		t.Error("an empty audience was accepted")
	}
}
