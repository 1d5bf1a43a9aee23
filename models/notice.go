package models

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"
)

// Notice is a sort of mail that a member may turn off. Mails that none stands for
// always come: links that were asked for, and whatever tells of an account in danger.
type Notice string

const (
	NoticeWebhookFailing  Notice = "WEBHOOK_FAILING"
	NoticeWebhookDisabled Notice = "WEBHOOK_DISABLED"
	NoticeWithdrawals     Notice = "WITHDRAWALS" // how a withdrawal ended
	NoticeAccess          Notice = "ACCESS"      // what staff decided about production access
)

// Notices are all of them.
var Notices = []Notice{NoticeWebhookFailing, NoticeWebhookDisabled, NoticeWithdrawals, NoticeAccess}

// noticeOf is the notice that a kind of mail belongs to.
var noticeOf = map[string]Notice{
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
)

// audience are the roles that a kind of mail about an account is for.
var audience = map[string][]Role{
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

// NoticesFor returns the notices that a role gets unless they are turned off.
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

// MutedNotices returns the notices that a member of an account has turned off, or
// ErrNotFound.
func MutedNotices(ctx context.Context, q Querier, accountID, userID string) (muted []Notice, err error) {
	err = q.QueryRow(ctx, "SELECT muted FROM members WHERE account_id = $1 AND user_id = $2", accountID, userID).Scan(&muted)
	return muted, notFound(err)
}

// SetMutedNotices turns a member's notices off, and all others on.
func SetMutedNotices(tx *Tx, accountID, userID string, muted []Notice) error {
	names := make([]string, len(muted))
	for i, notice := range muted {
		names[i] = string(notice)
	}
	return tx.Exec("UPDATE members SET muted = string_to_array(?, ',') WHERE account_id = ? AND user_id = ?",
		strings.Join(names, ","), accountID, userID).Error
}

// HideSteps keeps the first steps out of a member's sight, or shows them again.
func HideSteps(db *gorm.DB, accountID, userID string, hidden bool) error {
	return db.Exec("UPDATE members SET steps_hidden = ? WHERE account_id = ? AND user_id = ?", hidden, accountID, userID).Error
}
