package chat_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
)

// only is the one message that was posted.
func (w *world) only(t *testing.T) (text, thread string) {
	t.Helper()
	all := w.api.posted()
	if len(all) != 1 {
		t.Fatalf("%d messages were posted, want 1: %+v", len(all), all)
	}
	if all[0].Thread != nil {
		thread = all[0].Thread.Name
	}
	return all[0].Text, thread
}

func TestCommandsAreAnsweredOnceInTheirThread(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"groups":                            "dg02",
		"help":                              "reserve GROUP",
		"":                                  "reserve GROUP",
		"help reserve":                      "For role operator",
		"reserve dg02 for acme":             "*dg02* is reserved for `acme`",
		"drain dg03 because disk":           "*dg03* takes no new campaigns.",
		"undrain dg03":                      "*dg03* takes campaigns again.",
		"release dg02":                      "dg02 is not reserved",
		"reserve dg09 for acme":             "There is no group `dg09`; there are dg01",
		"resreve dg02 for acme":             "Did you mean `reserve GROUP for CUSTOMER",
		"purge cache eu":                    "Done: `purge cache`",
		"restart docker host-1":             "Done: `restart docker`",
		"reserve dg02 for acme until 12:00": "until 2026-12-01 12:00 UTC",
	} {
		w := newWorld(t, options{})
		m := said(line, room, ann)
		if strings.Contains(line, "until") {
			m = message([]byte(strings.ReplaceAll(string(m.Data), "2026-11-30", "2099-11-30")))
			want = strings.Replace(want, "2026", "2099", 1)
		}
		for i := range 3 {
			rep := w.deliver(t, m)
			if wantOutcome := map[bool]once.Outcome{true: once.Done, false: once.Duplicate}[i == 0]; rep.Outcome != wantOutcome {
				t.Errorf("%q, delivery %d: %v %v, want %v", line, i, rep.Outcome, rep.Err, wantOutcome)
			}
		}
		text, thread := w.only(t)
		if !strings.Contains(text, want) || thread != where {
			t.Errorf("%q: answered %q in %q, want %q", line, text, thread, want)
		}
		if strings.Contains(text, "<users") {
			t.Errorf("%q: a tool's answer mentions everybody: %q", line, text)
		}
	}
}

func TestWhoMayNotIsAnsweredAndAuditedAndNothingRuns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line, space, email string
		may                bool
	}{
		{"reserve dg02 for acme", room, ann, true},
		{"reserve dg02 for acme", room, "Ann@Acme.Example", true},
		{"reserve dg02 for acme", room, vic, false},
		{"reserve dg02 for acme", room, "\u0430nn@acme.example", false}, // Cyrillic a
		{"reserve dg02 for acme", room, "", false},
		{"reserve dg02 for acme", "spaces/BBBBincident", vic, true},
		{"reserve dg02 for acme", "spaces/bbbbincident", vic, false},
		{"restart docker host-1", room, vic, false},
		{"purge cache eu", room, vic, false},
		{"lookup", room, vic, true},
		{"groups", room, vic, true},
		{"drain dg02", room, vic, false},
	} {
		w := newWorld(t, options{})
		if rep := w.deliver(t, said(test.line, test.space, test.email)); rep.Outcome != once.Done {
			t.Errorf("%+v: %v %v", test, rep.Outcome, rep.Err)
		}
		text, _ := w.only(t)
		if refused := strings.Contains(text, "You may not"); refused == test.may {
			t.Errorf("%+v: answered %q", test, text)
		}
		acts := strings.Join(w.actions(t), "\n")
		if !test.may && (!strings.Contains(acts, ": refused by ") || strings.Contains(acts, "started") || len(w.hook.called()) > 0) {
			t.Errorf("%+v: audited %q, %d calls", test, acts, len(w.hook.called()))
		}
	}
}

func TestChangesAreAuditedBeforeAndAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, line := range []string{"reserve dg02 for acme", "release dg03", "restart docker host-1", "groups"} {
		w.deliver(t, said(line, room, ann))
	}
	want := []string{
		"reserve dg02: started by " + ann, "reserve dg02: done by " + ann,
		"release dg03: failed by " + ann,
		"restart docker : started by " + ann, "restart docker : done by " + ann,
	}
	if diff := cmp.Diff(want, w.actions(t)); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutAnAuditLogNothingIsChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{audit: func(l audit.Log) audit.Log { return deafAudit{l} }})
	for line, email := range map[string]string{"restart docker host-1": ann, "purge cache eu": ann, "drain dg01": vic} {
		rep := w.deliver(t, said(line, room, email))
		if rep.Outcome != once.Failed || rep.State != claim.Retry {
			t.Errorf("%q: %v in state %v, want a retry", line, rep.Outcome, rep.State)
		}
	}
	if n := len(w.hook.called()); n != 0 {
		t.Errorf("the tool was called %d times", n)
	}
}

func TestDestructiveToolIsCalledOnceByConcurrentRedeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	m := said("restart docker host-1", room, ann)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() { w.deliver(t, m) })
	}
	wg.Wait()
	if n := len(w.hook.called()); n != 1 {
		t.Errorf("called %d times", n)
	}
	w.only(t)
}

// TestOutcomesOfTools is the table of the package's comment, over what the tool answers.
func TestOutcomesOfTools(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line    string
		answers []int
		down    bool
		outcome once.Outcome
		state   claim.State
		says    string
		calls   int
	}{
		"done":                        {line: "restart docker h", outcome: once.Done, state: claim.Done, says: "Done:", calls: 1},
		"refused is finished":         {line: "restart docker h", answers: []int{403}, outcome: once.Done, state: claim.Done, says: "The tool refused: 403", calls: 1},
		"an error parks":              {line: "restart docker h", answers: []int{500}, outcome: once.Parked, state: claim.Indeterminate, says: "not known whether", calls: 1},
		"overload parks":              {line: "restart docker h", answers: []int{503}, outcome: once.Parked, state: claim.Indeterminate, says: "not known whether", calls: 1},
		"a conflict parks":            {line: "restart docker h", answers: []int{409}, outcome: once.Parked, state: claim.Indeterminate, says: "not known whether", calls: 1},
		"a redirect is not followed":  {line: "restart docker h", answers: []int{307}, outcome: once.Parked, state: claim.Indeterminate, says: "answered 307", calls: 1},
		"not reached is tried again":  {line: "restart docker h", down: true, outcome: once.Failed, state: claim.Retry, says: "It will be tried again"},
		"repeatable: error, again":    {line: "purge cache eu", answers: []int{500}, outcome: once.Failed, state: claim.Retry, says: "It will be tried again", calls: 1},
		"repeatable: refused":         {line: "purge cache eu", answers: []int{404}, outcome: once.Done, state: claim.Done, says: "The tool refused: 404", calls: 1},
		"repeatable: not reached":     {line: "purge cache eu", down: true, outcome: once.Failed, state: claim.Retry, says: "It will be tried again"},
		"repeatable: overload, again": {line: "purge cache eu", answers: []int{429}, outcome: once.Failed, state: claim.Retry, says: "It will be tried again", calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			w.hook.answers = test.answers
			if test.down {
				w.hook.Close()
			}
			rep := w.deliver(t, said(test.line, room, ann))
			text, _ := w.only(t)
			if rep.Outcome != test.outcome || rep.State != test.state || !strings.Contains(text, test.says) || len(w.hook.called()) != test.calls {
				t.Errorf("%v, %v, %d calls, said %q (%v)", rep.Outcome, rep.State, len(w.hook.called()), text, rep.Err)
			}
		})
	}
}

func TestARetriedCommandKeepsItsMessageAndItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.hook.answers = []int{500, 429}
	m := said("purge cache eu", room, ann)
	for range 3 {
		w.deliver(t, m)
	}
	text, _ := w.only(t)
	if !strings.HasPrefix(text, "Done:") {
		t.Errorf("answered %q", text)
	}
	keys, bodies := w.hook.called(), w.hook.bodies
	if len(keys) != 3 || keys[0] != keys[1] || keys[1] != keys[2] || keys[0] == "" {
		t.Errorf("keys %v", keys)
	}
	if bodies[0] != bodies[2] {
		t.Errorf("the body changed under one key: %s, then %s", bodies[0], bodies[2])
	}
}

func TestAnAnswerThatCannotBePostedNeverRunsTheToolAgain(t *testing.T) {
	t.Parallel()
	for name, statuses := range map[string][]int{
		"for good":         {403, 403, 403},
		"for a long while": {500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500},
	} {
		w := newWorld(t, options{})
		w.api.fail(statuses...)
		for _, line := range []string{"restart docker h", "drain dg02"} {
			for i := range 2 {
				rep := w.deliver(t, said(line, room, ann))
				if i == 0 && rep.Outcome != once.Done || i == 1 && rep.Outcome != once.Duplicate {
					t.Errorf("%s: %q: %v", name, line, rep.Outcome)
				}
			}
			w.api.fail(statuses...)
		}
		if n := len(w.hook.called()); n != 1 {
			t.Errorf("%s: the tool was called %d times", name, n)
		}
	}
}

func TestAnAnswerIsTriedAgainWithinItsBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.api.fail(http.StatusServiceUnavailable, http.StatusUnauthorized)
	if rep := w.deliver(t, said("restart docker h", room, ann)); rep.Outcome != once.Done {
		t.Errorf("%v %v", rep.Outcome, rep.Err)
	}
	w.only(t)
}

func TestAQuestionWhoseAnswerCannotBePostedIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.api.fail(500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500)
	m := said("groups", room, vic)
	if rep := w.deliver(t, m); rep.Outcome != once.Failed {
		t.Errorf("%v, want a retry", rep.Outcome)
	}
	w.api.fail()
	if rep := w.deliver(t, m); rep.Outcome != once.Done {
		t.Errorf("%v %v", rep.Outcome, rep.Err)
	}
	w.only(t)

	w.api.fail(404)
	if rep := w.deliver(t, said("groups", "spaces/GONE", vic)); rep.Outcome != once.Done {
		t.Errorf("in a space that is gone: %v", rep.Outcome)
	}
}

func TestACrashAfterTheEffectParksAndRunsNothingAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.hook.onCall = func() { panic(http.ErrAbortHandler) } // acted, and the answer is lost
	m := said("restart docker h", room, ann)
	if rep := w.deliver(t, m); rep.Outcome != once.Parked || rep.State != claim.Indeterminate {
		t.Errorf("%v %v", rep.Outcome, rep.State)
	}
	w.hook.mu.Lock()
	w.hook.onCall = nil
	w.hook.mu.Unlock()
	if rep := w.deliver(t, m); rep.Outcome != once.Duplicate {
		t.Errorf("redelivered: %v", rep.Outcome)
	}
	if n := len(w.hook.called()); n != 1 {
		t.Errorf("called %d times", n)
	}
}

func TestARepeatOfAChangeDoesNotUndoWhatOthersDidSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.deliver(t, said("reserve dg02 for acme", room, ann))
	release := said("release dg02", room, ann)
	plan, err := w.Plan(release)
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		t.Helper()
		d := &once.Delivery{Message: release, Plan: plan, OperationID: claim.OperationID("chat", plan.Key), Epoch: 1}
		if err := w.Run(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	run() // released, and then crashed before DONE
	w.deliver(t, said("reserve dg02 for globex", room, ann))
	run() // the redelivery
	live, err := w.book.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"globex"}, live.Reservations["dg02"].Customers); diff != "" {
		t.Errorf("the reservation of others is gone: %s", diff)
	}
}
