package payload

import (
	"strconv"
	"time"

	"garoupa/models"
)

// AppendRefund appends a refund (docs/rules.md, "Refunds").
func AppendRefund(dst []byte, r *models.Refund) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", r.ID)
	dst = boolMember(dst, "livemode", r.Environment == models.Live)
	dst = stringMember(dst, "checkoutId", r.CheckoutID)
	dst = stringMember(dst, "status", refundStatus(r.Status))
	dst = stringMember(dst, "origin", refundOrigin(r.Origin))
	dst = strconv.AppendInt(member(dst, "amount"), int64(r.Amount), 10)
	dst = stringMember(dst, "currency", "BRL")
	dst = stringMember(dst, "reason", r.Reason)
	dst = stringMember(dst, "endToEndId", r.EndToEndID)
	dst = nullableMember(dst, "returnId", r.ReturnID)
	var failure *string
	var completed *time.Time
	switch r.Status {
	case models.RefundFailed:
		failure = &r.Failure
	case models.RefundCompleted:
		if completed = r.EndedAt; completed == nil { // older than the time of the end
			completed = &r.CreatedAt
		}
	}
	dst = nullableMember(dst, "failureReason", failure)
	dst = timeMember(dst, "createdAt", r.CreatedAt)
	dst = nullableTimeMember(dst, "completedAt", completed)
	return append(dst, '}')
}

// refundStatus returns the status for clients, for whom it makes no difference whether the institution was
// asked yet.
func refundStatus(status models.RefundStatus) string {
	if status == models.RefundRequested {
		status = models.RefundProcessing
	}
	return string(status)
}

// refundOrigin returns the origin for clients, for whom members and keys are the merchant.
func refundOrigin(origin models.RefundOrigin) string {
	switch origin {
	case models.RefundByMember, models.RefundByAPI:
		return "MERCHANT"
	case models.RefundByStaff:
		return "INSTALLATION"
	}
	return string(origin)
}

// AppendRefundEvent appends the envelope of a refund's event, with its checkout.
func AppendRefundEvent(dst []byte, id, kind string, at time.Time, c *models.Checkout, r *models.Refund,
	checkoutURL string) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", id)
	dst = stringMember(dst, "type", kind)
	dst = timeMember(dst, "createdAt", at)
	dst = boolMember(dst, "livemode", c.Environment == models.Live)
	dst = append(member(dst, "data"), '{')
	dst = AppendCheckout(member(dst, "checkout"), c, checkoutURL)
	dst = AppendRefund(member(dst, "refund"), r)
	return append(dst, '}', '}')
}
