package ledger

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"garoupa/models"
)

// Check compares the books with the rows that they record: every payment with its postings,
// every paid checkout with its payment. It returns one line for each row that does not
// agree. It reads the whole history in pieces, changes nothing, and reports its progress to
// tell after each piece.
func Check(ctx context.Context, q models.Querier, tell ...func(models.LedgerPass)) (drift []string, err error) {
	rows, err := models.LedgerDrift(ctx, q, tell...)
	if err != nil {
		return nil, fmt.Errorf("ledger: check: %w", err)
	}
	return lines(rows), nil
}

// lines returns one line of text for each row of drift.
func lines(rows []models.Drift) (text []string) {
	for _, r := range rows {
		line := fmt.Sprintf("%s: %s is %s, the books say %s", r.ID, r.What, r.Want.Decimal(), r.Got.Decimal())
		if r.Want == r.Got {
			line = r.ID + ": " + r.What
		}
		text = append(text, line)
	}
	slices.Sort(text)
	return slices.Compact(text)
}

const (
	// proofPatience is how long a proof waits for transactions in progress.
	proofPatience = 30 * time.Second
	// rowsOverlap is how far before the last proof rows are searched: longer than any
	// transaction, and than the clocks of two servers differ.
	rowsOverlap = 10 * time.Minute
	// proofsAPiece is the number of proofs that cover about as many payments as one
	// statement reads.
	proofsAPiece = 20
	// rowsFirst is how far back the first proof looks. Pass covers what is older.
	rowsFirst = time.Hour
)

// Prove compares what was posted and written since the last proof, and what did not agree
// then, and returns one line for each row that does not agree now. Its cost grows with the
// new rows only. Each piece is a transaction that stores its progress, so an interrupted
// proof continues where it stopped. last is the time of the last proof, zero if there was
// none. Prove fails with models.ErrUndecided if open transactions take too long.
func Prove(ctx context.Context, db *models.DB, last, now time.Time) (drift []string, err error) {
	drift, err = prove(ctx, db, last, now)
	if err != nil {
		return nil, fmt.Errorf("ledger: prove: %w", err)
	}
	return drift, nil
}

func prove(ctx context.Context, db *models.DB, last, now time.Time) ([]string, error) {
	through, err := models.DecidedTransfers(ctx, db.Pool, proofPatience)
	if err != nil {
		return nil, err
	}
	var proof *models.LedgerProof
	proofs := 0
	for more := true; more; more = proof != nil {
		if proof, err = models.ProveLedger(ctx, db, through, now); err != nil {
			return nil, err
		}
		if proof != nil {
			proofs++
			slog.InfoContext(ctx, "books proven", "proof", proof.Number, "through", proof.ThroughID,
				"sha256", hex.EncodeToString(proof.Hash))
		}
	}
	since := last.Add(-rowsOverlap)
	if last.IsZero() {
		since = now.Add(-rowsFirst)
	}
	if err := models.CompareRowsSince(ctx, db, since, now, 1+proofs/proofsAPiece); err != nil {
		return nil, err
	}
	if err := models.ComparePaidSince(ctx, db, since); err != nil {
		return nil, err
	}
	if err := models.CompareAccounts(ctx, db); err != nil {
		return nil, err
	}
	rows, err := models.RecheckDoubts(ctx, db.Background)
	return lines(rows), err
}

// Pass starts or continues the comparison of the whole history, until it is done or ctx
// ends. It stores each row that does not agree, and Prove returns those rows. done is false
// while another process runs the pass.
func Pass(ctx context.Context, db *models.DB, now time.Time) (done bool, err error) {
	for err == nil && !done {
		done, err = models.ContinuePass(ctx, db, now)
	}
	if errors.Is(err, models.ErrNotFound) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("ledger: pass over everything: %w", err)
	}
	return done, nil
}
