// Package audit keeps who changed what, when, why and through which door.
//
// An entry is written once under its ID and never changed. The ID is derived
// from what caused the act (an operation ID, a form token), so that a repeat of
// the act records nothing new.
//
// Where the words leave it open:
//   - An act that cannot be undone is recorded twice: as Started before it, so
//     that a crash can't hide it, and with its outcome after it.
//   - Entries hold the e-mail address of whoever acted; that is what they are
//     for. They are never written to a process log.
//   - Nothing expires: the log is small, and how long it must be kept is for
//     its owners to say.
package audit
