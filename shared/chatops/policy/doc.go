// Package policy says who may ask for what: roles by e-mail address or by Chat
// space, the least role of a command, and which commands ask before they act.
//
// An address is compared letter by letter after A to Z were lowered, and no
// other character is ever folded, trimmed or normalised: an address with a
// character outside ASCII matches nothing, on either side. Addresses that only
// look alike never share a role.
//
// Chosen here: roles are kept by who is listed and everybody in a listed space
// has that space's role there, whoever they are, but apps (bots) have the
// default role at most.
package policy
