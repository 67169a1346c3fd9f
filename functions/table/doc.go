// Package table is where everything comes together: the one table of the functions
// there are, and the clients and stores they share, each made at its first use. The
// door for push and HTTP (functions/main.go), the pull-mode container and the local
// stack all read it.
package table
