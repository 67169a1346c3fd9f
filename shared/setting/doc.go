// Package setting is everything that is configured by environment variables: typed,
// read once at the edge, checked whole, every fault named by its variable. The help
// tags are the source of README's table.
package setting
