// Package pgclaim keeps claims and dead letters in PostgreSQL.
//
// A claim is one row, and each operation one statement outside any transaction:
// an INSERT that does nothing where the row is there, a SELECT, an UPDATE of the
// version that was read. Versions come from a sequence, so none ever comes back.
//
// Store time is clock_timestamp(), not now(): now() is when the statement began,
// which can be long before it got the row, and leases would seem older than they
// are. Where the server's clock steps back, a row's time stays.
//
// The record is JSON, of type json because jsonb refuses the null bytes that keys
// may hold. Its state and expiry stand beside it in columns with indexes, DONE
// without one: it is most of the table and lists are for what needs somebody.
// State "" lists rows whose state is no state; one whose JSON is damaged is
// listed where it was before.
//
// Nothing is deleted by itself: call Cleanup now and then. It takes expired DONE
// and DEAD rows in bounded batches and passes over rows that others hold.
//
// New and NewLetters bring the schema up to date, one starting process at a time. The
// connection must reach the primary, directly or by a pooler in session mode, and
// synchronous_commit must not be off.
package pgclaim
