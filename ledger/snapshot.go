package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
)

// patience is how long a snapshot waits for transactions under way.
const patience = 2 * time.Second

// Snapshot writes down what the books of every account with movements since the
// last time hold, so that reading a balance never adds up more than what came
// after. It returns how many accounts those were: none if transactions under way
// took too long, for they may still write what belongs into the snapshot. Nobody
// waits for it. Instances may run it at the same time.
func Snapshot(ctx context.Context, q models.Querier, at time.Time) (accounts int64, err error) {
	id, err := models.DecidedTransfers(ctx, q, patience)
	if errors.Is(err, models.ErrUndecided) || err == nil && id == 0 {
		return 0, nil
	}
	if err == nil {
		accounts, err = models.InsertLedgerSnapshots(ctx, q, id, at)
	}
	if err != nil {
		return 0, fmt.Errorf("ledger: snapshot: %w", err)
	}
	return accounts, nil
}
