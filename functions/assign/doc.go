// Package assign is the HTTP service that other services ask which group or
// topic to use.
//
//	POST /v1/assignments               a group for a campaign, the same one for every repeat
//	GET  /v1/recommendations/{queue}   topics with weights for one queue, and one drawn
//	GET  /v1/groups                    every group: score, data state, reservation
//	GET  /openapi.yaml                 this interface, described
//
// Every answer that is not 2xx is a problem of RFC 9457. Metrics that are old or
// missing, and a state that can't be read, are no errors: the answer's rule says
// what was done about it, and "recorded" whether a repeat will be answered alike.
//
// Who may ask is Cloud Run's to decide; /v1/groups names the customers that groups
// are reserved for, since callers fall back on it.
package assign
