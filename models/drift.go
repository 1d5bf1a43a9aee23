package models

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// Drift is a disagreement of a row with the books.
type Drift struct {
	Of   string // the id of the subject that was compared
	ID   string // the row's id, or the fact that was posted for the row
	What string
	Want money.Cents // amount by the row
	Got  money.Cents // amount by the books; equal to Want if What alone describes the drift
}

// SubjectKind is a kind of things that are compared with the books.
type SubjectKind string

// The kinds of subjects, with the form of their ids.
const (
	SubjectPayment    SubjectKind = "payment"    // pay_…, with its exception, its checkout and its settlement
	SubjectCheckout   SubjectKind = "checkout"   // chk_… in status PAID, with its payment
	SubjectWithdrawal SubjectKind = "withdrawal" // wdr_…
	SubjectRefund     SubjectKind = "refund"     // rfd_…
	SubjectBlock      SubjectKind = "block"      // blk_…
	SubjectDispute    SubjectKind = "dispute"    // dsp_…
	SubjectFact       SubjectKind = "fact"       // a fact of the ledger, which must belong to a row
	SubjectSnapshot   SubjectKind = "snapshot"   // acc_…/live/id of its last transfer
	SubjectAccount    SubjectKind = "account"    // acc_…/live: no book negative, all settled money in them
	SubjectProof      SubjectKind = "proof"      // the number of a LedgerProof
)

// driftSQL contains the query that compares subjects of a kind; $1 are their ids.
var driftSQL = map[SubjectKind]string{
	SubjectPayment:    paymentDrift,
	SubjectCheckout:   checkoutDrift,
	SubjectWithdrawal: withdrawalDrift,
	SubjectRefund:     refundDrift,
	SubjectBlock:      blockDrift,
	SubjectDispute:    disputeDrift,
	SubjectFact:       factDrift,
	SubjectSnapshot:   snapshotDrift,
	SubjectAccount:    accountDrift,
	SubjectProof:      proofDrift,
}

// DriftOf compares subjects of one kind with the books, at one moment, in both directions:
// transfers that rows require and that were not posted, and posted transfers that no row
// requires. Its cost grows with the subjects and not with the books; for an account, with its
// settled checkouts. A subject without a row agrees: its postings are compared as a
// SubjectFact.
func DriftOf(ctx context.Context, q Querier, kind SubjectKind, ids []string) ([]Drift, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.Query(ctx, driftSQL[kind], ids)
	if err != nil {
		return nil, err
	}
	drift, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Drift])
	if err != nil {
		return nil, fmt.Errorf("compare by %s: %w", kind, err)
	}
	return drift, nil
}

// LedgerDrift compares the whole history in pieces: payments, checkouts, withdrawals, refunds,
// blocks, disputes and decisions with their postings, in both directions; snapshots with their
// transfers; the transfers with their proofs; and the balances of accounts. It changes
// nothing, and holds no database snapshot for longer than a piece. After each piece it calls
// tell with its progress.
func LedgerDrift(ctx context.Context, q Querier, tell ...func(LedgerPass)) (drift []Drift, err error) {
	for pass := (LedgerPass{}); !pass.Done(); {
		_, found, err := pass.Step(ctx, q)
		if err != nil {
			return nil, err
		}
		drift = append(drift, found...)
		for _, t := range tell {
			t(pass)
		}
	}
	return drift, nil
}
