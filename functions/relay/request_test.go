package relay_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/functions/relay"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// catch serves one request after another and keeps the last.
func catch(t *testing.T) (s *service, last func() (http.Header, string)) {
	t.Helper()
	var header http.Header
	var body []byte
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusNoContent)
	})
	return s, func() (http.Header, string) { return header, string(body) }
}

func TestRequestIsACloudEventInBinaryMode(t *testing.T) {
	t.Parallel()
	s, last := catch(t)
	b := setUp(t, relay.Config{
		URL: s.URL, Private: true, Audience: "https://orders.acme.example", Headers: []string{"Region", "X-Absent"},
	}, tokens{})
	m := pulled(t, envelope.Pulled{
		ID:   "9",
		Data: []byte(`{"specversion":"1.0","id":"order 7","source":"//shop.acme.example/orders","type":"placed","subject":"grün","tenant":"acme","data":{"order":7}}`),
		Attributes: map[string]string{
			"content-type": "application/cloudevents+json", "region": "EU", "secret": "not passed on", "authorization": "not passed on",
		},
	})
	rep := b.deliver(t, m)
	if rep.Outcome != once.Done {
		t.Fatalf("outcome %s (%v)", rep.Outcome, rep.Err)
	}
	header, body := last()
	want := http.Header{
		"Ce-Specversion": {"1.0"}, "Ce-Id": {"order%207"}, "Ce-Source": {"//shop.acme.example/orders"}, "Ce-Type": {"placed"},
		"Ce-Subject": {"gr%C3%BCn"}, "Ce-Tenant": {"acme"}, "Content-Type": {"application/json"}, "Content-Length": {"11"},
		"Idempotency-Key": {claim.OperationID("relay", "//shop.acme.example/orders order 7")}, "Onceway-Epoch": {"1"}, "Region": {"EU"},
		"User-Agent": {"onceway-relay"}, "Authorization": {"Bearer token-for-https://orders.acme.example"},
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if body != `{"order":7}` {
		t.Errorf("body %q", body)
	}
}

func TestContentTypeOfPlainMessages(t *testing.T) {
	t.Parallel()
	s, last := catch(t)
	b := setUp(t, relay.Config{URL: s.URL, Private: true}, nil)
	for id, tc := range map[string]struct{ said, data, want string }{
		"1": {"", `{"order":7}`, "application/json"},
		"2": {"", "\x00\x01", "application/octet-stream"},
		"3": {"text/csv", "a,b", "text/csv"},
		"4": {"", "", "application/octet-stream"},
	} {
		m := pulled(t, envelope.Pulled{ID: id, Data: []byte(tc.data), Attributes: map[string]string{"content-type": tc.said}})
		if rep := b.deliver(t, m); rep.Outcome != once.Done {
			t.Fatalf("outcome %s (%v)", rep.Outcome, rep.Err)
		}
		header, body := last()
		if header.Get("Content-Type") != tc.want || body != tc.data {
			t.Errorf("%q: content type %s, body %q", tc.data, header.Get("Content-Type"), body)
		}
	}
}

func TestRedeliveryKeepsTheKeyAndRaisesTheEpoch(t *testing.T) {
	t.Parallel()
	var keys, epochs []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		keys, epochs = append(keys, r.Header.Get("Idempotency-Key")), append(epochs, r.Header.Get("Onceway-Epoch"))
		if len(keys) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	b := setUp(t, relay.Config{URL: s.URL, Private: true}, nil)
	for range 3 { // fails, works, is a duplicate
		b.deliver(t, message(t, "1"))
	}
	if len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("keys %v", keys)
	}
	if diff := cmp.Diff([]string{"1", "2"}, epochs); diff != "" {
		t.Errorf("epochs:\n%s", diff)
	}
}

func TestVerifyBelievesOnly200And404(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]once.Answer{
		200: once.EffectDone, 404: once.EffectNotDone, 204: once.Unknown, 302: once.Unknown, 401: once.Unknown, 410: once.Unknown, 503: once.Unknown,
	} {
		var asked string
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked = r.Method + " " + r.URL.Path
			w.WriteHeader(code)
		})
		b := setUp(t, relay.Config{URL: s.URL, VerifyURL: s.URL + "/operations/{operation}", Private: true}, nil)
		got, _ := b.handler.Verify(t.Context(), "", "abc")
		if got != want || asked != "GET /operations/abc" {
			t.Errorf("%d: %v, want %v; asked %s", code, got, want, asked)
		}
	}
	b := setUp(t, relay.Config{URL: "https://orders.acme.example", VerifyURL: closedURL + "/{operation}", Private: true}, nil)
	if got, err := b.handler.Verify(t.Context(), "", "abc"); got != once.Unknown || err == nil {
		t.Errorf("nobody there: %v, %v", got, err)
	}
	b = setUp(t, relay.Config{URL: "https://orders.acme.example"}, nil)
	if got, err := b.handler.Verify(t.Context(), "", "abc"); got != once.Unknown || err != nil {
		t.Errorf("no verify URL: %v, %v", got, err)
	}
}
