// Package memroute keeps routing state in memory: for development, the
// simulator and tests. What it holds ends with the process; assignments are
// forgotten once they are as old as a database would keep them, and the oldest
// first beyond MaxAssignments.
package memroute
