package audit

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Via is the door through which an act came.
type Via string

// The doors.
const (
	Chat    Via = "chat"
	Console Via = "console"
	Ctl     Via = "ctl"
	System  Via = "system" // provisioning and scheduled work, where no person acts
)

// Outcome is what became of an act.
type Outcome string

// The outcomes.
const (
	Started Outcome = "started" // about to act; another entry tells how it ended
	Done    Outcome = "done"
	Refused Outcome = "refused" // whoever asked may not
	Failed  Outcome = "failed"  // certainly nothing changed
	Unknown Outcome = "unknown" // it may have happened
)

// Bounds in bytes; longer texts are cut, longer IDs refused.
const (
	MaxID      = 256
	MaxWord    = 128 // Actor is MaxTarget: addresses are long
	MaxTarget  = 512
	MaxReason  = 1024
	MaxSummary = 4096
)

// Entry is one act.
type Entry struct {
	// ID is the same for every repeat of the same act.
	ID string
	// At is when it happened, by the recorder's clock; kept to the microsecond.
	At time.Time
	// Actor is who did it: an e-mail address or a service account.
	Actor  string
	Action string // a verb: "reserve"
	Target string // what was changed: "dg02", "deployment shop/payments"
	Reason string // in the actor's words; may be empty
	// Before and After sum up what was changed; may be empty.
	Before, After string
	Via           Via
	Outcome       Outcome
}

// Normal returns e as a backend stores it, with long texts cut and its time in
// UTC, or an error that names every field that is missing or unknown.
func (e Entry) Normal() (Entry, error) {
	var faults []error
	require := func(name string, ok bool) {
		if !ok {
			faults = append(faults, errors.New(name))
		}
	}
	require("ID", e.ID != "" && len(e.ID) <= MaxID)
	require("At", !e.At.IsZero())
	require("Actor", e.Actor != "")
	require("Action", e.Action != "")
	require("Via", e.Via == Chat || e.Via == Console || e.Via == Ctl || e.Via == System)
	require("Outcome", e.Outcome.known())
	if len(faults) > 0 {
		return Entry{}, fmt.Errorf("audit entry lacks a valid value for: %w", errors.Join(faults...))
	}
	e.At = e.At.UTC().Truncate(time.Microsecond)
	e.Actor = cut(e.Actor, MaxTarget)
	e.Action = cut(e.Action, MaxWord)
	e.Target = cut(e.Target, MaxTarget)
	e.Reason = cut(e.Reason, MaxReason)
	e.Before, e.After = cut(e.Before, MaxSummary), cut(e.After, MaxSummary)
	return e, nil
}

func (o Outcome) known() bool {
	switch o {
	case Started, Done, Refused, Failed, Unknown:
		return true
	}
	return false
}

// cut bounds s at a rune boundary; stores refuse broken UTF-8, so it is mended.
func cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	s = s[:limit-len("…")]
	for len(s) > 0 && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}
