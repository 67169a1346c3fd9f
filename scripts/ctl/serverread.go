package main

import (
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"

	"onceway.internal/functions/console"
	"onceway.internal/shared/claim"
)

func (t *terminal) serverGroups(s *server) error {
	var v console.Groups
	if err := s.get(t.ctx, &v, "groups"); err != nil {
		return err
	}
	return t.print(v, func(w io.Writer) {
		row(w, "GROUP", "SCORE", "CORRECTION", "DATA", "SAMPLE AGE", "CAPACITY/s", "BACKLOG", "RESERVED FOR", "DRAINING")
		for _, g := range v.Groups {
			var queues []string
			for _, q := range g.Queues {
				queues = append(queues, figure(q.Backlog, "%.0f"))
			}
			reserved, draining := "-", "-"
			if r := g.Reservation; r != nil {
				reserved = strings.Join(r.Customers, ", ")
				if r.Until != nil {
					reserved += " until " + r.Until.UTC().Format("2006-01-02 15:04Z")
				}
			}
			if g.Draining != nil {
				draining = "by " + g.Draining.By
			}
			row(w, g.Group, figure(g.Score, "%.1f"), figure(g.Correction, "%+.1f"), g.Data, age(g.SampleAge), fmt.Sprintf("%.1f", g.Capacity), strings.Join(queues, " > "), reserved, draining)
		}
	})
}

func figure(f *float64, format string) string {
	if f == nil {
		return "?"
	}
	return fmt.Sprintf(format, *f)
}

func age(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

func (t *terminal) serverScore(s *server) error {
	c := t.cli.Score
	if !c.DryRun {
		return fmt.Errorf("%w: say --dry-run: a choice that counts is made by the function Assign", errUsage)
	}
	var a console.Campaign
	if err := s.get(t.ctx, &a, "preview", "campaign", "preview-"+claim.NewToken(), "customer", c.Customer, "size", strconv.FormatInt(c.Size, 10)); err != nil {
		return err
	}
	return t.print(a, func(w io.Writer) {
		row(w, "GROUP", "SCORE", "SAMPLED", "CORRECTION", "DATA", "SAMPLE AGE", "WHY NOT")
		for _, c := range a.Candidates {
			mark := ""
			if c.Group == a.Group {
				mark = " *"
			}
			row(w, c.Group+mark, figure(c.Score, "%.1f"), figure(c.Sampled, "%.1f"), figure(c.Correction, "%+.1f"), c.Data, age(c.SampleAge), orDash(c.Why))
		}
		row(w)
		row(w, "topic", a.Topic)
		row(w, "rule", a.Rule)
		row(w, "reason", a.Reason)
	})
}

func (t *terminal) serverClaims(s *server) error {
	c := t.cli.Claims.List
	if c.Limit < 1 || c.Limit > 500 {
		return fmt.Errorf("%w: --limit %d is not between 1 and 500", errUsage, c.Limit)
	}
	var v console.Claims
	if err := s.get(t.ctx, &v, "claims", "state", c.State, "limit", strconv.Itoa(c.Limit)); err != nil {
		return err
	}
	return t.print(v.Claims, func(w io.Writer) {
		row(w, "ID", "STATE", "HANDLER", "SUBJECT", "EPOCH", "ATTEMPTS", "SINCE", "REASON", "SUMMARY")
		for _, r := range v.Claims {
			row(w, r.ID[:min(16, len(r.ID))], r.State, r.Handler, orDash(r.Subject), r.Epoch, r.Attempts, age(r.Age), orDash(r.Reason), orDash(r.Summary))
		}
	})
}

// serverFind names a claim as which does, but knows its beginning among those alone
// that need a person.
func (t *terminal) serverFind(s *server, c which) (r console.Claim, err error) {
	id := c.ID
	switch {
	case id == "" && (c.Handler == "" || c.Key == ""):
		return r, fmt.Errorf("%w: name the claim by its ID, or by --handler and --key", errUsage)
	case id == "":
		id = claim.ID(c.Handler, c.Key)
	case len(id) < 8:
		return r, fmt.Errorf("%w: %q is too short: give at least 8 digits of the ID", errUsage, id)
	case len(id) < 64:
		if id, err = t.serverScan(s, id); err != nil {
			return r, err
		}
	}
	err = s.get(t.ctx, &r, "claims/"+id)
	return r, err
}

func (t *terminal) serverScan(s *server, prefix string) (id string, err error) {
	found, page := []string{}, ""
	for range scanPages {
		var v console.Claims
		if err := s.get(t.ctx, &v, "claims", "limit", "500", "page", page); err != nil {
			return "", err
		}
		for _, r := range v.Claims {
			if strings.HasPrefix(r.ID, prefix) {
				found = append(found, r.ID)
			}
		}
		if page = v.Next; page == "" {
			break
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w: none that needs a person begins with %s; give the whole ID", claim.ErrNotFound, prefix)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%w: %d claims begin with %s: give more of the ID", errUsage, len(found), prefix)
}

func (t *terminal) serverClaim(s *server) error {
	r, err := t.serverFind(s, t.cli.Claims.Show.which)
	if err != nil {
		return fmt.Errorf("show claim: %w", err)
	}
	return t.print(r, func(w io.Writer) {
		for _, f := range [][2]any{
			{"id", r.ID}, {"handler", r.Handler}, {"key", r.Key}, {"state", r.State}, {"policy", r.Policy}, {"subject", orDash(r.Subject)},
			{"summary", orDash(r.Summary)}, {"operation", r.OperationID}, {"epoch", r.Epoch}, {"attempts", r.Attempts}, {"lease", age(r.LeaseSec)},
			{"written", age(r.Age).String() + " ago"}, {"reason", orDash(r.Reason)}, {"last error", orDash(r.LastError)}, {"payload", r.PayloadHash}, {"letter", orDash(r.Letter)},
		} {
			row(w, f[0], f[1])
		}
		for _, s := range r.Trace {
			row(w, "trace", fmt.Sprintf("%s  epoch %d  %s -> %s by %s", s.At.Format(time.RFC3339), s.Epoch, orDash(s.From), s.To, s.By))
		}
	})
}

func (t *terminal) serverLetters(s *server) error {
	c := t.cli.Deadletters.List
	if c.Limit < 1 || c.Limit > 500 {
		return fmt.Errorf("%w: --limit %d is not between 1 and 500", errUsage, c.Limit)
	}
	var v console.Letters
	if err := s.get(t.ctx, &v, "letters", "page", c.Page, "limit", strconv.Itoa(c.Limit)); err != nil {
		return err
	}
	now := time.Now()
	err := t.print(v, func(w io.Writer) {
		row(w, "ID", "REASON", "HANDLER", "ATTEMPTS", "AGE", "ERROR")
		for _, l := range v.Letters {
			row(w, l.ID, l.Reason, orDash(l.Handler), l.Attempts, ago(now, l.PublishedAt), orDash(l.Error))
		}
	})
	if err == nil && v.Next != "" && t.cli.Output == "table" {
		fmt.Fprintf(t.errw, "more: --page %s\n", v.Next)
	}
	return err
}

func (t *terminal) serverLetter(s *server) error {
	c := t.cli.Deadletters.Show
	body := ""
	if c.Body {
		body = "true"
	}
	var l console.Letter
	if err := s.get(t.ctx, &l, "letters/"+c.ID, "body", body); err != nil {
		return fmt.Errorf("show letter %s: %w", c.ID, err)
	}
	return t.print(l, func(w io.Writer) {
		for _, f := range [][2]any{
			{"id", l.ID}, {"reason", l.Reason}, {"handler", orDash(l.Handler)}, {"key", orDash(l.Key)}, {"epoch", l.Epoch}, {"attempts", l.Attempts},
			{"error", orDash(l.Error)}, {"source", orDash(l.Source)}, {"topic", orDash(l.Topic)}, {"message", l.MessageID},
			{"published", l.PublishedAt.UTC().Format(time.RFC3339)}, {"payload", l.PayloadHash},
		} {
			row(w, f[0], f[1])
		}
		if l.Bytes != nil {
			row(w, "bytes", *l.Bytes)
		}
		names := make([]string, 0, len(l.Attributes))
		for k := range l.Attributes {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			row(w, "attribute "+k, l.Attributes[k])
		}
		if c.Body {
			row(w, "body", string(l.Body))
		}
	})
}
