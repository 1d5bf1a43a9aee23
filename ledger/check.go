package ledger

import (
	"context"
	"fmt"

	"garoupa/models"
)

// Check compares the books with what they record, from the other side: every
// payment with its postings, every paid checkout with its payment. It returns a
// line for each row that does not agree, none when all do.
func Check(ctx context.Context, q models.Querier) (drift []string, err error) {
	rows, err := models.LedgerDrift(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("ledger: check: %w", err)
	}
	for _, r := range rows {
		drift = append(drift, fmt.Sprintf("%s: %s is %s, the books say %s", r.ID, r.What, r.Want.Decimal(), r.Got.Decimal()))
	}
	return drift, nil
}
