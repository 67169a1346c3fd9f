// Package strict parses everything that is handed to Google Cloud into Google's own
// types, unknown fields, bad enumerations and bad durations refused. It is a module of
// its own: those types are heavy, and the product needs none of them.
package strict
