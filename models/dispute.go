package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// DisputeStatus is the state of a dispute.
type DisputeStatus string

const (
	DisputeOpen     DisputeStatus = "OPEN"     // the account's answer is awaited
	DisputeDefended DisputeStatus = "DEFENDED" // the account contests it
	DisputeAccepted DisputeStatus = "ACCEPTED" // the account agrees that the bank gives the money back
	DisputeWon      DisputeStatus = "WON"      // the account keeps the money
	DisputeLost     DisputeStatus = "LOST"     // the bank gave the money back, or a part of it
)

// Final reports whether a dispute with the status is closed.
func (s DisputeStatus) Final() bool { return s == DisputeWon || s == DisputeLost }

// The limits of an answer: characters of its text, bytes of a file, and files.
const (
	MaxDefense      = 4_000
	MaxDisputeFile  = 2 << 20
	MaxDisputeFiles = 5
)

// Dispute is a received Pix that its payer contests by the special mechanism for fraud and errors (MED).
type Dispute struct {
	ID            string
	BankAccountID *string // nil at the simulator
	PaymentID     string
	AccountID     *string     // nil if the Pix was for no checkout
	Environment   Environment `db:"livemode"`
	BankRef       string      // the bank's id, unique in the bank account
	Cause         string      // in the bank's words
	Amount        money.Cents // contested
	Blocked       money.Cents // held back at the opening, or once a refund of the payment failed
	Short         money.Cents // what available money lacked for that
	Released      money.Cents // of Blocked, at the close or afterwards
	Status        DisputeStatus
	BankStatus    string // the bank's word, if it is an unknown one
	AnswerBy      time.Time
	Defense       *string
	DefenseBy     *string    // a user id; nil if it was answered at the bank
	DefenseAt     *time.Time // when the account answered
	SendingAt     *time.Time // when the answer last began to go to the bank
	DefenseSentAt *time.Time // when the bank had the answer
	OpenedBy      *string    // a user id; nil if it was found at the bank
	OpenedAt      time.Time  // by the bank, if it says so
	CreatedAt     time.Time
	ClosedBy      *string // a user id; nil if the bank's word closed it
	CloseReason   *string
	ClosedAt      *time.Time

	// Of the payment, its checkout and its refunds, when read.
	EndToEndID string
	CheckoutID *string
	Paid       money.Cents // the amount of the payment
	Returned   money.Cents // to the payer for this dispute
	Taken      money.Cents // of Blocked, for Returned
}

// Held is what is blocked for the dispute now.
func (d *Dispute) Held() money.Cents { return d.Blocked - d.Released - d.Taken }

// Bars reports whether the dispute is a reason not to refund its payment: the bank may still take the
// money.
func (d *Dispute) Bars() bool { return !d.Status.Final() || d.Held() > 0 }

// Position is the dispute's place in lists, newest first.
func (d Dispute) Position() Position { return Position{d.OpenedAt, d.ID} }

const disputeQuery = `SELECT d.id, d.bank_account_id, d.payment_id, d.account_id, d.livemode, d.bank_ref, d.cause,
	d.amount, d.blocked, d.short, d.released, d.status, d.bank_status, d.answer_by, d.defense, d.defense_by,
	d.defense_at, d.sending_at, d.defense_sent_at, d.opened_by, d.opened_at, d.created_at,
	d.closed_by, d.close_reason, d.closed_at,
	p.end_to_end_id, p.checkout_id, p.amount AS paid, r.returned, r.taken
	FROM disputes d JOIN payments p ON p.id = d.payment_id
	CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0)::bigint AS returned,
			coalesce(sum(from_blocked), 0)::bigint AS taken
		FROM refunds WHERE dispute_id = d.id AND status <> 'FAILED') r `

// InsertDispute writes a dispute. An id that the bank account has already violates the index disputes_once.
func InsertDispute(tx *Tx, d *Dispute) error {
	return tx.exec(`INSERT INTO disputes (id, bank_account_id, payment_id, account_id, livemode, bank_ref, cause,
			amount, blocked, short, status, bank_status, answer_by, defense_at, defense_sent_at, opened_by, opened_at,
			created_at, closed_at)
		VALUES ($1, $2, $3, $4, $5, $6, left($7, 200), $8, $9, $10, $11, left($12, 64), $13, $14, $15, $16, $17,
			$18, $19)`,
		d.ID, d.BankAccountID, d.PaymentID, d.AccountID, d.Environment, d.BankRef, d.Cause, d.Amount,
		d.Blocked, d.Short, d.Status, d.BankStatus, d.AnswerBy, d.DefenseAt, d.DefenseSentAt, d.OpenedBy, d.OpenedAt,
		d.CreatedAt, d.ClosedAt)
}

// SaveDispute writes what has become of a dispute whose payment the caller has locked.
func SaveDispute(tx *Tx, d *Dispute) error {
	return tx.exec(`UPDATE disputes SET bank_ref = $2, released = $3, status = $4, bank_status = left($5, 64),
			answer_by = $6, defense = $7, defense_by = $8, defense_at = $9, defense_sent_at = $10,
			closed_by = $11, close_reason = $12, closed_at = $13, opened_at = $14
		WHERE id = $1`,
		d.ID, d.BankRef, d.Released, d.Status, d.BankStatus, d.AnswerBy, d.Defense, d.DefenseBy, d.DefenseAt,
		d.DefenseSentAt, d.ClosedBy, d.CloseReason, d.ClosedAt, d.OpenedAt)
}

// RaiseDispute writes that more is blocked for a dispute whose payment the caller has locked.
func RaiseDispute(tx *Tx, d *Dispute) error {
	return tx.exec("UPDATE disputes SET blocked = $2, short = $3 WHERE id = $1", d.ID, d.Blocked, d.Short)
}

// LockDisputes returns the disputes of a payment, oldest first, and locks their rows. They are complete if
// the caller has locked the payment.
func LockDisputes(tx *Tx, paymentID string) ([]Dispute, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]Dispute, error) {
		return collect[Dispute](ctx, q, disputeQuery+`WHERE d.payment_id = $1
			ORDER BY d.opened_at, d.id FOR UPDATE OF d`, paymentID)
	})
}

// DisputeByID returns a dispute of any account, or ErrNotFound.
func DisputeByID(ctx context.Context, q Querier, id string) (*Dispute, error) {
	if !disputeShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[Dispute](ctx, q, disputeQuery+"WHERE d.id = $1", id)
}

// DisputeByRef returns the dispute that a bank account knows by an id, or ErrNotFound.
func DisputeByRef(tx *Tx, bankAccountID *string, ref string) (*Dispute, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Dispute, error) {
		return one[Dispute](ctx, q, disputeQuery+`WHERE coalesce(d.bank_account_id, '') = coalesce($1::text, '')
			AND d.bank_ref = $2`, bankAccountID, ref)
	})
}

// PaymentOfDispute returns the payment that a dispute is about, or ErrNotFound.
func PaymentOfDispute(tx *Tx, id string) (paymentID string, err error) {
	if !disputeShape.fits(id) {
		return "", ErrNotFound
	}
	return paymentID, tx.Scan("SELECT payment_id FROM disputes WHERE id = $1", []any{id}, &paymentID)
}

// DisputesOfCheckout lists the disputes of a checkout's payments, oldest first.
func DisputesOfCheckout(ctx context.Context, q Querier, accountID, checkoutID string) ([]Dispute, error) {
	return collect[Dispute](ctx, q, disputeQuery+`WHERE p.checkout_id = $2 AND d.account_id = $1
		ORDER BY d.opened_at, d.id LIMIT 100`, accountID, checkoutID)
}

// HeldDisputes lists the disputes for which money of an account is blocked, oldest first.
func HeldDisputes(ctx context.Context, q Querier, accountID string, environment Environment) ([]Dispute, error) {
	return collect[Dispute](ctx, q, disputeQuery+`WHERE d.account_id = $1 AND d.livemode = $2
		AND d.blocked - d.released - r.taken > 0 ORDER BY d.opened_at, d.id`, accountID, environment)
}

// DisputeFilter narrows a list of disputes. The zero value selects all of all accounts.
type DisputeFilter struct {
	AccountID   string       // "" for all, for staff
	Environment *Environment // nil means both
	After       *Position    // the last row of the previous page
	Limit       int
}

// ListDisputes lists disputes, newest first, paged by keyset.
func ListDisputes(ctx context.Context, q Reader, f DisputeFilter) ([]Dispute, error) {
	query := where{args: []any{f.Limit}}
	if f.AccountID != "" {
		query.and("d.account_id = %s", f.AccountID)
	}
	if f.Environment != nil {
		query.and("d.livemode = %s", *f.Environment)
	}
	query.after("d.opened_at, d.id", "<", f.After)
	return collect[Dispute](ctx, q, disputeQuery+"WHERE true"+query.sql+
		" ORDER BY d.opened_at DESC, d.id DESC LIMIT $1", query.args...)
}

// DueDispute is a dispute for the queue of staff, which has the earliest deadline first.
type DueDispute struct{ Dispute }

// Position is the dispute's place in the queue.
func (d DueDispute) Position() Position { return Position{d.AnswerBy, d.ID} }

// DueDisputes lists the disputes of all accounts that are not closed, the earliest deadline first, paged by
// keyset; or the largest amounts first, without pages.
func DueDisputes(ctx context.Context, q Reader, largest bool, after *Position, limit int) ([]DueDispute, error) {
	query, sorted := where{args: []any{limit}}, "d.answer_by, d.id"
	if largest {
		sorted = "d.amount DESC, d.answer_by, d.id"
	} else {
		query.after("d.answer_by, d.id", ">", after)
	}
	return collect[DueDispute](ctx, q, disputeQuery+"WHERE d.status IN ('OPEN', 'DEFENDED', 'ACCEPTED')"+query.sql+
		" ORDER BY "+sorted+" LIMIT $1", query.args...)
}
