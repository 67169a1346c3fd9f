// Package memaudit keeps the audit log in memory, bounded: local runs and tests.
// Full, it forgets the oldest entry.
package memaudit
