package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// PaidMailsAnHour is the number of charges paid in an hour for which a member gets one mail
// each. If there are more, one mail sums up the hour when it is over.
const PaidMailsAnHour = 20

// PaidNotice is a member's subscription to mails about paid charges, with its progress.
type PaidNotice struct {
	AccountID, UserID string
	ThroughID         int64     // id of the last ledger transfer that was processed
	Hour              time.Time // the whole hour of Paid and Amount
	Paid              int
	Amount            money.Cents
	Recipient
	AccountName string
}

// PaidCharge is a live checkout in status PAID.
type PaidCharge struct {
	ID, Description, ExternalID string
	Amount                      money.Cents
	PaidAt                      time.Time
}

// LivePayment is the ledger transfer with which a payment that made its checkout PAID credited
// the account.
type LivePayment struct {
	TransferID int64
	PaymentID  string
	Amount     money.Cents // what the buyer paid
	RecordedAt time.Time
}

// livePayments selects the transfers t with which live payments credited the account of n,
// after those already processed and up to $1. The comparison as rows makes them a range of the
// index ledger_transfers_in, whatever the planner expects. Money of accepted exceptions is not
// among them, because its checkout is not PAID.
const livePayments = ` FROM ledger_transfers t
	WHERE (t.to_book, t.id) > (n.account_id || '/live/pending', n.through_id)
		AND (t.to_book, t.id) <= (n.account_id || '/live/pending', $1)
		AND starts_with(t.fact, 'payment/')`

// WantPaidNotices subscribes a member to mails about charges paid from now on. An existing
// subscription does not change.
func WantPaidNotices(tx *Tx, accountID, userID string, now time.Time) error {
	return tx.exec(`INSERT INTO paid_notices (account_id, user_id, through_id, hour)
		SELECT $1, $2, CASE WHEN is_called THEN last_value ELSE 0 END, date_trunc('hour', $3::timestamptz)
		FROM ledger_transfers_id_seq ON CONFLICT DO NOTHING`, accountID, userID, now)
}

// EndPaidNotices ends the subscription of WantPaidNotices, if there is one.
func EndPaidNotices(tx *Tx, accountID, userID string) error {
	return tx.exec("DELETE FROM paid_notices WHERE account_id = $1 AND user_id = $2", accountID, userID)
}

// AnyPaidNotices reports whether any member subscribes to mails about paid charges.
func AnyPaidNotices(ctx context.Context, q Querier) (any bool, err error) {
	err = q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM paid_notices)").Scan(&any)
	return any, err
}

// DuePaidNotices lists the subscriptions of members who may still read charges and for which
// there is something to report: payments among the transfers up to throughID, or an hour that
// is over and had more charges than mails. Only the account and the user are set.
func DuePaidNotices(ctx context.Context, q Querier, throughID int64, now time.Time) ([]PaidNotice, error) {
	rows, err := q.Query(ctx,
		`SELECT n.account_id, n.user_id FROM paid_notices n JOIN members m USING (account_id, user_id)
		WHERE m.role = ANY($2) AND (n.paid > $3 AND n.hour <= $4::timestamptz - interval '1 hour' OR EXISTS (SELECT`+
			livePayments+`))
		ORDER BY n.account_id, n.user_id`, throughID, rolesTold(MailChargePaid), PaidMailsAnHour, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (n PaidNotice, err error) {
		return n, row.Scan(&n.AccountID, &n.UserID)
	})
}

// LockPaidNotice locks a member's subscription until tx ends, and returns it with the
// recipient. It returns ErrNotFound if another transaction has locked it, or if it has ended
// or is no longer allowed.
func LockPaidNotice(tx *Tx, accountID, userID string) (*PaidNotice, error) {
	var n PaidNotice
	err := tx.Scan(`SELECT n.account_id, n.user_id, n.through_id, n.hour, n.paid, n.amount,
			u.email, u.name, u.language, a.name
		FROM paid_notices n JOIN members m USING (account_id, user_id)
		JOIN users u ON u.id = n.user_id JOIN accounts a ON a.id = n.account_id
		WHERE n.account_id = $1 AND n.user_id = $2 AND m.role = ANY($3) FOR UPDATE OF n SKIP LOCKED`,
		[]any{accountID, userID, rolesTold(MailChargePaid)},
		&n.AccountID, &n.UserID, &n.ThroughID, &n.Hour, &n.Paid, &n.Amount,
		&n.Email, &n.Name, &n.Language, &n.AccountName)
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// LivePaymentsFor lists the payments among the transfers up to throughID that were not
// reported to the member yet, in the ledger's order.
func LivePaymentsFor(tx *Tx, n *PaidNotice, throughID int64, limit int) (payments []LivePayment, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx, `SELECT p.* FROM paid_notices n, LATERAL (
				SELECT t.id, substr(t.fact, length('payment/') + 1), t.amount, t.recorded_at`+livePayments+`
				ORDER BY t.to_book, t.id LIMIT $2) p
			WHERE n.account_id = $3 AND n.user_id = $4`, throughID, limit, n.AccountID, n.UserID)
		if err != nil {
			return err
		}
		payments, err = pgx.CollectRows(rows, pgx.RowToStructByPos[LivePayment])
		return err
	})
	return payments, err
}

// PaidCharges returns the checkouts that payments made PAID, by the payments' ids.
func PaidCharges(tx *Tx, paymentIDs []string) (map[string]PaidCharge, error) {
	found := map[string]PaidCharge{}
	err := tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx, `SELECT p.id, c.id, c.description, c.external_id, p.amount, p.paid_at
			FROM payments p JOIN checkouts c ON c.id = p.checkout_id WHERE p.id = ANY($1) AND p.settles`, paymentIDs)
		if err != nil {
			return err
		}
		var payment string
		var c PaidCharge
		_, err = pgx.ForEachRow(rows, []any{&payment, &c.ID, &c.Description, &c.ExternalID, &c.Amount, &c.PaidAt},
			func() error {
				found[payment] = c
				return nil
			})
		return err
	})
	return found, err
}

// SavePaidNotice stores the progress of a subscription whose row tx has locked.
func SavePaidNotice(tx *Tx, n *PaidNotice) error {
	return tx.exec(`UPDATE paid_notices SET through_id = $3, hour = $4, paid = $5, amount = $6
		WHERE account_id = $1 AND user_id = $2`, n.AccountID, n.UserID, n.ThroughID, n.Hour, n.Paid, n.Amount)
}

// DropUnwantedMail deletes a mail about paid charges that waits to be sent, if its recipient
// has turned the notice off, or may no longer read the account's charges. It does nothing for
// mails of other kinds. It reports whether it deleted the mail.
func DropUnwantedMail(ctx context.Context, q Querier, m *Mail) (dropped bool, err error) {
	if noticeOf[m.Kind] != NoticeChargePaid {
		return false, nil
	}
	tag, err := q.Exec(ctx, `DELETE FROM mails m WHERE id = $1 AND sent_at IS NULL AND NOT EXISTS (
		SELECT FROM paid_notices n JOIN members USING (account_id, user_id) JOIN users u ON u.id = n.user_id
		WHERE n.account_id = m.params->>'account_id' AND u.email = m.recipient AND members.role = ANY($2))`, m.ID,
		rolesTold(m.Kind))
	return tag.RowsAffected() == 1, err
}
