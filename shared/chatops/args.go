package chatops

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Args are a command's arguments as they are read one after the other.
type Args struct {
	words []word
	// At is when the command was said; Zone is where its times are meant.
	At   time.Time
	Zone *time.Location
}

// Empty reports whether everything was read.
func (a *Args) Empty() bool { return len(a.words) == 0 }

// Next reads one word, which what names in the error when there is none.
func (a *Args) Next(what string) (string, error) {
	if len(a.words) == 0 {
		return "", fmt.Errorf("%s is missing", what)
	}
	w := a.words[0]
	a.words = a.words[1:]
	if w.text == "" {
		return "", fmt.Errorf("%s is empty", what)
	}
	return w.text, nil
}

// AtClause reports whether nothing is left, or the little word is next.
func (a *Args) AtClause(little string) bool { return len(a.words) == 0 || a.words[0].is(little) }

// Accept reads the little word if it is next.
func (a *Args) Accept(little string) bool {
	if len(a.words) == 0 || !a.words[0].is(little) {
		return false
	}
	a.words = a.words[1:]
	return true
}

// Expect reads the little word or says that it is missing before what.
func (a *Args) Expect(little, what string) error {
	if !a.Accept(little) {
		return fmt.Errorf("%q and then %s is missing", little, what)
	}
	return nil
}

// Until reads the words before the first of the little words, or all.
func (a *Args) Until(littles ...string) []string {
	var texts []string
	for len(a.words) > 0 {
		for _, little := range littles {
			if a.words[0].is(little) {
				return texts
			}
		}
		texts = append(texts, a.words[0].text)
		a.words = a.words[1:]
	}
	return texts
}

// Because reads "because …" to the end; without it the reason is empty.
func (a *Args) Because() (string, error) {
	if !a.Accept("because") {
		return "", a.End()
	}
	reason := strings.Join(a.Until(), " ")
	if reason == "" {
		return "", errors.New(`the reason after "because" is missing`)
	}
	return reason, nil
}

// End says what is left over.
func (a *Args) End() error {
	if len(a.words) == 0 {
		return nil
	}
	return fmt.Errorf("%s is not understood here", Quote(a.words[0].text))
}
