package witness

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/chat/v1"
	"google.golang.org/api/option"
)

func TestReceiverFailsOnceThenActs(t *testing.T) {
	t.Parallel()
	l := NewLedger(time.Now)
	event := Name("relay", 7)
	l.Publishing(Event{Name: event, Channel: HTTP})
	s := httptest.NewServer(NewReceiver(l, Faults{FailFirst: func(e string) bool { return e == event }}))
	t.Cleanup(s.Close)
	for i, want := range []int{http.StatusServiceUnavailable, http.StatusNoContent, http.StatusNoContent} {
		if got := post(t, s.URL, "op-1", `{"id":"`+event+`"}`); got != want {
			t.Errorf("request %d answered %d, want %d", i+1, got, want)
		}
		if got := len(l.Acts(event)); got != i {
			t.Errorf("after request %d: %d acts, want %d", i+1, got, i)
		}
	}
}

func TestRequestWithoutIdempotencyKeyIsAFault(t *testing.T) {
	t.Parallel()
	l := NewLedger(time.Now)
	s := httptest.NewServer(NewReceiver(l, Faults{}))
	t.Cleanup(s.Close)
	if got := post(t, s.URL, "", Name("relay", 1)); got != http.StatusBadRequest {
		t.Errorf("answered %d", got)
	}
	if l.Tally().OK() {
		t.Error("the tally is fine with it")
	}
}

func TestHoldSeesTheCallerLeaveAfterTheEffect(t *testing.T) {
	t.Parallel()
	l := NewLedger(time.Now)
	event := Name("relay", 1)
	held, left := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(NewReceiver(l, Faults{Hold: func(_ string, ended <-chan struct{}) {
		close(held)
		<-ended
		close(left)
	}}))
	t.Cleanup(s.Close)
	client := &http.Client{Transport: &http.Transport{}}
	request := request(t, s.URL, "op", event)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if res, err := client.Do(request); err == nil {
			res.Body.Close()
		}
	}()
	<-held
	if len(l.Acts(event)) != 1 {
		t.Error("held before the effect")
	}
	s.CloseClientConnections()
	<-left
	<-gone
}

func TestChatPostsARequestIDOnce(t *testing.T) {
	t.Parallel()
	l := NewLedger(time.Now)
	event := Name("chat", 4)
	l.Publishing(Event{Name: event, Channel: Chat})
	api := NewChatAPI(l)
	s := httptest.NewServer(api)
	t.Cleanup(s.Close)
	service, err := chat.NewService(t.Context(), option.WithEndpoint(s.URL), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	message := &chat.Message{Text: "done", Thread: &chat.Thread{Name: "spaces/AAA/threads/" + event}}
	first, err := service.Spaces.Messages.Create("spaces/AAA", message).RequestId("r1").Do()
	if err != nil {
		t.Fatal(err)
	}
	again, err := service.Spaces.Messages.Create("spaces/AAA", &chat.Message{Text: "other"}).RequestId("r1").Do()
	if err != nil || again.Name != first.Name || again.Text != "done" {
		t.Errorf("the repeat answered %+v, %v, want the first message %s", again, err, first.Name)
	}
	if _, err := service.Spaces.Messages.Patch(first.Name, &chat.Message{Text: "edited"}).UpdateMask("text").Do(); err != nil {
		t.Fatal(err)
	}
	got, err := service.Spaces.Messages.Get(first.Name).Do()
	if err != nil || got.Text != "edited" {
		t.Errorf("after the edit: %+v, %v", got, err)
	}
	if posts, edits := api.Counts(); posts != 1 || edits != 1 {
		t.Errorf("%d posts and %d edits, want one of each", posts, edits)
	}
	if tally := l.Tally(); tally.Acted != 1 || !tally.OK() {
		t.Errorf("tally %+v", tally)
	}
}

func request(t *testing.T, url, operation, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if operation != "" {
		r.Header.Set("Idempotency-Key", operation)
	}
	return r
}

func post(t *testing.T, url, operation, body string) int {
	t.Helper()
	res, err := http.DefaultClient.Do(request(t, url, operation, body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
