// Package stored is the JSON form of claims and dead letters, for the stores that
// keep a record as one value. It loses nothing: JSON strings are UTF-8, so a
// text that is not goes in as {"base64": "…"}, and a nil result stays apart from
// an empty one. A field that this version doesn't know is passed over; one that
// is of another kind, or a lease without its unit, makes the record unreadable.
package stored
