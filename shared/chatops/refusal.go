package chatops

import (
	"errors"
)

// Refusal says that nothing changed and that asking again in the same words
// would not help. Text is for people.
type Refusal struct{ Text string }

// Refuse makes a Refusal.
func Refuse(text string) error { return &Refusal{Text: text} }

func (r *Refusal) Error() string { return "refused: " + r.Text }

// Explained is an error with words for people beside those for logs.
type Explained struct {
	Err  error
	Text string
}

// Explain gives err words for people. Explain(nil, …) is nil.
func Explain(err error, text string) error {
	if err == nil {
		return nil
	}
	return &Explained{Err: err, Text: text}
}

func (e *Explained) Error() string { return e.Err.Error() }
func (e *Explained) Unwrap() error { return e.Err }

// Explanation is what err says to people: nothing but a generality unless
// somebody explained it, as other texts may hold what they should not.
func Explanation(err error) string {
	if e, ok := errors.AsType[*Explained](err); ok {
		return e.Text
	}
	return "Something that this command needs did not answer."
}
