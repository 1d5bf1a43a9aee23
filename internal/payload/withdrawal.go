package payload

import (
	"strconv"
	"time"

	"garoupa/models"
)

// AppendWithdrawal appends a withdrawal (docs/rules.md, "Withdrawals").
func AppendWithdrawal(dst []byte, w *models.Withdrawal) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", w.ID)
	dst = boolMember(dst, "livemode", bool(models.Live)) // there are no withdrawals in test
	dst = stringMember(dst, "rail", string(w.Rail))
	dst = stringMember(dst, "status", string(w.Status))
	dst = stringMember(dst, "currency", "BRL")
	dst = stringMember(dst, "amount", w.Amount.Decimal())
	dst = stringMember(dst, "feeAmount", w.Fee.Decimal())
	dst = stringMember(dst, "netAmount", w.Net().Decimal())
	dst = appendDestination(member(dst, "destination"), &w.Destination)
	dst = appendQuote(member(dst, "quote"), w)
	dst = nullableMember(dst, "endToEndId", w.EndToEndID)
	dst = nullableMember(dst, "txHash", w.TxHash)
	dst = nullableMember(dst, "failureCode", w.FailureCode)
	dst = nullableMember(dst, "reason", w.Reason)
	dst = timeMember(dst, "createdAt", w.CreatedAt)
	dst = nullableTimeMember(dst, "approvedAt", w.ApprovedAt)
	dst = nullableTimeMember(dst, "completedAt", w.CompletedAt)
	dst = timeMember(dst, "updatedAt", w.UpdatedAt)
	return append(dst, '}')
}

// appendDestination appends the destination of a withdrawal, masked.
func appendDestination(dst []byte, d *models.Destination) []byte {
	var key, address, network *string
	if d.Rail == models.RailPix {
		key = &d.Masked
	} else {
		address, network = &d.Masked, &d.Type
	}
	dst = append(dst, '{')
	dst = stringMember(dst, "type", d.Type)
	dst = nullableMember(dst, "key", key)
	dst = nullableMember(dst, "address", address)
	dst = nullableMember(dst, "network", network)
	dst = stringMember(dst, "holderName", d.HolderName)
	return append(dst, '}')
}

// appendQuote appends the quote that applies: that of the approval, or before it that of
// the request.
func appendQuote(dst []byte, w *models.Withdrawal) []byte {
	q := w.Quote
	if w.ApprovedAt != nil && w.ApprovalQuote != nil {
		q = w.ApprovalQuote
	}
	if q == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '{')
	dst = stringMember(dst, "asset", "USDT")
	dst = stringMember(dst, "network", w.Destination.Type)
	dst = append(appendFixed(append(member(dst, "rate"), '"'), q.Rate, 8), '"')
	dst = append(appendFixed(append(member(dst, "amount"), '"'), q.Amount, 6), '"')
	dst = timeMember(dst, "expiresAt", q.ExpiresAt)
	return append(dst, '}')
}

// appendFixed appends a whole number of 10^-decimals, not negative, with all of its
// decimals: "5.42000000".
func appendFixed(dst []byte, n int64, decimals int) []byte {
	digits := strconv.FormatInt(n, 10)
	for len(digits) <= decimals {
		digits = "0" + digits
	}
	dst = append(dst, digits[:len(digits)-decimals]...)
	return append(append(dst, '.'), digits[len(digits)-decimals:]...)
}

// AppendWithdrawalEvent appends the envelope of a withdrawal's event. It is like
// AppendEvent, with a withdrawal in place of the checkout.
func AppendWithdrawalEvent(dst []byte, id, kind string, at time.Time, w *models.Withdrawal) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", id)
	dst = stringMember(dst, "type", kind)
	dst = timeMember(dst, "createdAt", at)
	dst = boolMember(dst, "livemode", bool(models.Live))
	dst = append(member(dst, "data"), '{')
	dst = AppendWithdrawal(member(dst, "withdrawal"), w)
	return append(dst, '}', '}')
}
