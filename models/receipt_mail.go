package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ReceiptMail is a receipt of a paid checkout that was mailed.
type ReceiptMail struct {
	CheckoutID string
	Form       string  // the form that asked for it, which sends it once
	Recipient  []byte  // a keyed digest of the address
	Masked     string  // what is shown of the address
	AskedBy    *string // a member; nil for the buyer
	CreatedAt  time.Time
}

// recipientClass is the class of advisory locks of recipients.
const recipientClass = 0x72637074

// LockRecipient makes other transactions that send receipts to the recipient wait until tx ends.
func LockRecipient(tx *Tx, recipient []byte) error {
	return tx.exec("SELECT pg_advisory_xact_lock($1, hashtext(encode($2::bytea, 'hex')))", recipientClass, recipient)
}

// ReceiptCounts are how many receipts were mailed.
type ReceiptCounts struct {
	Form      int // by this form: 0 or 1
	Charge    int // of the checkout
	Buyer     int // of the checkout, as its buyer asked
	Recipient int // of all checkouts, to the recipient since a time
}

// CountReceipts counts the receipts that bound another one. The caller has locked the checkout and the recipient.
func CountReceipts(tx *Tx, r *ReceiptMail, since time.Time) (n ReceiptCounts, err error) {
	err = tx.Scan(`SELECT count(*) FILTER (WHERE form = $2), count(*), count(*) FILTER (WHERE asked_by IS NULL),
			(SELECT count(*) FROM receipt_mails WHERE recipient = $3 AND created_at >= $4)
		FROM receipt_mails WHERE checkout_id = $1`, []any{r.CheckoutID, r.Form, r.Recipient, since},
		&n.Form, &n.Charge, &n.Buyer, &n.Recipient)
	return n, err
}

// InsertReceiptMail writes a receipt with the checkout's lowest number that is free. The database refuses it if none
// is.
func InsertReceiptMail(tx *Tx, r *ReceiptMail) error {
	return tx.exec(`INSERT INTO receipt_mails (checkout_id, number, form, recipient, masked, asked_by, created_at)
		SELECT $1::text, coalesce(min(n), 9), $2::text, $3::bytea, $4::text, $5::text, $6::timestamptz
		FROM generate_series(1, 8) n
		WHERE NOT EXISTS (SELECT FROM receipt_mails WHERE checkout_id = $1 AND number = n)`,
		r.CheckoutID, r.Form, r.Recipient, r.Masked, r.AskedBy, r.CreatedAt)
}

// ReceiptMails lists the receipts of a checkout, oldest first.
func ReceiptMails(ctx context.Context, q Querier, checkoutID string) ([]ReceiptMail, error) {
	rows, err := q.Query(ctx, `SELECT checkout_id, form, recipient, masked, asked_by, created_at FROM receipt_mails
		WHERE checkout_id = $1 ORDER BY created_at, number`, checkoutID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ReceiptMail])
}

// DeleteReceiptMails deletes the oldest receipts from before a time, up to a limit, and reports whether more may be
// left.
func DeleteReceiptMails(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "receipt_mails", "(checkout_id, number)",
		"SELECT checkout_id, number FROM receipt_mails WHERE created_at < $1 ORDER BY created_at LIMIT $2", before)
}

// IsMemberAddress reports whether an address is the confirmed one of a member of the project's account.
func IsMemberAddress(tx *Tx, projectID, address string) (is bool, err error) {
	err = tx.Scan(`SELECT EXISTS (SELECT FROM projects j JOIN members m ON m.account_id = j.account_id
			JOIN users u ON u.id = m.user_id
		WHERE j.id = $1 AND lower(u.email) = lower($2) AND u.email_verified_at IS NOT NULL)`,
		[]any{projectID, address}, &is)
	return is, err
}
