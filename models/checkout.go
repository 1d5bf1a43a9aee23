package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// CheckoutStatus is the state of a checkout (contract 3.1).
type CheckoutStatus string

const (
	CheckoutPending   CheckoutStatus = "PENDING"
	CheckoutPaid      CheckoutStatus = "PAID"
	CheckoutExpired   CheckoutStatus = "EXPIRED"
	CheckoutCancelled CheckoutStatus = "CANCELLED"
)

// SettlementStatus is how far a paid checkout's money has come (contract 3.2).
type SettlementStatus string

const (
	SettlementPending   SettlementStatus = "PENDING"
	SettlementAvailable SettlementStatus = "AVAILABLE"
	SettlementCompleted SettlementStatus = "COMPLETED"
)

// Checkout is one charge that a buyer can pay through Pix.
type Checkout struct {
	ID               string
	ProjectID        string
	Livemode         bool
	Status           CheckoutStatus
	Amount           money.Cents
	Description      string
	ExternalID       string
	CustomerName     *string
	CustomerEmail    *string
	CustomerDocument *string
	CustomerPhone    []byte // sealed by package vault
	Metadata         []byte // a JSON object of strings
	TxID             string // the institution's name for the charge
	CopyPaste        string // the BR Code
	QRPNG            []byte // its image, in test only: there the API embeds it
	CreatedAt        time.Time
	ExpiresAt        time.Time
	PaidAt           *time.Time
	SettlementStatus SettlementStatus
	SettlementAmount *money.Cents // net, once AVAILABLE
	PaymentLinkID    *string      // the link that made it; nil: the API did
}

const checkoutColumns = `c.id, c.project_id, c.livemode, c.status, c.amount, c.description, c.external_id,
	c.customer_name, c.customer_email, c.customer_document, c.metadata, c.txid, c.copy_paste, c.qr_png,
	c.created_at, c.expires_at, c.paid_at, c.settlement_status, c.settlement_amount, c.payment_link_id`

func (c *Checkout) targets() []any {
	return []any{&c.ID, &c.ProjectID, &c.Livemode, &c.Status, &c.Amount, &c.Description, &c.ExternalID,
		&c.CustomerName, &c.CustomerEmail, &c.CustomerDocument, &c.Metadata, &c.TxID, &c.CopyPaste, &c.QRPNG,
		&c.CreatedAt, &c.ExpiresAt, &c.PaidAt, &c.SettlementStatus, &c.SettlementAmount, &c.PaymentLinkID}
}

// CheckoutByID returns one checkout of the scope, or ErrNotFound.
func CheckoutByID(ctx context.Context, q Querier, scope Scope, id string) (*Checkout, error) {
	if !wellFormed(id, "chk_", 20) {
		return nil, ErrNotFound
	}
	rows, err := q.Query(ctx, "SELECT "+checkoutColumns+` FROM checkouts c
		WHERE c.id = $1 AND c.project_id = $2 AND c.livemode = $3`, id, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	found, err := collectCheckouts(rows, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNotFound
	}
	return &found[0], nil
}

// PublicCheckout is a checkout with what its buyer may know of the merchant.
type PublicCheckout struct {
	Checkout
	Account    Account
	Brand      Brand
	EndToEndID *string // of the payment that settled it
	SuccessURL *string // of the link that made it
	ReturnURL  *string
}

// PublicCheckoutByID returns a checkout of any merchant to whoever knows its id,
// as the hosted page does, or ErrNotFound.
func PublicCheckoutByID(ctx context.Context, q Querier, id string) (*PublicCheckout, error) {
	if !wellFormed(id, "chk_", 20) {
		return nil, ErrNotFound
	}
	var c PublicCheckout
	err := q.QueryRow(ctx, "SELECT "+checkoutColumns+", p.end_to_end_id, l.success_url, l.return_url, "+accountColumns+", "+brandColumns+` FROM checkouts c
		JOIN projects j ON j.id = c.project_id JOIN accounts a ON a.id = j.account_id LEFT JOIN brands b ON b.account_id = a.id
		LEFT JOIN payments p ON p.checkout_id = c.id AND p.settles
		LEFT JOIN payment_links l ON l.id = c.payment_link_id
		WHERE c.id = $1`, id).Scan(slices.Concat(c.targets(),
		[]any{&c.EndToEndID, &c.SuccessURL, &c.ReturnURL}, c.Account.targets(), c.Brand.targets())...)
	if err != nil {
		return nil, notFound(err)
	}
	return &c, nil
}

// AnyCheckout is a checkout with the account that it belongs to.
type AnyCheckout struct {
	Checkout
	AccountID, AccountName string
}

// AnyCheckoutByID returns a checkout of any account, for staff, or ErrNotFound.
func AnyCheckoutByID(ctx context.Context, q Querier, id string) (*AnyCheckout, error) {
	if !wellFormed(id, "chk_", 20) {
		return nil, ErrNotFound
	}
	var c AnyCheckout
	err := q.QueryRow(ctx, "SELECT "+checkoutColumns+`, a.id, a.name FROM checkouts c
		JOIN projects j ON j.id = c.project_id JOIN accounts a ON a.id = j.account_id WHERE c.id = $1`, id).
		Scan(append(c.targets(), &c.AccountID, &c.AccountName)...)
	if err != nil {
		return nil, notFound(err)
	}
	return &c, nil
}

// CheckoutsByAmount lists checkouts of all accounts, for staff: those of an amount that
// were made between two times, and those for which a payment of the amount came then. The
// newest is first.
func CheckoutsByAmount(ctx context.Context, q Querier, amount money.Cents, from, to time.Time, limit int) (list []AnyCheckout, err error) {
	rows, err := q.Query(ctx, "SELECT "+checkoutColumns+`, a.id, a.name FROM checkouts c
		JOIN projects j ON j.id = c.project_id JOIN accounts a ON a.id = j.account_id
		WHERE c.id IN (SELECT id FROM checkouts WHERE created_at >= $2 AND created_at < $3 AND amount = $1
			UNION SELECT checkout_id FROM payments WHERE recorded_at >= $2 AND recorded_at < $3 AND amount = $1)
		ORDER BY c.created_at DESC, c.id DESC LIMIT $4`, amount, from, to, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c AnyCheckout
		if err := rows.Scan(append(c.targets(), &c.AccountID, &c.AccountName)...); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// CheckoutFilter narrows a list. The zero value lists everything.
type CheckoutFilter struct {
	Status        CheckoutStatus
	ExternalID    string
	PaymentLinkID string
	After         *Position // the last row of the page before
	Limit         int
}

// ListCheckouts returns the scope's checkouts, newest first, by keyset: the cost
// of a page does not grow with its depth, nor with the number of rows.
func ListCheckouts(ctx context.Context, q Querier, scope Scope, f CheckoutFilter) ([]Checkout, error) {
	sql := "SELECT " + checkoutColumns + " FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2"
	args := []any{scope.ProjectID, scope.Livemode}
	where := func(condition string, values ...any) {
		places := make([]any, len(values))
		for i, v := range values {
			args = append(args, v)
			places[i] = len(args)
		}
		sql += " AND " + fmt.Sprintf(condition, places...)
	}
	if f.Status != "" {
		where("c.status = $%d", f.Status)
	}
	if f.ExternalID != "" {
		where("c.external_id = $%d", f.ExternalID)
	}
	if f.PaymentLinkID != "" {
		where("c.payment_link_id = $%d", f.PaymentLinkID)
	}
	if f.After != nil {
		where("(c.created_at, c.id) < ($%d, $%d)", f.After.CreatedAt, f.After.ID)
	}
	args = append(args, f.Limit)
	rows, err := q.Query(ctx, fmt.Sprintf("%s ORDER BY c.created_at DESC, c.id DESC LIMIT $%d", sql, len(args)), args...)
	if err != nil {
		return nil, err
	}
	return collectCheckouts(rows, f.Limit)
}

// LinkCounts are how often a payment link was used, and how many of the uses were
// paid.
type LinkCounts struct{ Uses, Paid int }

// PaymentLinkCounts counts the checkouts of the scope that links made, by link. One
// that made none is left out.
func PaymentLinkCounts(ctx context.Context, q Querier, scope Scope, linkIDs ...string) (map[string]LinkCounts, error) {
	rows, err := q.Query(ctx, `SELECT payment_link_id, count(*), count(*) FILTER (WHERE status = 'PAID') FROM checkouts
		WHERE payment_link_id = ANY($1) AND project_id = $2 AND livemode = $3 GROUP BY payment_link_id`, linkIDs, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	counts := map[string]LinkCounts{}
	var id string
	var n LinkCounts
	_, err = pgx.ForEachRow(rows, []any{&id, &n.Uses, &n.Paid}, func() error {
		counts[id] = n
		return nil
	})
	return counts, err
}

// LockedCheckout is a checkout whose row the transaction holds, with the account
// that its payment goes to.
type LockedCheckout struct {
	Checkout
	AccountID       string
	Fee             money.Fee
	SettlementDelay *int64 // seconds, in live; nil: as long as the installation's
}

const lockCheckout = "SELECT " + checkoutColumns + `, a.id, a.fee_basis_points, a.fee_fixed, a.settlement_delay FROM checkouts c
	JOIN projects j ON j.id = c.project_id JOIN accounts a ON a.id = j.account_id `

// Charge is what an institution knows a checkout by.
type Charge struct {
	Livemode bool
	TxID     string
}

// LockCheckoutsByCharge returns the checkouts with these charges, of any merchant, by
// charge, and holds their rows until tx ends. A charge of no checkout is left out.
func LockCheckoutsByCharge(tx *Tx, charges []Charge) (map[Charge]*LockedCheckout, error) {
	live, txIDs := make([]bool, len(charges)), make([]string, len(charges))
	for i, c := range charges {
		live[i], txIDs[i] = c.Livemode, c.TxID
	}
	// In one order, so that whoever holds several waits and does not lock up.
	locked, err := lockCheckouts(tx, `JOIN unnest($1::boolean[], $2::text[]) AS g (livemode, txid) ON g.txid = c.txid AND g.livemode = c.livemode
		ORDER BY c.id FOR UPDATE OF c`, live, txIDs)
	if err != nil {
		return nil, err
	}
	found := make(map[Charge]*LockedCheckout, len(locked))
	for i := range locked {
		found[Charge{locked[i].Livemode, locked[i].TxID}] = &locked[i]
	}
	return found, nil
}

// LockCheckoutByID returns a checkout of any merchant and holds its row until tx ends;
// or ErrNotFound.
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

// LockDueCheckouts holds up to limit pending checkouts that expired by now,
// longest overdue first, leaving out those that another transaction holds.
func LockDueCheckouts(tx *Tx, now time.Time, limit int) ([]LockedCheckout, error) {
	return lockCheckouts(tx, `WHERE c.status = 'PENDING' AND c.expires_at <= $1
		ORDER BY c.expires_at LIMIT $2 FOR UPDATE OF c SKIP LOCKED`, now, limit)
}

func lockCheckouts(tx *Tx, where string, args ...any) (locked []LockedCheckout, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, lockCheckout+where, args...)
		if err != nil {
			return err
		}
		locked, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c LockedCheckout, err error) {
			return c, row.Scan(append(c.targets(), &c.AccountID, &c.Fee.BasisPoints, &c.Fee.Fixed, &c.SettlementDelay)...)
		})
		return err
	})
	return locked, err
}

// ErrStatusChanged reports that a checkout was no longer in the status that the
// caller had locked it in.
var ErrStatusChanged = errors.New("models: the checkout changed meanwhile")

// SaveCheckoutStatus writes the status of checkouts that the caller holds, with the
// PaidAt that they have and the time of settlement to come if they were paid, else with
// now as the time at which they closed. Who listens to their changes is told when tx
// commits.
func SaveCheckoutStatus(tx *Tx, status CheckoutStatus, checkouts []LockedCheckout, settlesAt []*time.Time, now time.Time) error {
	ids, paidAt := make([]string, len(checkouts)), make([]*time.Time, len(checkouts))
	for i := range checkouts {
		ids[i], paidAt[i] = checkouts[i].ID, checkouts[i].PaidAt
	}
	return tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, `WITH changed AS (
				UPDATE checkouts c SET status = $1, paid_at = g.paid_at, settles_at = g.settles_at,
					closed_at = CASE WHEN g.paid_at IS NULL THEN $2::timestamptz END
				FROM unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) AS g (id, paid_at, settles_at)
				WHERE c.id = g.id AND c.status <> $1 AND c.status <> 'PAID' RETURNING c.id, c.project_id, c.livemode)
			SELECT pg_notify('`+changeChannel+`', id || CASE WHEN livemode THEN '' ELSE ' ' || project_id END) FROM changed`,
			status, now, ids, paidAt, settlesAt)
		if err == nil && int(tag.RowsAffected()) != len(ids) {
			err = ErrStatusChanged
		}
		return err
	})
}

// SelfPayingCheckouts returns pending test checkouts made by a time whose amount
// makes the simulator pay them, the oldest first (decisions, 4: cents of 07).
func SelfPayingCheckouts(ctx context.Context, q Querier, madeBy time.Time) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT id FROM checkouts
		WHERE status = 'PENDING' AND NOT livemode AND amount % 100 = 7 AND created_at <= $1 ORDER BY created_at LIMIT 100`, madeBy)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// CheckoutReference is what a merchant calls a checkout.
type CheckoutReference struct{ ExternalID, Description string }

// CheckoutReferences returns those of the account's checkouts with the ids, of any
// project.
func CheckoutReferences(ctx context.Context, q Querier, accountID string, ids []string) (map[string]CheckoutReference, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.Query(ctx, `SELECT c.id, c.external_id, c.description FROM checkouts c JOIN projects j ON j.id = c.project_id
		WHERE c.id = ANY($2) AND j.account_id = $1`, accountID, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]CheckoutReference{}
	var id string
	var r CheckoutReference
	_, err = pgx.ForEachRow(rows, []any{&id, &r.ExternalID, &r.Description}, func() error {
		found[id] = r
		return nil
	})
	return found, err
}
