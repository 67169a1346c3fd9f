package claimtest

import (
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/claim"
)

func testFields(t *testing.T, h Harness, space string) {
	s := h.Open(t, space)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	changes := map[string]func(*claim.Record){
		"all set":                  func(*claim.Record) {},
		"all zero":                 func(r *claim.Record) { *r = claim.Record{ID: r.ID} },
		"key of every byte":        func(r *claim.Record) { r.Key = string(every) },
		"key with a null byte":     func(r *claim.Record) { r.Key = "a\x00b" },
		"key that looks like JSON": func(r *claim.Record) { r.Key = `{"base64":"AAAA"}` },
		"long key":                 func(r *claim.Record) { r.Key = strings.Repeat("k", 4000) },
		"text that is not UTF-8": func(r *claim.Record) {
			r.Handler, r.Subject, r.Reason, r.LastError, r.Summary = "\xffh", "\xffs", "\xffr", "é"[:1], "\xff"
			r.Trace[0].By = "\xffb"
		},
		"text of all kinds": func(r *claim.Record) {
			r.Subject, r.Summary = "a/b.c`*~[]\\\"'<&>", "日本語 🚀\n\t\u2028"
		},
		"longest texts": func(r *claim.Record) {
			r.Subject, r.Reason = strings.Repeat("s", claim.MaxSubject), strings.Repeat("r", claim.MaxReason)
			r.LastError, r.Summary = strings.Repeat("e", claim.MaxError), strings.Repeat("z", claim.MaxSummary)
		},
		"nil result":     func(r *claim.Record) { r.Result = nil },
		"empty result":   func(r *claim.Record) { r.Result = []byte{} },
		"largest result": func(r *claim.Record) { r.Result = []byte(strings.Repeat("\xfe", claim.MaxResult)) },
		"no trace":       func(r *claim.Record) { r.Trace = nil },
		"longest trace": func(r *claim.Record) {
			for len(r.Trace) < claim.MaxTrace {
				r.Trace = append(r.Trace, claim.Step{At: r.CreatedAt, From: claim.Retry, To: claim.Claimed, By: "takeover", Epoch: int64(len(r.Trace))})
			}
		},
		"step without a time": func(r *claim.Record) { r.Trace[1].At = time.Time{} },
		"large numbers":       func(r *claim.Record) { r.Epoch, r.Attempts = 1<<62+1, 1<<31-1 },
		"negative lease":      func(r *claim.Record) { r.Lease = -time.Second },
		"no expiry":           func(r *claim.Record) { r.ExpireAt = time.Time{} },
		"time of another zone": func(r *claim.Record) {
			r.CreatedAt = r.CreatedAt.In(time.FixedZone("east", 9*3600))
		},
		"unknown policy and state": func(r *claim.Record) { r.Policy, r.State = "someday", "LATER" },
	}
	for name, change := range changes {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			r := sample(name)
			change(&r)
			got := mustCreate(t, s, r)
			answered(t, "Create", got, r)
			holds(t, s, r, got.Version)

			swapped := sample(name + " by swap")
			id := swapped.ID
			change(&swapped)
			swapped.ID = id
			before := mustCreate(t, s, bare(name+" by swap", claim.Claimed))
			after := mustSwap(t, s, before.Version, swapped)
			answered(t, "Swap", after, swapped)
			holds(t, s, swapped, after.Version)
		})
	}
	t.Run("finer-than-a-microsecond", func(t *testing.T) {
		t.Parallel()
		r := sample("fine")
		r.CreatedAt = r.CreatedAt.Add(999)
		mustCreate(t, s, r)
		got, err := s.Get(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if off := r.CreatedAt.Sub(got.CreatedAt).Abs(); off >= time.Microsecond {
			t.Errorf("a time came back %v off, want less than a microsecond", off)
		}
	})
}
