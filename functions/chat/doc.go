// Package chat is the function Chat: what operators type in Google Chat, acted on once.
//
// Plan reads the event and its command, and decides by the command's effect:
//
//	help, groups, status, claims, anything not understood    at-least-once
//	reserve, release, drain, undrain, webhooks that are not  at-least-once: a repeat under
//	destructive                                              one operation ID changes nothing
//	restart, scale, rollback, silence, destructive webhooks  at-most-once-after-begin
//	a command that asks first (policy.yaml)                  at-least-once: it posts a card
//	Confirm on that card                                     as the command
//
// Run answers by what came of it:
//
//	may not, not understood, refused by the tool   answered, nil (done)
//	failed before the effect                       answered "will be tried again", retried
//	once.NoEffect after Begin                      the same
//	any other error after Begin                    answered "may have happened", parked
//
// The answer is one message, posted under a request ID made of the operation ID
// and edited from then on, so that no repeat posts another. It is posted after
// the effect, and failing to post it is logged and never an error then: the tool
// must not run again for its answer's sake. Where nothing ran, a post that
// may succeed later is an error and retried.
//
// What changes something is audited as started before it happens, or it does not
// happen; how it ended is audited after it, as far as the log answers.
//
// Chosen where it was open: being added to a space is answered with a greeting,
// though it came with a command, since Chat may send that as an event of its own;
// events from other apps are not answered, as two apps could talk for ever;
// dialogs are not used, so their events mean nothing.
package chat
