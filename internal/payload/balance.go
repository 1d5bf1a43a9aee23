package payload

import "garoupa/models"

// AppendBalance appends a balance (contract 2.4).
func AppendBalance(dst []byte, environment models.Environment, b models.Balance) []byte {
	dst = append(dst, '{')
	dst = boolMember(dst, "livemode", environment == models.Live)
	dst = stringMember(dst, "currency", "BRL")
	dst = stringMember(dst, "grossAmount", b.Gross.Decimal())
	dst = stringMember(dst, "feeAmount", b.Fee.Decimal())
	dst = stringMember(dst, "pendingAmount", b.Pending.Decimal())
	dst = stringMember(dst, "availableAmount", b.Available.Decimal())
	dst = stringMember(dst, "reservedAmount", b.Reserved.Decimal())
	dst = stringMember(dst, "blockedAmount", b.Blocked.Decimal())
	return append(dst, '}')
}
