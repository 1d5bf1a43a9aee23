package models

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// LockedCheckout is a checkout whose row the transaction has locked, with its account and the
// account's terms at the moment in which the checkout was created.
type LockedCheckout struct {
	Checkout
	AccountID       string
	Fee             money.Fee
	SettlementDelay *int64 // seconds, in live; nil for the installation's delay
	// PayableUntil is when its bank began to refuse payments, by the bank's clock. The caller sets it.
	PayableUntil *time.Time
	// Own means that its money arrives at the merchant's own bank account. The caller sets it.
	Own bool
}

const lockCheckout = "SELECT " + checkoutColumns + `, j.account_id, account_terms(j.account_id, c.created_at)
	FROM checkouts c JOIN projects j ON j.id = c.project_id `

// Charge identifies a checkout at an institution.
type Charge struct {
	Environment Environment
	TxID        string
}

// LockCheckoutsByCharge locks the rows of the checkouts with these charges, of any merchant,
// until tx ends, and returns them by charge. It does not wait: elsewhere contains the charges
// whose checkouts another transaction has locked. A charge without a checkout is in neither
// map. Afterwards, each wait of tx for a lock is short.
func LockCheckoutsByCharge(
	tx *Tx, charges []Charge,
) (found map[Charge]*LockedCheckout, elsewhere map[Charge]bool, err error) {
	live, txIDs := chargeColumns(charges)
	locked, err := lockCheckouts(tx,
		`JOIN unnest($1::boolean[], $2::text[]) AS g (livemode, txid) ON g.txid = c.txid AND g.livemode = c.livemode
		WHERE `+briefly+` FOR UPDATE OF c SKIP LOCKED`, live, txIDs)
	if err != nil {
		return nil, nil, err
	}
	found = make(map[Charge]*LockedCheckout, len(locked))
	for i := range locked {
		found[Charge{locked[i].Environment, locked[i].TxID}] = &locked[i]
	}
	missing := slices.DeleteFunc(slices.Clone(charges), func(c Charge) bool { return found[c] != nil })
	if len(missing) > 0 {
		elsewhere, err = existingCharges(tx, missing)
	}
	return found, elsewhere, err
}

func chargeColumns(charges []Charge) (live []bool, txIDs []string) {
	live, txIDs = make([]bool, len(charges)), make([]string, len(charges))
	for i, c := range charges {
		live[i], txIDs[i] = bool(c.Environment), c.TxID
	}
	return live, txIDs
}

// existingCharges returns those of the charges that belong to a checkout.
func existingCharges(tx *Tx, charges []Charge) (exist map[Charge]bool, err error) {
	live, txIDs := chargeColumns(charges)
	exist = map[Charge]bool{}
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx, `SELECT c.livemode, c.txid FROM checkouts c
			JOIN unnest($1::boolean[], $2::text[]) AS g (livemode, txid)
				ON g.txid = c.txid AND g.livemode = c.livemode`, live, txIDs)
		if err != nil {
			return err
		}
		var c Charge
		_, err = pgx.ForEachRow(rows, []any{&c.Environment, &c.TxID}, func() error {
			exist[c] = true
			return nil
		})
		return err
	})
	return exist, err
}

// LockCheckoutByID returns a checkout of any merchant and locks its row until tx ends, or
// returns ErrNotFound.
func LockCheckoutByID(tx *Tx, id string) (*LockedCheckout, error) {
	locked, err := lockCheckouts(tx, "WHERE c.id = $1 FOR UPDATE OF c", id)
	if err != nil {
		return nil, err
	}
	if len(locked) == 0 {
		return nil, ErrNotFound
	}
	return &locked[0], nil
}

// LockDueCheckouts locks up to limit pending checkouts that expired by now, longest overdue
// first. It skips those that another transaction has locked, and, until they are overdue by patience, those of
// which the bank has yet to say that they were not paid.
func LockDueCheckouts(tx *Tx, now time.Time, patience time.Duration, limit int) ([]LockedCheckout, error) {
	return lockCheckouts(tx, `WHERE c.status = 'PENDING' AND c.expires_at <= $1
		AND NOT EXISTS (SELECT FROM bank_charges b WHERE b.txid = c.txid AND c.livemode AND b.status = 'OPEN'
			AND b.payable_until <= $1 AND c.expires_at > $2)
		ORDER BY c.expires_at LIMIT $3 FOR UPDATE OF c SKIP LOCKED`, now, now.Add(-patience), limit)
}

func lockCheckouts(tx *Tx, where string, args ...any) (locked []LockedCheckout, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx, lockCheckout+where, args...)
		if err != nil {
			return err
		}
		locked, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c LockedCheckout, err error) {
			var terms accountTerms
			if err := row.Scan(append(c.targets(), &c.AccountID, &terms)...); err != nil {
				return c, err
			}
			c.Fee, c.SettlementDelay = terms.fee(), terms[2]
			return c, nil
		})
		return err
	})
	return locked, err
}

// ErrStatusChanged reports that a checkout no longer has the status in which the caller locked
// it.
var ErrStatusChanged = errors.New("models: the checkout changed meanwhile")

// SaveCheckoutStatus writes a status to checkouts that the caller has locked. Paid checkouts
// are written with their PaidAt and their element of settlesAt; for others now is the time at
// which they closed. The caller notifies listeners after the commit: NOTIFY in a transaction
// would make all commits wait for each other.
func SaveCheckoutStatus(tx *Tx, status CheckoutStatus, checkouts []LockedCheckout, settlesAt []*time.Time,
	now time.Time) error {
	ids, paidAt := make([]string, len(checkouts)), make([]*time.Time, len(checkouts))
	for i := range checkouts {
		ids[i], paidAt[i] = checkouts[i].ID, checkouts[i].PaidAt
	}
	changed, err := tx.Exec(`UPDATE checkouts c SET status = $1, paid_at = g.paid_at, settles_at = g.settles_at,
			closed_at = CASE WHEN g.paid_at IS NULL THEN $2::timestamptz END
		FROM unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) AS g (id, paid_at, settles_at)
		WHERE c.id = g.id AND c.status <> $1 AND c.status <> 'PAID'`, status, now, ids, paidAt, settlesAt)
	if err == nil && int(changed) != len(ids) {
		err = ErrStatusChanged
	}
	return err
}

// OwnerOfCheckout returns the account of a checkout in the environment, or ErrNotFound.
func OwnerOfCheckout(tx *Tx, checkoutID string, environment Environment) (accountID string, err error) {
	if !checkoutShape.fits(checkoutID) {
		return "", ErrNotFound
	}
	err = tx.Scan(`SELECT j.account_id FROM checkouts c JOIN projects j ON j.id = c.project_id
		WHERE c.id = $1 AND c.livemode = $2`, []any{checkoutID, environment}, &accountID)
	return accountID, err
}
