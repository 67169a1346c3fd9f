// Package chatops is the language that operators speak: commands of a few words
// with their arguments, what each may do to the world, and who may ask for it.
//
// A tool (groups, deployments, silences, webhooks: the packages beneath) is a
// list of Commands. A Set of them reads a line of text, says what is wrong with
// one it does not understand, and prints the help. Reading is pure: what a
// command means depends on its text and on the time at which it was said, never
// on when it happens to be run.
//
// Where the words leave it open:
//   - Words of commands and the little words (for, until, because) are read
//     without regard to case; arguments keep theirs. Quotes, straight or curly,
//     hold an argument together and take the meaning from a little word.
//   - A command that certainly changed nothing and can't do better next time is
//     answered and finished: whoever asked sees why and asks again. It is not
//     retried, and it is nobody's dead letter.
package chatops
