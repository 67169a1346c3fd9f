package assign_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

// FuzzAssignmentRequest: any body gets an assignment that repeats, or a problem by RFC
// 9457 that blames the request and is no page of somebody's data.
func FuzzAssignmentRequest(f *testing.F) {
	for _, body := range []string{
		`{"campaign":"c1","customer":"acme","size":1000}`, `{"campaign":"c1"}`, `{"campaign":""}`, `{"campaign":"c","size":-1}`, `{"campaign":"c","size":1e999}`,
		`{"campaign":"c","size":1.5}`, `{"campaign":"c","other":1}`, `{"campaign":"c"}{}`, `[]`, `null`, ``, `{"campaign":"\u0000\ud800"}`, `{"Campaign":"c"}`,
	} {
		f.Add("application/json", []byte(body))
	}
	f.Add("text/plain; =", []byte(`{}`))
	f.Fuzz(func(t *testing.T, media string, body []byte) {
		s := newService(t, three())
		answered := func() *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "/v1/assignments", bytes.NewReader(body))
			r.Header.Set("Content-Type", media)
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			return w
		}
		first := answered()
		if first.Code == http.StatusOK {
			var a, b struct{ Campaign, Group, Topic string }
			if json.Unmarshal(first.Body.Bytes(), &a) != nil || a.Campaign == "" || a.Topic == "" {
				t.Errorf("answered %s", first.Body)
			}
			if second := answered(); json.Unmarshal(second.Body.Bytes(), &b) != nil || a != b {
				t.Errorf("first %+v, then %+v", a, b)
			}
			return
		}
		isProblem(t, first)
	})
}

func isProblem(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	var p struct {
		Type, Title, Code, Detail string
		Status                    int
	}
	err := json.Unmarshal(w.Body.Bytes(), &p)
	if err != nil || w.Header().Get("Content-Type") != "application/problem+json" || p.Type == "" || p.Title == "" || p.Code == "" || p.Status != w.Code {
		t.Errorf("status %d, %v, body %s", w.Code, err, w.Body)
	}
	if w.Code < 400 || w.Code > 499 {
		t.Errorf("status %d blames the service", w.Code)
	}
}
