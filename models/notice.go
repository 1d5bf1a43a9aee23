package models

import (
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Notice is a sort of mail that a member may turn off; NoticeChargePaid is off until they
// turn it on. Mails that none stands for always come: links that were asked for, and
// whatever tells of an account in danger.
type Notice string

const (
	NoticeChargePaid      Notice = "CHARGE_PAID" // live charges; see PaidNotice
	NoticeWebhookFailing  Notice = "WEBHOOK_FAILING"
	NoticeWebhookDisabled Notice = "WEBHOOK_DISABLED"
	NoticeWithdrawals     Notice = "WITHDRAWALS" // how a withdrawal ended
	NoticeAccess          Notice = "ACCESS"      // what staff decided about production access
)

// Notices are all of them.
var Notices = []Notice{NoticeChargePaid, NoticeWebhookFailing, NoticeWebhookDisabled, NoticeWithdrawals, NoticeAccess}

// noticeOf is the notice that a kind of mail belongs to.
var noticeOf = map[string]Notice{
	MailChargePaid:          NoticeChargePaid,
	MailChargesPaid:         NoticeChargePaid,
	MailWebhookFailing:      NoticeWebhookFailing,
	MailTestWebhookFailing:  NoticeWebhookFailing,
	MailWebhookDisabled:     NoticeWebhookDisabled,
	MailTestWebhookDisabled: NoticeWebhookDisabled,
	MailWithdrawalCompleted: NoticeWithdrawals,
	MailWithdrawalRejected:  NoticeWithdrawals,
	MailWithdrawalFailed:    NoticeWithdrawals,
	MailWithdrawalReturned:  NoticeWithdrawals,
	MailAccessApproved:      NoticeAccess,
	MailAccessRejected:      NoticeAccess,
	MailAccessReturned:      NoticeAccess,
	MailAccessRevoked:       NoticeAccess,
}

// The roles that are told of something (decisions, 1). Whoever looks after the money is
// told of what becomes of it.
var (
	owners     = []Role{RoleOwner}
	integrates = []Role{RoleOwner, RoleDeveloper}
	treasurers = []Role{RoleOwner, RoleAdmin, RoleFinance}
	readers    = []Role{RoleOwner, RoleAdmin, RoleDeveloper, RoleFinance, RoleViewer} // of charges
)

// audience are the roles that a kind of mail about an account is for.
var audience = map[string][]Role{
	MailChargePaid:           readers,
	MailChargesPaid:          readers,
	MailWebhookFailing:       integrates,
	MailTestWebhookFailing:   integrates,
	MailWebhookDisabled:      owners,
	MailTestWebhookDisabled:  owners,
	MailDestinationRequested: treasurers,
	MailDestinationApproved:  treasurers,
	MailDestinationRejected:  treasurers,
	MailWithdrawalCompleted:  treasurers,
	MailWithdrawalRejected:   treasurers,
	MailWithdrawalFailed:     treasurers,
	MailWithdrawalReturned:   treasurers,
	MailAccessApproved:       owners,
	MailAccessRejected:       owners,
	MailAccessReturned:       owners,
	MailAccessRevoked:        owners,
	MailAccountSuspended:     owners,
	MailAccountResumed:       owners,
	MailLiveBlocked:          owners,
	MailLiveUnblocked:        owners,
	MailWithdrawalsBlocked:   owners,
	MailWithdrawalsUnblocked: owners,
}

// NoticesFor returns the notices that a role may turn on and off.
func NoticesFor(role Role) []Notice {
	return slices.DeleteFunc(slices.Clone(Notices), func(n Notice) bool {
		for kind, roles := range audience {
			if noticeOf[kind] == n && slices.Contains(roles, role) {
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

// SetMutedNotices turns a member's notices off, and all others on: that of paid charges
// for those paid from now on.
func SetMutedNotices(tx *Tx, accountID, userID string, muted []Notice, now time.Time) error {
	var names []string
	for _, notice := range muted {
		if notice != NoticeChargePaid {
			names = append(names, string(notice))
		}
	}
	err := tx.Exec("UPDATE members SET muted = string_to_array(?, ',') WHERE account_id = ? AND user_id = ?",
		strings.Join(names, ","), accountID, userID).Error
	if err != nil {
		return err
	}
	if slices.Contains(muted, NoticeChargePaid) {
		return EndPaidNotices(tx, accountID, userID)
	}
	return WantPaidNotices(tx, accountID, userID, now)
}

// HideSteps keeps the first steps out of a member's sight, or shows them again.
func HideSteps(db *gorm.DB, accountID, userID string, hidden bool) error {
	return db.Exec("UPDATE members SET steps_hidden = ? WHERE account_id = ? AND user_id = ?", hidden, accountID, userID).Error
}
