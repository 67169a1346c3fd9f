package rig

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"onceway.internal/test/witness"
)

// serve is the service that the workers post to. A caller that is killed before the
// effect leaves none; one that is killed after it does.
func serve(ledger *witness.Ledger, s Service) http.Handler {
	receiver := witness.NewReceiver(ledger, witness.Faults{FailFirst: s.Fails, Hold: func(event string, ended <-chan struct{}) {
		_, after := s.Takes(event)
		pause(after, ended)
	}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller is gone
		}
		event := witness.Identify(string(body))
		before, _ := s.Takes(event)
		if !pause(before, r.Context().Done()) {
			return
		}
		if s.Refuses != nil && s.Refuses(event) {
			http.Error(w, "not for us", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		receiver.ServeHTTP(w, r)
	})
}

// pause waits and reports whether the caller is still there.
func pause(d time.Duration, ended <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ended:
		return false
	}
}
