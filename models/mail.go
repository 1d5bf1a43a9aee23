package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Mail is a message to one person about one fact. Texts are not stored: Kind names
// them, Params fill them, Language chooses them when the mail is written out.
type Mail struct {
	ID       string // InsertMails makes it
	Fact     string // what it tells of, "withdrawal_completed/wdr_…"; one mail for each fact and recipient
	To       string
	Language string // "pt-BR" or "en"
	Kind     string // one of the Mail constants
	// Params are facts, never secrets. Package mail writes some the reader's way:
	// "amount" is centavos, "at" a time in RFC 3339, "role" a Role. "token" is the id
	// of a Token, which only the installation can turn into a link. All are erased
	// once the mail is sent.
	Params    map[string]string
	CreatedAt time.Time
	SentAt    *time.Time
	Attempts  int
	Error     string // of the last attempt, without the address
}

// The kinds of mail; package mail knows their params, texts and links.
const (
	MailVerifyEmail      = "verify_email"
	MailInvite           = "invite"
	MailResetPassword    = "reset_password"
	MailOwnerChanged     = "owner_changed"
	MailPasswordChanged  = "password_changed"
	MailEmailChange      = "email_change"       // to the new address, with the link
	MailEmailChangeAsked = "email_change_asked" // to the one that they have
	MailEmailChanged     = "email_changed"      // to the one that they had
	MailEmailTaken       = "email_taken"        // to who has the address that somebody else wants
	MailTOTPEnrolled     = "totp_enrolled"
	MailTOTPDisabled     = "totp_disabled"
	MailRecoveryCodeUsed = "recovery_code_used"
	MailPasskeyAdded     = "passkey_added"
	MailPasskeyRemoved   = "passkey_removed"
	MailWebhookFailing   = "webhook_failing"
	MailWebhookDisabled  = "webhook_disabled"

	MailTestWebhookFailing  = "webhook_failing_test"
	MailTestWebhookDisabled = "webhook_disabled_test"
	MailAccessApproved      = "access_approved"
	MailAccessRejected      = "access_rejected"
	MailAccessReturned      = "access_returned"
	MailAccessRevoked       = "access_revoked"

	MailAccountSuspended     = "account_suspended"
	MailAccountResumed       = "account_resumed"
	MailLiveBlocked          = "live_blocked"
	MailLiveUnblocked        = "live_unblocked"
	MailWithdrawalsBlocked   = "withdrawals_blocked"
	MailWithdrawalsUnblocked = "withdrawals_unblocked"

	MailDestinationRequested = "destination_requested"
	MailDestinationApproved  = "destination_approved"
	MailDestinationRejected  = "destination_rejected"
	MailWithdrawalCompleted  = "withdrawal_completed"
	MailWithdrawalRejected   = "withdrawal_rejected"
	MailWithdrawalFailed     = "withdrawal_failed"
	MailWithdrawalReturned   = "withdrawal_returned"

	MailChargePaid  = "charge_paid"
	MailChargesPaid = "charges_paid" // how many in an hour that had many
)

// JobSendMail is the kind, and QueueMails the queue, of the River job that sends one
// mail. Its arguments are {"mailId": "mail_…"}. MailAttempts spread over some seven
// hours by River's backoff.
const (
	JobSendMail  = "send_mail"
	QueueMails   = "mails"
	MailAttempts = 10
)

const insertMails = `WITH written AS (
	INSERT INTO mails (id, fact, recipient, language, kind, params, created_at)
	SELECT id, fact, recipient, language, kind, params::jsonb, created_at
	FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
		AS t (id, fact, recipient, language, kind, params, created_at)
	ON CONFLICT ON CONSTRAINT mails_once DO NOTHING RETURNING id
)
INSERT INTO river_job (kind, queue, args, max_attempts)
SELECT $8, $9, jsonb_build_object('mailId', id), $10 FROM written`

// InsertMails writes mails with their jobs. One that tells the same person of the
// same fact again is left out.
func InsertMails(tx *Tx, mails ...Mail) error {
	if len(mails) == 0 {
		return nil
	}
	n := len(mails)
	columns := make([][]string, 6)
	for i := range columns {
		columns[i] = make([]string, n)
	}
	times := make([]time.Time, n)
	for i, m := range mails {
		params, err := json.Marshal(m.Params)
		if err != nil {
			return fmt.Errorf("models: mail params: %w", err)
		}
		if m.Params == nil {
			params = []byte("{}")
		}
		for c, value := range []string{newMailID(), m.Fact, m.To, m.Language, m.Kind, string(params)} {
			columns[c][i] = value
		}
		times[i] = m.CreatedAt
	}
	return tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, insertMails, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], times,
			JobSendMail, QueueMails, MailAttempts)
		return err
	})
}

const mailColumns = `m.id, m.fact, m.recipient, m.language, m.kind, m.params, m.created_at, m.sent_at, m.attempts, m.error`

func (m *Mail) targets() []any {
	return []any{&m.ID, &m.Fact, &m.To, &m.Language, &m.Kind, &m.Params, &m.CreatedAt, &m.SentAt, &m.Attempts, &m.Error}
}

// MailByID returns a mail, or ErrNotFound.
func MailByID(ctx context.Context, q Querier, id string) (*Mail, error) {
	if !wellFormed(id, "mail_", 20) {
		return nil, ErrNotFound
	}
	var m Mail
	if err := q.QueryRow(ctx, "SELECT "+mailColumns+" FROM mails m WHERE m.id = $1", id).Scan(m.targets()...); err != nil {
		return nil, notFound(err)
	}
	return &m, nil
}

// LatestMails lists mails, newest first.
func LatestMails(ctx context.Context, q Querier, limit int) ([]Mail, error) {
	rows, err := q.Query(ctx, "SELECT "+mailColumns+" FROM mails m ORDER BY m.created_at DESC, m.id DESC LIMIT $1", limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m Mail, err error) {
		return m, row.Scan(m.targets()...)
	})
}

// RecordMailSent notes that the mail left, and forgets its params.
func RecordMailSent(ctx context.Context, q Querier, id string, at time.Time) error {
	_, err := q.Exec(ctx, "UPDATE mails SET sent_at = $2, attempts = attempts + 1, error = '', params = '{}' WHERE id = $1", id, at)
	return err
}

// RecordMailFailed notes an attempt that failed, and why.
func RecordMailFailed(ctx context.Context, q Querier, id, reason string) error {
	_, err := q.Exec(ctx, "UPDATE mails SET attempts = attempts + 1, error = $2 WHERE id = $1", id, reason)
	return err
}

// DeleteMails deletes the oldest mails if they were written before a time, and reports
// whether there may be more of them. None is sent so late.
func DeleteMails(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "mails", "id", "SELECT id FROM mails WHERE created_at < $1 ORDER BY created_at LIMIT $2", before)
}

// Recipient is whom a mail goes to.
type Recipient struct {
	Email, Name, Language string
}

// MembersToTell lists the members of an account who get a kind of mail: those with a
// role that it is for who have not turned it off, the oldest membership first.
func MembersToTell(ctx context.Context, q Querier, accountID, kind string) ([]Recipient, error) {
	roles, known := audience[kind]
	if !known {
		return nil, fmt.Errorf("models: no role is told by a mail %q", kind)
	}
	rows, err := q.Query(ctx, `SELECT u.email, u.name, u.language FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND m.role = ANY($2) AND NOT $3 = ANY(m.muted) ORDER BY m.created_at, u.id`,
		accountID, roles, noticeOf[kind])
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Recipient])
}

// ProjectMembersToTell is MembersToTell of the account that a project belongs to.
func ProjectMembersToTell(tx *Tx, projectID, kind string) (members []Recipient, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		var account string
		if err := conn.QueryRow(ctx, "SELECT account_id FROM projects WHERE id = $1", projectID).Scan(&account); err != nil {
			return notFound(err)
		}
		members, err = MembersToTell(ctx, conn, account, kind)
		return err
	})
	return members, err
}

// OwnerOf returns the owner of an account, or ErrNotFound.
func OwnerOf(ctx context.Context, q Querier, accountID string) (owner Recipient, err error) {
	err = q.QueryRow(ctx, `SELECT u.email, u.name, u.language FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND m.role = 'OWNER'`, accountID).Scan(&owner.Email, &owner.Name, &owner.Language)
	return owner, notFound(err)
}
