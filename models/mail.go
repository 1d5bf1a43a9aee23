package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Mail is a message to one person about one fact. Its text is not stored: it is rendered from
// Kind, Params and Language when the mail is sent.
type Mail struct {
	ID       string // assigned by InsertMails
	Fact     string // such as "withdrawal_completed/wdr_…"; a recipient gets one mail for each fact
	To       string `db:"recipient"`
	Language string // "pt-BR" or "en"
	Kind     string // one of the Mail constants
	// Params are facts, never secrets. Package mail formats some for the reader: "amount" is
	// centavos, "at" and "paid_at" times in RFC 3339, "role" a Role, "fee" and "withdrawal_fee" a money.Fee,
	// "settlement_delay" seconds, "bank_change" a change of a bank account. "token" is the id of a
	// Token, which only the installation can turn into a link. All params are deleted once the mail
	// is sent.
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
	MailNewDevice        = "new_device"         // a log-in; with a link that ends it
	MailEmailChange      = "email_change"       // to the new address, with a link
	MailEmailChangeAsked = "email_change_asked" // to the current address
	MailEmailChanged     = "email_changed"      // to the previous address
	MailEmailTaken       = "email_taken"        // to the owner of an address that another person wants
	MailTOTPEnrolled     = "totp_enrolled"
	MailTOTPDisabled     = "totp_disabled"
	MailRecoveryCodeUsed = "recovery_code_used"
	MailLogInGuesses     = "log_in_guesses" // many wrong passwords from new places
	MailWrongCodes       = "wrong_codes"    // many wrong codes after the right password
	MailPasskeyAdded     = "passkey_added"
	MailPasskeyRemoved   = "passkey_removed"
	MailIdentityLinked   = "identity_linked" // to the company's log-in
	MailIdentityUnlinked = "identity_unlinked"
	MailWebhookFailing   = "webhook_failing"
	MailWebhookDisabled  = "webhook_disabled"
	MailWebhookGone      = "webhook_gone"

	MailTestWebhookFailing  = "webhook_failing_test"
	MailTestWebhookDisabled = "webhook_disabled_test"
	MailTestWebhookGone     = "webhook_gone_test"
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

	MailNameApproved = "name_approved" // the account's new name
	MailNameRefused  = "name_refused"

	MailFeeChanged    = "fee_changed"
	MailLimitsChanged = "limits_changed"

	MailDestinationRequested = "destination_requested"
	MailDestinationApproved  = "destination_approved"
	MailDestinationRejected  = "destination_rejected"
	MailWithdrawalCompleted  = "withdrawal_completed"
	MailWithdrawalRejected   = "withdrawal_rejected"
	MailWithdrawalFailed     = "withdrawal_failed"
	MailWithdrawalReturned   = "withdrawal_returned"

	MailBankAccountChanged  = "bank_account_changed"  // to supervisors
	MailBankCertificateEnds = "bank_certificate_ends" // to supervisors
	MailBankSilent          = "bank_silent"           // to supervisors
	MailPayoutUnknown       = "payout_unknown"        // to staff who review withdrawals

	MailDisputeOpened      = "dispute_opened"
	MailDisputeDue         = "dispute_due"          // the answer is due soon
	MailDisputeOpenedStaff = "dispute_opened_staff" // to reviewers
	MailDisputeDueStaff    = "dispute_due_staff"    // to reviewers: the bank has no answer yet

	MailOwnBankProposed        = "own_bank_proposed" // to supervisors
	MailOwnBankChanged         = "own_bank_changed"
	MailOwnBankCertificateEnds = "own_bank_certificate_ends"

	MailKeyEnds = "api_key_ends" // an API key ends soon

	MailChargePaid  = "charge_paid"
	MailChargesPaid = "charges_paid" // the charges of an hour that had many

	MailMonthClosed = "month_closed" // what a month was, in live

	MailReceipt = "receipt" // of a paid charge, for its buyer
)

// JobSendMail is the kind, and QueueMails the queue, of the River job that sends one mail. Its
// arguments are {"mailId": "mail_…"}. River's backoff spreads MailAttempts over about seven
// hours.
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

// InsertMails writes mails with their jobs. A mail with the same fact and recipient as an
// earlier one is left out.
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
	return tx.exec(insertMails, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], times,
		JobSendMail, QueueMails, MailAttempts)
}

const mailColumns = `m.id, m.fact, m.recipient, m.language, m.kind, m.params, m.created_at, m.sent_at,
	m.attempts, m.error`

// MailByID returns a mail, or ErrNotFound.
func MailByID(ctx context.Context, q Querier, id string) (*Mail, error) {
	if !mailShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[Mail](ctx, q, "SELECT "+mailColumns+" FROM mails m WHERE m.id = $1", id)
}

// LatestMails lists mails, newest first.
func LatestMails(ctx context.Context, q Querier, limit int) ([]Mail, error) {
	return collect[Mail](ctx, q, "SELECT "+mailColumns+" FROM mails m ORDER BY m.created_at DESC, m.id DESC LIMIT $1",
		limit)
}

// RecordMailSent records that the mail was sent, and deletes its params.
func RecordMailSent(ctx context.Context, q Querier, id string, at time.Time) error {
	_, err := q.Exec(ctx,
		"UPDATE mails SET sent_at = $2, attempts = attempts + 1, error = '', params = '{}' WHERE id = $1", id, at)
	return err
}

// RecordMailFailed records a failed attempt and its reason.
func RecordMailFailed(ctx context.Context, q Querier, id, reason string) error {
	_, err := q.Exec(ctx, "UPDATE mails SET attempts = attempts + 1, error = $2 WHERE id = $1", id, reason)
	return err
}

// DeleteMails deletes the oldest mails from before a time, up to a limit, and reports whether
// more may be left. before must be so early that none of them is still to be sent.
func DeleteMails(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "mails", "id", "SELECT id FROM mails WHERE created_at < $1 ORDER BY created_at LIMIT $2",
		before)
}

// Recipient is the person to whom a mail goes.
type Recipient struct {
	Email, Name, Language string
}

// MembersToTell lists the members of an account who get mails of a kind: those whose role gets
// it and who have not turned it off, oldest membership first.
func MembersToTell(ctx context.Context, q Querier, accountID, kind string) ([]Recipient, error) {
	roles := rolesTold(kind)
	if len(roles) == 0 {
		return nil, fmt.Errorf("models: no role gets mails of kind %q", kind)
	}
	rows, err := q.Query(ctx, `SELECT u.email, u.name, u.language FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND m.role = ANY($2) AND NOT $3 = ANY(m.muted) ORDER BY m.created_at, u.id`,
		accountID, roles, noticeOf[kind])
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Recipient])
}

// ProjectMembersToTell is MembersToTell for the account of a project.
func ProjectMembersToTell(tx *Tx, projectID, kind string) ([]Recipient, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]Recipient, error) {
		var account string
		err := q.QueryRow(ctx, "SELECT account_id FROM projects WHERE id = $1", projectID).Scan(&account)
		if err != nil {
			return nil, notFound(err)
		}
		return MembersToTell(ctx, q, account, kind)
	})
}

// OwnerOf returns the owner of an account, or ErrNotFound.
func OwnerOf(ctx context.Context, q Querier, accountID string) (owner Recipient, err error) {
	err = q.QueryRow(ctx, `SELECT u.email, u.name, u.language FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND m.role = 'OWNER'`, accountID).Scan(&owner.Email, &owner.Name, &owner.Language)
	return owner, notFound(err)
}
