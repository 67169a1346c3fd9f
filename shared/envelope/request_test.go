package envelope_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"onceway.internal/shared/envelope"
)

func wrappedBody(data []byte) string {
	return `{"message":{"messageId":"7","data":"` + base64.StdEncoding.EncodeToString(data) + `"}}`
}

func TestBodyOfAnyAllowedSizeIsReadWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 511, 512, 1 << 20, 3 << 20} {
		for _, known := range []bool{true, false} {
			data := bytes.Repeat([]byte("x"), size)
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(wrappedBody(data)))
			if !known {
				r.ContentLength = -1
			}
			m, err := envelope.FromRequest(r)
			if err != nil {
				t.Fatalf("%d bytes, length known %v: %v", size, known, err)
			}
			if !bytes.Equal(m.Data, data) {
				t.Errorf("%d bytes, length known %v: data changed", size, known)
			}
		}
	}
}

func TestOversizedBodyIsRefusedWithoutReadingOn(t *testing.T) {
	t.Parallel()
	for name, length := range map[string]int64{"announced": envelope.MaxBody + 1, "streamed": -1, "lied about": 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &endless{}
			r := httptest.NewRequest(http.MethodPost, "/", src)
			r.ContentLength = length
			if _, err := envelope.FromRequest(r); !errors.Is(err, envelope.ErrTooLarge) {
				t.Errorf("answered %v", err)
			}
			if src.read > envelope.MaxBody+1 || (length > envelope.MaxBody && src.read > 0) {
				t.Errorf("read %d bytes", src.read)
			}
		})
	}
}

var blanks = bytes.Repeat([]byte(" "), 1<<20)

type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, blanks)
	e.read += n
	return n, nil
}

func TestBrokenConnectionIsNotTheMessagesFault(t *testing.T) {
	t.Parallel()
	cut := io.MultiReader(strings.NewReader(`{"message":`), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err := envelope.FromRequest(httptest.NewRequest(http.MethodPost, "/", cut))
	if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, envelope.ErrMalformed) || errors.Is(err, envelope.ErrTooLarge) {
		t.Errorf("answered %v", err)
	}
}

func TestCredentialsAreNoAttributes(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
	r.Header.Set("X-Goog-Pubsub-Message-Id", "7")
	r.Header.Set("Authorization", "Bearer secret")
	r.Header.Set("Cookie", "secret")
	r.Header.Set("X-Serverless-Authorization", "Bearer secret")
	r.Header.Set("Region", "EU")
	m, err := envelope.FromRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Attributes) != 1 || m.Attributes["region"] != "EU" {
		t.Errorf("attributes %v", m.Attributes)
	}
}

func TestHTTPEventCanBePublishedAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"http-structured", "http-structured-base64", "eventarc-storage"} {
		m, err := envelope.FromRequest(request(t, golden(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		again, err := envelope.FromPulled(envelope.Pulled{ID: "new", Data: m.Data, Attributes: m.Attributes})
		if err != nil {
			t.Fatal(err)
		}
		if !again.OwnEvent || again.Event.ID() != m.Event.ID() || again.Event.Source() != m.Event.Source() ||
			!bytes.Equal(again.Event.Data(), m.Event.Data()) || len(again.Event.Extensions()) != len(m.Event.Extensions()) {
			t.Errorf("%s: republished as %v", name, again.Event)
		}
	}
}

func TestBinaryEventsHeadersArePercentDecoded(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x"))
	for name, value := range map[string]string{
		"Ce-Specversion": "1.0", "Ce-Id": "7", "Ce-Source": "s", "Ce-Type": "t",
		"Ce-Subject": "gr%C3%BCn 100%", "Ce-Tenant": "gr%C3%BCn%20%25",
	} {
		r.Header.Set(name, value)
	}
	m, err := envelope.FromRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	if m.Event.Subject() != "gr%C3%BCn 100%" || m.Attributes["ce-tenant"] != "grün %" {
		t.Errorf("subject %q, tenant %q", m.Event.Subject(), m.Attributes["ce-tenant"])
	}
}

func TestPubSubsOwnWrapperIsNoEventOfTheMessage(t *testing.T) {
	t.Parallel()
	m, err := envelope.FromPulled(envelope.Pulled{ID: "7", Attributes: map[string]string{
		"ce-specversion": "1.0", "ce-id": "6", "ce-type": published, "ce-source": relayPub,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if m.OwnEvent || m.Event.ID() != "7" {
		t.Errorf("own %v, event ID %s: another message's ID would be the key", m.OwnEvent, m.Event.ID())
	}
}
