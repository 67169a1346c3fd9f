// Package campaigns sends a campaign to the group that will finish it first: it
// has a group assigned and publishes to that group's first topic.
//
// A campaign event is JSON:
//
//	{"campaign": "spring-2030", "customer": "acme", "size": 2500}
//	{"campaign": "spring-2030", "customer": "acme", "messages": [{"to": 1}, {"to": 2}]}
//
// Without messages the event itself goes on, as it came, under its key; the
// group's workers expand it. With messages each goes on by itself, as JSON, under
// the key campaign/index, so that a rerun doubles nothing. Other fields are
// allowed and go on with the event.
//
// What happens, and what it means:
//
//	the data can't be read, or break a bound     poison: dead letter at once
//	assigned and published                       done
//	the assignment could not be recorded         retry: another answer might be given later
//	every group is closed, no overflow topic     retry, with an alarm: a reservation is never broken
//	publishing failed or was not answered        retry: the assignment stands, the keys are the same
//
// The policy is at-least-once: assigning is idempotent by campaign, and what is
// published twice carries one key.
package campaigns
