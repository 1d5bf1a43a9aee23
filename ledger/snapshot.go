package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
)

// patience is how long a snapshot waits for open transactions.
const patience = 2 * time.Second

// Snapshot stores the balances of every account that has had movements since its last
// snapshot, so that reading a balance adds up only what came later. It returns the number
// of those accounts: zero if open transactions took too long, because they may still write
// transfers that belong to the snapshot. Snapshot blocks no writer, and several instances
// may run it at once.
func Snapshot(ctx context.Context, q models.Querier, at time.Time) (accounts int64, err error) {
	id, err := models.DecidedTransfers(ctx, q, patience)
	if errors.Is(err, models.ErrUndecided) || err == nil && id == 0 {
		return 0, nil
	}
	if err == nil {
		accounts, err = models.InsertLedgerSnapshots(ctx, q, id, at)
	}
	if err == nil {
		err = models.WidenLedgerHours(ctx, q, id)
	}
	if err != nil {
		return 0, fmt.Errorf("ledger: snapshot: %w", err)
	}
	return accounts, nil
}
