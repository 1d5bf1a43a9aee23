package models

// Waiting returns the number of values that wait for a commit.
func (b *Batch[In, Out]) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// What TestEndKeptBuyers_Plan runs.
var (
	InPiece            = (*DB).inPiece
	SQLOfEndKeptBuyers = endKeptBuyers
)
