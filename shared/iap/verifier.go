package iap

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Header carries the assertion.
const Header = "X-Goog-Iap-Jwt-Assertion"

// KeysURL is where the proxy's public keys stand.
const KeysURL = "https://www.gstatic.com/iap/verify/public_key-jwk"

const (
	issuer = "https://cloud.google.com/iap"
	leeway = 30 * time.Second
	// maxAssertion bounds what is parsed; real ones have about 1 KB.
	maxAssertion = 16 << 10
)

var (
	// ErrInvalid says that an assertion is not one of the proxy's for this audience.
	ErrInvalid = errors.New("invalid assertion")
	// ErrKeys says that the proxy's keys can't be read, so that nobody can tell.
	ErrKeys = errors.New("the proxy's keys can't be read")
)

// Config of a Verifier.
type Config struct {
	// Audience as the proxy's settings show it, such as
	// "/projects/123/locations/europe-west1/services/console".
	Audience string
	KeysURL  string
	HTTP     *http.Client
	Now      func() time.Time
}

// Validate names every fault.
func (c Config) Validate() error {
	var errs []error
	if c.Audience == "" {
		errs = append(errs, errors.New("audience: is empty, and any would do"))
	}
	if u, err := url.Parse(c.KeysURL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		errs = append(errs, fmt.Errorf("keys: %q is no URL", c.KeysURL))
	}
	if c.HTTP == nil || c.Now == nil {
		errs = append(errs, errors.New("HTTP client or clock: missing"))
	}
	return errors.Join(errs...)
}

// Person is who the proxy let through.
type Person struct {
	Email   string
	Subject string
}

// Verifier verifies assertions. Safe for concurrent use.
type Verifier struct {
	keys   keys
	parser *jwt.Parser
}

// New returns a Verifier. It reads no keys yet.
func New(c Config) (*Verifier, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("configure IAP: %w", err)
	}
	return &Verifier{
		keys: keys{url: c.KeysURL, http: c.HTTP, now: c.Now},
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}),
			jwt.WithIssuer(issuer), jwt.WithAudience(c.Audience), jwt.WithLeeway(leeway),
			jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(c.Now), jwt.WithStrictDecoding(),
		),
	}, nil
}

type claims struct {
	jwt.RegisteredClaims
	Email string `json:"email"`
}

// Verify answers with who is asking. It blocks for a read of the keys at most, and
// answers ErrInvalid or ErrKeys; neither repeats the assertion.
func (v *Verifier) Verify(ctx context.Context, assertion string) (Person, error) {
	if assertion == "" || len(assertion) > maxAssertion {
		return Person{}, fmt.Errorf("%w: it has %d bytes", ErrInvalid, len(assertion))
	}
	var c claims
	_, err := v.parser.ParseWithClaims(assertion, &c, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		return v.keys.get(ctx, id)
	})
	switch {
	case errors.Is(err, ErrKeys):
		return Person{}, err
	case err != nil:
		return Person{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	case len(c.Audience) != 1:
		return Person{}, fmt.Errorf("%w: it is for %d audiences", ErrInvalid, len(c.Audience))
	case c.Subject == "" || c.Email == "" || c.IssuedAt == nil:
		return Person{}, fmt.Errorf("%w: no subject, address or time of issue", ErrInvalid)
	}
	return Person{Email: c.Email, Subject: c.Subject}, nil
}
