package envelope

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reference decodes a wrapped push with encoding/json, as plainly as possible.
func reference(body []byte) (p Pulled, ok bool) {
	var top, msg map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil || top == nil || json.Unmarshal(top["message"], &msg) != nil || msg == nil {
		return p, false
	}
	var snakeID, data string
	fields := map[string]*string{"messageId": &p.ID, "message_id": &snakeID, "orderingKey": &p.OrderingKey, "data": &data}
	for name, to := range fields {
		if raw, there := msg[name]; there && json.Unmarshal(raw, to) != nil {
			return p, false
		}
	}
	if raw, there := top["subscription"]; there && json.Unmarshal(raw, &p.Subscription) != nil {
		return p, false
	}
	attrs := map[string]*string{}
	if raw, there := msg["attributes"]; there && json.Unmarshal(raw, &attrs) != nil {
		return p, false
	}
	for k, v := range attrs {
		if p.Attributes == nil {
			p.Attributes = map[string]string{}
		}
		p.Attributes[k] = ""
		if v != nil {
			p.Attributes[k] = *v
		}
	}
	if p.ID == "" {
		p.ID = snakeID
	}
	var err error
	p.Data, err = base64.StdEncoding.DecodeString(data)
	return p, err == nil && p.ID != ""
}

// FuzzWrapped holds the decoder to what encoding/json reads in the same bytes.
func FuzzWrapped(f *testing.F) {
	files, _ := filepath.Glob("../../test/payloads/push/*.http")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
		f.Add(body)
	}
	for _, body := range odd {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// Two messages in one body are refused here; nesting is bounded lower.
		if strings.Count(string(body), "mess") > 3 || bytes.Count(body, []byte(`\u`)) > 3 || bytes.Count(body, []byte("[")) > 500 || bytes.Count(body, []byte("{")) > 500 {
			t.Skip()
		}
		want, ok := reference(body)
		got, err := unwrap(body)
		if err == nil && !json.Valid(body) {
			t.Fatalf("took bytes that are no JSON")
		}
		if ok && err != nil {
			t.Fatalf("refused what encoding/json reads: %v", err)
		}
		if !ok || err != nil {
			return
		}
		got.PublishTime, got.DeliveryAttempt = want.PublishTime, 0
		if len(got.Attributes) == 0 {
			got.Attributes = nil
		}
		if len(got.Data) == 0 {
			got.Data = want.Data
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-encoding/json +own):\n%s", diff)
		}
	})
}

// odd are bodies at the edges of the grammar.
var odd = []string{
	`{"message":{"messageId":"\u00fc\ud83d\ude00\ud800x\"\\\/\b\f\n\r\t","data":""}}`,
	`{"message":{"message\u0049d":"7","attributes":{"\u0061":"\ud800\ud800","b":null,"":""}}}`,
	`{"message":{"messageId":"7","data":null,"attributes":null,"orderingKey":null},"subscription":null}`,
	"{\"message\":{\"messageId\":\"\xff\xfe\"}}",
	"{\"message\":{\"messageId\":\"a\x01\"}}",
	`{"message":{"messageId":"7","x":[1,-0,0.5,1e9,-1.5E-3,true,false,null,{},[]]}}`,
	`{"message":{"messageId":"7","x":01}}`, `{"message":{"messageId":"7","x":1.}}`, `{"message":{"messageId":"7","x":-}}`,
	`{"message":{"messageId":"7","x":+1}}`, `{"message":{"messageId":"7","x":[1,]}}`, `{"message":{"messageId":"7",}}`,
	`{"message":{"messageId":"\u00g0"}}`, `{"message":{"messageId":"\x"}}`, `{"message":{"messageId":7}}`,
	`{"message":"7"}`, `{"message":null}`, `[]`, `null`, ``, `{`, `{"message":{"messageId":"7"}`, `{"message":{"messageId":"7"}}}`,
	`{"message":{"messageId":"7","data":"++//"}}`, `{"message":{"messageId":"7","data":"YQ"}}`, `{"message":{"messageId":"7","data":"\u0059Q=="}}`,
	`{"message":{"messageId":"7","x":nul}}`, `{"message":{"messageId":"7","x":truex}}`, ` { "message" : { "messageId" : "7" } } `,
}

func TestBase64OfProtocolBuffersIsRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"-_8=", "-_8", "+/8=", "+/8"} {
		got, err := decodeBase64([]byte(text))
		if err != nil || !bytes.Equal(got, []byte{0xfb, 0xff}) {
			t.Errorf("%q: %x, %v", text, got, err)
		}
	}
}

func TestAmbiguousOrAbysmalJSONIsRefused(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"two messages": `{"message":{"messageId":"1"},"message":{"messageId":"2"}}`,
		"deep nesting": `{"message":{"messageId":"1","x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`,
	} {
		if _, err := unwrap([]byte(body)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
