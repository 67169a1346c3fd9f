package iap

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// How long keys serve, and how often they are read at most.
const (
	freshFor  = time.Hour
	staleFor  = 24 * time.Hour
	readPause = 30 * time.Second
	readLimit = 5 * time.Second
	maxKeys   = 256 << 10 // bytes
)

var (
	errUnknownKey = errors.New("signed by an unknown key")
	errNotP256    = errors.New("key is no point on P-256")
)

// keys are the proxy's public keys by their ID. Safe for concurrent use.
type keys struct {
	url  string
	http *http.Client
	now  func() time.Time

	mu    sync.Mutex
	byID  map[string]*ecdsa.PublicKey
	read  time.Time // when they were last read
	tried time.Time // when that was last tried
}

// get answers with a key, errUnknownKey, or ErrKeys where nobody can tell.
func (k *keys) get(ctx context.Context, id string) (*ecdsa.PublicKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	key, known := k.byID[id]
	if known && now.Sub(k.read) < freshFor {
		return key, nil
	}
	var failed error
	if k.tried.IsZero() || now.Sub(k.tried) >= readPause {
		k.tried = now
		if byID, err := k.fetch(ctx); err != nil {
			failed = err
		} else {
			k.byID, k.read = byID, now
		}
		key, known = k.byID[id]
	}
	switch {
	case now.Sub(k.read) >= staleFor:
		return nil, errors.Join(ErrKeys, failed)
	case known:
		return key, nil
	case failed != nil:
		return nil, errors.Join(ErrKeys, failed)
	}
	return nil, errUnknownKey
}

// fetch does not end with the request that needs it: others wait for the answer too.
func (k *keys) fetch(ctx context.Context) (map[string]*ecdsa.PublicKey, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	resp, err := k.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read keys: %s", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxKeys))
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return parse(body)
}

// parse reads a JWK set and leaves out what is no ES256 key.
func parse(body []byte) (map[string]*ecdsa.PublicKey, error) {
	var set struct {
		Keys []struct{ Kid, Kty, Crv, X, Y string }
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	byID := make(map[string]*ecdsa.PublicKey, len(set.Keys))
	for _, k := range set.Keys {
		if k.Kty != "EC" || k.Crv != "P-256" || k.Kid == "" {
			continue
		}
		key, err := point(k.X, k.Y)
		if err != nil {
			return nil, fmt.Errorf("read key %q: %w", k.Kid, err)
		}
		byID[k.Kid] = key
	}
	if len(byID) == 0 {
		return nil, errors.New("read keys: there is no ES256 key")
	}
	return byID, nil
}

func point(x, y string) (*ecdsa.PublicKey, error) {
	const size = 32
	raw := []byte{4} // uncompressed
	for _, part := range []string{x, y} {
		b, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || len(b) != size {
			return nil, errNotP256
		}
		raw = append(raw, b...)
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		return nil, errNotP256
	}
	return key, nil
}
