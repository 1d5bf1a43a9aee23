package models

import (
	"context"
	"slices"
	"time"
)

// Notice is a group of mails that a member may turn off; NoticeChargePaid is off by
// default. Mails without a notice cannot be turned off: requested links, and warnings about
// the account.
type Notice string

const (
	NoticeChargePaid      Notice = "CHARGE_PAID" // paid live charges; see PaidNotice
	NoticeWebhookFailing  Notice = "WEBHOOK_FAILING"
	NoticeWebhookDisabled Notice = "WEBHOOK_DISABLED"
	NoticeWithdrawals     Notice = "WITHDRAWALS" // the end of a withdrawal
	NoticeAccess          Notice = "ACCESS"      // decisions about production access
	NoticeMonthClosed     Notice = "MONTH_CLOSED"
)

// Notices lists all notices.
var Notices = []Notice{NoticeChargePaid, NoticeWebhookFailing, NoticeWebhookDisabled, NoticeWithdrawals, NoticeAccess,
	NoticeMonthClosed}

// noticeOf maps each kind of mail to its notice.
var noticeOf = map[string]Notice{
	MailChargePaid:          NoticeChargePaid,
	MailChargesPaid:         NoticeChargePaid,
	MailWebhookFailing:      NoticeWebhookFailing,
	MailTestWebhookFailing:  NoticeWebhookFailing,
	MailWebhookDisabled:     NoticeWebhookDisabled,
	MailTestWebhookDisabled: NoticeWebhookDisabled,
	MailWebhookGone:         NoticeWebhookDisabled,
	MailTestWebhookGone:     NoticeWebhookDisabled,
	MailWithdrawalCompleted: NoticeWithdrawals,
	MailWithdrawalRejected:  NoticeWithdrawals,
	MailWithdrawalFailed:    NoticeWithdrawals,
	MailWithdrawalReturned:  NoticeWithdrawals,
	MailAccessApproved:      NoticeAccess,
	MailAccessRejected:      NoticeAccess,
	MailAccessReturned:      NoticeAccess,
	MailAccessRevoked:       NoticeAccess,
	MailMonthClosed:         NoticeMonthClosed,
}

// audience maps each kind of mail about an account to a capability: the members whose role has
// it get the mail.
var audience = map[string]Capability{
	MailChargePaid:           See,
	MailChargesPaid:          See,
	MailWebhookFailing:       HearOfFailures,
	MailTestWebhookFailing:   HearOfFailures,
	MailWebhookDisabled:      Own,
	MailTestWebhookDisabled:  Own,
	MailWebhookGone:          Own,
	MailTestWebhookGone:      Own,
	MailDestinationRequested: MoveMoney,
	MailDestinationApproved:  MoveMoney,
	MailDestinationRejected:  MoveMoney,
	MailWithdrawalCompleted:  MoveMoney,
	MailWithdrawalRejected:   MoveMoney,
	MailWithdrawalFailed:     MoveMoney,
	MailWithdrawalReturned:   MoveMoney,
	MailDisputeOpened:        MoveMoney,
	MailDisputeDue:           MoveMoney,
	MailAccessApproved:       Own,
	MailAccessRejected:       Own,
	MailAccessReturned:       Own,
	MailAccessRevoked:        Own,
	MailAccountSuspended:     Own,
	MailAccountResumed:       Own,
	MailLiveBlocked:          Own,
	MailLiveUnblocked:        Own,
	MailWithdrawalsBlocked:   Own,
	MailWithdrawalsUnblocked: Own,
	MailNameApproved:         Own,
	MailNameRefused:          Own,
	MailFeeChanged:           Own,
	MailLimitsChanged:        Own,
	MailKeyEnds:              Integrate,

	MailMonthClosed: Own,

	MailOwnBankChanged:         Own,
	MailOwnBankCertificateEnds: Own,
}

// rolesTold returns the roles that get a kind of mail about an account.
func rolesTold(kind string) []Role { return capabilities[audience[kind]] }

// NoticesFor returns the notices that a role may turn on and off.
func NoticesFor(role Role) []Notice {
	return slices.DeleteFunc(slices.Clone(Notices), func(n Notice) bool {
		for kind, capability := range audience {
			if noticeOf[kind] == n && role.Can(capability) {
				return false
			}
		}
		return true
	})
}

// MutedNotices returns the notices that are off for a member of an account, or
// ErrNotFound.
func MutedNotices(ctx context.Context, q Querier, accountID, userID string) (muted []Notice, err error) {
	err = q.QueryRow(ctx, `SELECT CASE WHEN n.user_id IS NULL THEN ARRAY[$3] ELSE '{}' END || m.muted
		FROM members m LEFT JOIN paid_notices n USING (account_id, user_id) WHERE m.account_id = $1 AND m.user_id = $2`,
		accountID, userID, NoticeChargePaid).Scan(&muted)
	return muted, notFound(err)
}

// SetMutedNotices turns the given notices off for a member, and all others on.
// NoticeChargePaid then applies to charges paid from now on.
func SetMutedNotices(tx *Tx, accountID, userID string, muted []Notice, now time.Time) error {
	names := []string{}
	for _, notice := range muted {
		if notice != NoticeChargePaid {
			names = append(names, string(notice))
		}
	}
	err := tx.exec("UPDATE members SET muted = $3 WHERE account_id = $1 AND user_id = $2",
		accountID, userID, names)
	if err != nil {
		return err
	}
	if slices.Contains(muted, NoticeChargePaid) {
		return EndPaidNotices(tx, accountID, userID)
	}
	return WantPaidNotices(tx, accountID, userID, now)
}

// HideSteps hides the first steps on a member's start page, or shows them again.
func HideSteps(ctx context.Context, h Handle, accountID, userID string, hidden bool) error {
	return h.gorm(ctx).Model(&Member{}).Where("account_id = ? AND user_id = ?", accountID, userID).
		Update("steps_hidden", hidden).Error
}
