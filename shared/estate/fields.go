package estate

// Field is a setting of one field of a Firestore collection group.
type Field struct {
	Collection, Name string
	TTL              bool // documents go some time after it
	Unindexed        bool // no query needs it, and an index would cost or cap writes
	Needed           bool // a query does need its index
}

// fields lists what Firestore has to be told, and the indexes that it must keep. A
// timestamp that grows with every write caps an indexed collection at about 500 writes a
// second; texts and bytes without a query only cost. letters.storedAt,
// assignments.at, routing-history.at and audit.at grow too, but lists are read by them.
func fields(prefix string) []Field {
	var all []Field
	add := func(collection string, f Field, names ...string) {
		for _, name := range names {
			f.Collection, f.Name = prefix+collection, name
			all = append(all, f)
		}
	}
	add("claims", Field{TTL: true, Unindexed: true}, "expireAt")
	add("claims", Field{Unindexed: true}, "createdAt", "leaseEnd", "trace", "lastError", "result", "summary")
	add("claims", Field{Needed: true}, "state")
	add("letters", Field{Unindexed: true}, "head", "data")
	add("letters", Field{Needed: true}, "storedAt")
	all = append(all, Field{Collection: "chunks", Name: "data", Unindexed: true}) // beneath letters, so without the prefix
	add("routing", Field{TTL: true, Unindexed: true}, "expireAt")
	add("routing", Field{Unindexed: true}, "start", "value", "live")
	add("routing", Field{Needed: true}, "retires")
	add("assignments", Field{TTL: true, Unindexed: true}, "expireAt")
	add("assignments", Field{Unindexed: true}, "record")
	add("assignments", Field{Needed: true}, "at")
	add("routing-history", Field{TTL: true, Unindexed: true}, "expireAt")
	add("routing-history", Field{Unindexed: true}, "value")
	add("routing-history", Field{Needed: true}, "at")
	add("recommendations", Field{Unindexed: true}, "value")
	add("audit", Field{Needed: true}, "at")
	return all
}
