package pgclaim

// The statements whose plans are tested.
const (
	ListStateSQL = listState
	CleanupSQL   = cleanup
	LettersSQL   = listLetters
)
