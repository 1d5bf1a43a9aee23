package models

import "context"

// Waiting returns the number of values that wait for a commit.
func (b *Batch[In, Out]) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// What TestEndBuyers_Plan runs.
var (
	InPiece            = (*DB).inPiece
	SQLOfEndBuyers     = endBuyersWithin
	SQLOfEndKeptBuyers = endKeptBuyers
)

// OfOtherHistory returns the error for a standby whose primary began another timeline.
func (db *DB) OfOtherHistory(ctx context.Context) error {
	conn, err := db.read.standby.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	_, err = position{lsn: "0/0", timeline: 99}.missing(ctx, conn)
	return err
}

// ErrReplaced is errReplaced.
var ErrReplaced = errReplaced

// ReadTogether reads checkouts of a scope as CheckoutReader reads several, and returns the statement.
func ReadTogether(ctx context.Context, q Querier, scope Scope, ids []string) (statement string, err error) {
	keys := make([]checkoutKey, len(ids))
	for i, id := range ids {
		keys[i] = checkoutKey{scope, id}
	}
	_, err = checkoutsOf(ctx, q, keys)
	statement, _ = byIDs(keys)
	return statement, err
}

// CheckAuditTurnOf is CheckAuditTurn with another number of lines in a turn.
var CheckAuditTurnOf = checkAuditTurn
