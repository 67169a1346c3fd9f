// Package silence gives operators the command that silences alerts in an
// Alertmanager (API v2): silence MATCHERS for DURATION because …
//
// Alertmanager makes a new silence of every request, so the command must not
// happen twice. The operation ID stands in the silence's comment: a repeat finds
// it there, and Verify looks for it later. A silence that is not listed before its
// own end was not made (those that somebody expired are listed for days, which
// is counted on); after its end nothing is known.
//
// Chosen here: at most 30 days; a reason is required, as Alertmanager wants a
// comment; the time counts from when the command was said; matchers that would
// match an alert without any labels silence everything and are refused.
package silence
