// Package wire stands between a client and its server, as a network does: it counts
// round trips, loses replies, refuses connections and swallows bytes.
package wire
