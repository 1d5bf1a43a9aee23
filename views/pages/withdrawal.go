package pages

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// The statuses of withdrawals that pages tell apart (docs/rules.md, "Withdrawals").
const (
	WithdrawalPendingReview = "PENDING_REVIEW"
	WithdrawalApproved      = "APPROVED"
	WithdrawalProcessing    = "PROCESSING"
	WithdrawalCompleted     = "COMPLETED"
	WithdrawalCancelled     = "CANCELLED"
	WithdrawalRejected      = "REJECTED"
	WithdrawalFailed        = "FAILED"
	WithdrawalReturned      = "RETURNED"
)

// WithdrawalEnded returns the notice of a withdrawal that brought no money out, in the tone
// of its badge.
func WithdrawalEnded(ctx context.Context, status, reason string) components.NoticeProps {
	notice := components.NoticeProps{Tone: components.StatusTone(components.Withdrawal, status), Icon: "circle-x",
		Title: i18n.T(ctx, "withdrawals.ended_"+status), Body: reason}
	if status == WithdrawalReturned {
		notice.Icon = "undo-2"
	}
	return notice
}
