package stored_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/stored"
	"onceway.internal/shared/letter"
)

// anyText draws strings of any bytes, not only UTF-8. Each test has one of its own: a
// generator is not for two goroutines.
func anyText() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
}

func anyTime(t *rapid.T, label string) time.Time {
	if rapid.Bool().Draw(t, label+" set") {
		return time.Unix(rapid.Int64Range(-1e9, 1e11).Draw(t, label), rapid.Int64Range(0, 999_999_999).Draw(t, label+" nanos")).UTC()
	}
	return time.Time{}
}

func TestEveryRecordComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return anyText().Draw(t, label) }
		want := claim.Record{
			ID: "id", Key: text("key"), Handler: text("handler"), Subject: text("subject"),
			Policy: claim.Policy(text("policy")), State: claim.State(text("state")), Owner: text("owner"),
			Epoch: rapid.Int64().Draw(t, "epoch"), WriteID: text("writeID"), Attempts: rapid.Int().Draw(t, "attempts"),
			Lease: time.Duration(rapid.Int64().Draw(t, "lease")), LeaseEnd: anyTime(t, "leaseEnd"),
			PayloadHash: text("payloadHash"), OperationID: text("operationID"), Reason: text("reason"), LastError: text("lastError"),
			Republish: rapid.Bool().Draw(t, "republish"), CreatedAt: anyTime(t, "createdAt"), ExpireAt: anyTime(t, "expireAt"), Summary: text("summary"),
		}
		if rapid.Bool().Draw(t, "result set") {
			want.Result = append([]byte{}, text("result")...)
		}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			want.Trace = append(want.Trace, claim.Step{
				At: anyTime(t, "at"), From: claim.State(text("from")), To: claim.State(text("to")), By: text("by"), Epoch: rapid.Int64().Draw(t, "step epoch"),
			})
		}
		b, err := stored.EncodeRecord(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := stored.DecodeRecord("id", b)
		if err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("record differs (-want +got):\n%s", diff)
		}
	})
}

func TestEveryLetterComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return anyText().Draw(t, label) }
		want := letter.Letter{
			ID: "id", Key: text("key"), Handler: text("handler"), Reason: text("reason"),
			Attempts: rapid.Int().Draw(t, "attempts"), Epoch: rapid.Int64().Draw(t, "epoch"), Error: text("error"),
			Source: text("source"), Topic: text("topic"), MessageID: text("messageID"),
			OrderingKey: text("orderingKey"), PayloadHash: text("payloadHash"), PublishedAt: anyTime(t, "publishedAt"),
		}
		if attrs := rapid.MapOf(anyText(), anyText()).Draw(t, "attributes"); len(attrs) > 0 {
			want.Attributes = attrs
		}
		b, err := stored.EncodeLetter(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := stored.DecodeLetter("id", b)
		if err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("letter differs (-want +got):\n%s", diff)
		}
	})
}

func TestDamagedRecordIsUnreadable(t *testing.T) {
	t.Parallel()
	whole, err := stored.EncodeRecord(claim.Record{State: claim.Retry, Lease: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(map[string]any){
		"lease without a unit": func(m map[string]any) { m["lease"] = 60 },
		"lease that is a word": func(m map[string]any) { m["lease"] = "a minute" },
		"no lease":             func(m map[string]any) { delete(m, "lease") },
		"epoch that is a text": func(m map[string]any) { m["epoch"] = "1" },
		"state that is a list": func(m map[string]any) { m["state"] = []string{"RETRY"} },
		"text of bad base64":   func(m map[string]any) { m["key"] = map[string]string{"base64": "?"} },
		"time that is none":    func(m map[string]any) { m["expireAt"] = "soon" },
	} {
		var m map[string]any
		if err := json.Unmarshal(whole, &m); err != nil {
			t.Fatal(err)
		}
		damage(m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		unreadable(t, name, b)
	}
	unreadable(t, "half a record", whole[:len(whole)/2])
	unreadable(t, "nothing", nil)
}

func unreadable(t *testing.T, name string, b []byte) {
	t.Helper()
	r, err := stored.DecodeRecord("id", b)
	if !errors.Is(err, claim.ErrUnreadable) {
		t.Errorf("%s: got %v, want ErrUnreadable", name, err)
	}
	if diff := cmp.Diff(claim.Record{ID: "id"}, r); diff != "" {
		t.Errorf("%s: more than the ID came back:\n%s", name, diff)
	}
}

func TestUnknownFieldIsPassedOver(t *testing.T) {
	t.Parallel()
	if _, err := stored.DecodeRecord("id", []byte(`{"lease":"1m0s","state":"RETRY","of a later version":1}`)); err != nil {
		t.Errorf("a record of a later version is unreadable: %v", err)
	}
}
