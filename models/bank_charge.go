package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// BankChargeStatus is what is known of a charge at a bank.
type BankChargeStatus string

const (
	BankChargeCreating BankChargeStatus = "CREATING" // the bank may have it; its checkout does not exist yet
	BankChargeOpen     BankChargeStatus = "OPEN"     // the bank has it, and its checkout exists
	BankChargePaid     BankChargeStatus = "PAID"     // a Pix for it is recorded
	BankChargeRemoving BankChargeStatus = "REMOVING" // the bank is to take no payment of it any more
	BankChargeRemoved  BankChargeStatus = "REMOVED"  // the bank takes no payment of it any more
	BankChargeLapsed   BankChargeStatus = "LAPSED"   // its time at the bank is over, and it was not paid
	BankChargeRefused  BankChargeStatus = "REFUSED"  // the bank never had it
	BankChargeConflict BankChargeStatus = "CONFLICT" // the bank has another charge by this TxID
)

// BankCharge is a charge at a bank. It is written before the bank is asked for it.
type BankCharge struct {
	TxID          string
	BankAccountID string
	ProjectID     string
	CheckoutID    string // a checkout that does not exist yet while the charge is CREATING
	Generation    int    // of the charges of one checkout, from 0
	Amount        money.Cents
	Expiration    int // seconds, as the bank was asked
	Status        BankChargeStatus
	// By the bank's clock; nil until the bank has answered.
	BankCreatedAt, PayableUntil *time.Time
	Revision                    int
	Checks                      int        // looks at it since its status changed
	NextCheckAt                 *time.Time // nil if it needs no look
	Failure                     string     // of the last look; "" if it succeeded
	CreatedAt                   time.Time
}

// Dead reports whether a payer cannot pay the charge, so that another may take its place.
func (c *BankCharge) Dead() bool {
	return c.Status == BankChargeRemoved || c.Status == BankChargeLapsed || c.Status == BankChargeRefused
}

const bankChargeColumns = `b.txid, b.bank_account_id, b.project_id, b.checkout_id, b.generation, b.amount,
	b.expiration, b.status, b.bank_created_at, b.payable_until, b.revision, b.checks, b.next_check_at, b.failure,
	b.created_at`

// BankChargeOf returns the newest charge of a checkout, or ErrNotFound. The checkout need not exist.
func BankChargeOf(ctx context.Context, q Querier, checkoutID string) (*BankCharge, error) {
	return one[BankCharge](ctx, q, "SELECT "+bankChargeColumns+` FROM bank_charges b WHERE b.checkout_id = $1
		ORDER BY b.generation DESC LIMIT 1`, checkoutID)
}

// BankChargeByTxID returns a charge, or ErrNotFound.
func BankChargeByTxID(ctx context.Context, q Querier, txID string) (*BankCharge, error) {
	return one[BankCharge](ctx, q, "SELECT "+bankChargeColumns+" FROM bank_charges b WHERE b.txid = $1", txID)
}

// LockBankCharges locks the charges with these TxIDs until tx ends, and returns those that exist. The
// caller locks their checkouts first.
func LockBankCharges(tx *Tx, txIDs []string) (charges map[string]*BankCharge, err error) {
	rows, err := within(tx, func(ctx context.Context, q Querier) ([]BankCharge, error) {
		return collect[BankCharge](ctx, q, "SELECT "+bankChargeColumns+` FROM bank_charges b
			WHERE b.txid = ANY($1) ORDER BY b.txid FOR UPDATE`, txIDs)
	})
	charges = make(map[string]*BankCharge, len(rows))
	for i := range rows {
		charges[rows[i].TxID] = &rows[i]
	}
	return charges, err
}

// SaveBankCharge writes the status, the failure and the next look of a charge that the caller has
// locked.
func SaveBankCharge(tx *Tx, c *BankCharge) error {
	return tx.exec(`UPDATE bank_charges SET status = $2, failure = left($3, 200), checks = $4, next_check_at = $5
		WHERE txid = $1`, c.TxID, c.Status, c.Failure, c.Checks, c.NextCheckAt)
}

// PayBankCharges marks charges, which the caller has locked, as PAID.
func PayBankCharges(tx *Tx, txIDs []string) error {
	return tx.exec(`UPDATE bank_charges SET status = 'PAID', next_check_at = NULL, failure = ''
		WHERE txid = ANY($1) AND status <> 'PAID'`, txIDs)
}

// EndBankCharges updates the OPEN charges of checkouts that have expired, whose rows the caller has locked. Those that
// a payer can still pay are to be removed at the bank. The others keep their status until the bank has said that they
// were not paid.
func EndBankCharges(tx *Tx, checkoutIDs []string, now time.Time) error {
	return tx.exec(`UPDATE bank_charges SET status = 'REMOVING', checks = 0, next_check_at = $2
		WHERE checkout_id = ANY($1) AND status = 'OPEN' AND payable_until > $2`, checkoutIDs, now)
}

// ClaimBankCharges returns charges of a bank account whose look is due: up to open of those that are OPEN,
// the youngest first, and up to others of those that are CREATING or REMOVING. It puts their next look off
// until lease is over, so that another process looks if this one ends.
func ClaimBankCharges(ctx context.Context, q Querier, bankAccountID string, now time.Time, lease time.Duration,
	open, others int) ([]BankCharge, error) {
	const due = "SELECT txid FROM bank_charges WHERE bank_account_id = $1 AND next_check_at <= $2 AND status "
	return collect[BankCharge](ctx, q, `WITH open AS (
			`+due+`= 'OPEN' ORDER BY created_at DESC LIMIT $4 FOR UPDATE SKIP LOCKED
		), others AS (
			`+due+`<> 'OPEN' ORDER BY next_check_at LIMIT $5 FOR UPDATE SKIP LOCKED
		)
		UPDATE bank_charges b SET next_check_at = $3, checks = b.checks + 1
		FROM (SELECT txid FROM open UNION ALL SELECT txid FROM others) due
		WHERE b.txid = due.txid RETURNING `+bankChargeColumns, bankAccountID, now, now.Add(lease), open, others)
}

// LapseBankCharges marks the OPEN charges of a bank account that could be paid until a time at the most
// as LAPSED. The caller has recorded what was paid until then. The index of the next looks finds them.
func LapseBankCharges(ctx context.Context, q Querier, bankAccountID string, until time.Time) error {
	_, err := q.Exec(ctx, `UPDATE bank_charges SET status = 'LAPSED', next_check_at = NULL
		WHERE bank_account_id = $1 AND status = 'OPEN' AND next_check_at IS NOT NULL AND payable_until < $2`,
		bankAccountID, until)
	return err
}

// OddCharge is a charge whose state at the bank differs from the gateway's.
type OddCharge struct {
	TxID       string
	CheckoutID string
	Exists     bool // its checkout
	Amount     money.Cents
	Status     BankChargeStatus
	Failure    string // what the bank has
	CreatedAt  time.Time
}

// OddCharges lists such charges of a bank account, newest first, at most limit: those in CONFLICT created since a time,
// and those still being checked for which the bank reported another amount or an unknown status.
func OddCharges(ctx context.Context, q Querier, bankAccountID string, since time.Time, limit int) ([]OddCharge,
	error) {
	return collect[OddCharge](ctx, q, `SELECT b.txid AS tx_id, b.checkout_id,
			EXISTS (SELECT FROM checkouts c WHERE c.id = b.checkout_id) AS exists, b.amount, b.status, b.failure,
			b.created_at
		FROM bank_charges b WHERE b.bank_account_id = $1 AND (b.status = 'CONFLICT' AND b.created_at >= $2
			OR b.next_check_at IS NOT NULL AND (b.failure LIKE 'the bank says %' OR b.failure LIKE 'the bank has %'))
		ORDER BY b.created_at DESC, b.txid LIMIT $3`, bankAccountID, since, limit)
}
