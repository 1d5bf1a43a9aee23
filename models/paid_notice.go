package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// PaidMailsAnHour is how many charges paid in an hour a member gets a mail each of. If
// there are more, one mail sums the hour up when it is over.
const PaidMailsAnHour = 20

// PaidNotice is a member's wish to hear of paid charges, and how far they were told.
type PaidNotice struct {
	AccountID, UserID string
	ThroughID         int64     // the last movement of the ledger that was looked at
	Hour              time.Time // the whole hour that Paid and Amount are of
	Paid              int
	Amount            money.Cents
	Recipient
	AccountName string
}

// PaidCharge is a live checkout that was paid.
type PaidCharge struct {
	ID, Description, ExternalID string
	Amount                      money.Cents
	PaidAt                      time.Time
}

// LivePayment is the movement by which a payment that made its checkout PAID credited
// the account.
type LivePayment struct {
	TransferID int64
	PaymentID  string
	Amount     money.Cents // what the buyer paid
	RecordedAt time.Time
}

// livePayments are the movements t by which live payments credited the account of n,
// after those that it was told of and up to $1. Compared as rows they are a range of
// ledger_transfers_in, whatever the planner believes. Money that staff accept goes
// elsewhere: its checkout is not PAID.
const livePayments = ` FROM ledger_transfers t
	WHERE (t.to_book, t.id) > (n.account_id || '/live/pending', n.through_id) AND (t.to_book, t.id) <= (n.account_id || '/live/pending', $1)
		AND starts_with(t.fact, 'payment/')`

// WantPaidNotices begins to tell a member of charges paid from now on, unless they are
// told already.
func WantPaidNotices(tx *Tx, accountID, userID string, now time.Time) error {
	return tx.Exec(`INSERT INTO paid_notices (account_id, user_id, through_id, hour)
		SELECT ?, ?, CASE WHEN is_called THEN last_value ELSE 0 END, date_trunc('hour', ?::timestamptz) FROM ledger_transfers_id_seq
		ON CONFLICT DO NOTHING`, accountID, userID, now).Error
}

// EndPaidNotices ends what WantPaidNotices began, if it did.
func EndPaidNotices(tx *Tx, accountID, userID string) error {
	return tx.Exec("DELETE FROM paid_notices WHERE account_id = ? AND user_id = ?", accountID, userID).Error
}

// AnyPaidNotices reports whether anybody wants to hear of paid charges.
func AnyPaidNotices(ctx context.Context, q Querier) (any bool, err error) {
	err = q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM paid_notices)").Scan(&any)
	return any, err
}

// DuePaidNotices lists those whose member may still read charges and has something to
// hear of: payments among the movements up to throughID, or an hour that is over by now
// and had more than were told one by one. Of each, account and user are filled in.
func DuePaidNotices(ctx context.Context, q Querier, throughID int64, now time.Time) ([]PaidNotice, error) {
	rows, err := q.Query(ctx, `SELECT n.account_id, n.user_id FROM paid_notices n JOIN members m USING (account_id, user_id)
		WHERE m.role = ANY($2) AND (n.paid > $3 AND n.hour <= $4::timestamptz - interval '1 hour' OR EXISTS (SELECT`+livePayments+`))
		ORDER BY n.account_id, n.user_id`, throughID, audience[MailChargePaid], PaidMailsAnHour, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (n PaidNotice, err error) {
		return n, row.Scan(&n.AccountID, &n.UserID)
	})
}

// LockPaidNotice holds a member's until tx ends, with whom to write to; or ErrNotFound
// if another transaction holds it, or nobody wants or may hear of it any more.
func LockPaidNotice(tx *Tx, accountID, userID string) (*PaidNotice, error) {
	var n PaidNotice
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT n.account_id, n.user_id, n.through_id, n.hour, n.paid, n.amount, u.email, u.name, u.language, a.name
			FROM paid_notices n JOIN members m USING (account_id, user_id) JOIN users u ON u.id = n.user_id JOIN accounts a ON a.id = n.account_id
			WHERE n.account_id = $1 AND n.user_id = $2 AND m.role = ANY($3) FOR UPDATE OF n SKIP LOCKED`, accountID, userID, audience[MailChargePaid]).
			Scan(&n.AccountID, &n.UserID, &n.ThroughID, &n.Hour, &n.Paid, &n.Amount, &n.Email, &n.Name, &n.Language, &n.AccountName)
	})
	if err != nil {
		return nil, notFound(err)
	}
	return &n, nil
}

// LivePaymentsFor lists the payments that a member was not told of yet among the
// movements up to throughID, in the ledger's order.
func LivePaymentsFor(tx *Tx, n *PaidNotice, throughID int64, limit int) (payments []LivePayment, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
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
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT p.id, c.id, c.description, c.external_id, p.amount, p.paid_at
			FROM payments p JOIN checkouts c ON c.id = p.checkout_id WHERE p.id = ANY($1) AND p.settles`, paymentIDs)
		if err != nil {
			return err
		}
		var payment string
		var c PaidCharge
		_, err = pgx.ForEachRow(rows, []any{&payment, &c.ID, &c.Description, &c.ExternalID, &c.Amount, &c.PaidAt}, func() error {
			found[payment] = c
			return nil
		})
		return err
	})
	return found, err
}

// SavePaidNotice writes how far a member was told, who is held.
func SavePaidNotice(tx *Tx, n *PaidNotice) error {
	return tx.Exec("UPDATE paid_notices SET through_id = ?, hour = ?, paid = ?, amount = ? WHERE account_id = ? AND user_id = ?",
		n.ThroughID, n.Hour, n.Paid, int64(n.Amount), n.AccountID, n.UserID).Error
}

// DropUnwantedMail deletes a mail of paid charges that waits to be sent, if its reader
// turned the notice off since, or may not read the account's charges any more. Of other
// kinds it does nothing. It reports whether the mail is gone.
func DropUnwantedMail(ctx context.Context, q Querier, m *Mail) (dropped bool, err error) {
	if noticeOf[m.Kind] != NoticeChargePaid {
		return false, nil
	}
	tag, err := q.Exec(ctx, `DELETE FROM mails m WHERE id = $1 AND sent_at IS NULL AND NOT EXISTS (
		SELECT FROM paid_notices n JOIN members USING (account_id, user_id) JOIN users u ON u.id = n.user_id
		WHERE n.account_id = m.params->>'account_id' AND u.email = m.recipient AND members.role = ANY($2))`, m.ID, audience[m.Kind])
	return tag.RowsAffected() == 1, err
}
