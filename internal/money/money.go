// Package money counts Brazilian reais in centavos. The gateway never holds an amount in
// another unit or in a floating-point number.
package money

import (
	"errors"
	"strconv"
	"strings"
)

// Cents is an amount in centavos of BRL: 1050 is R$ 10,50. It may be negative.
type Cents int64

// Max is the largest amount of one charge: field 54 of a BR Code holds 13 characters, R$
// 9999999999,99.
const Max Cents = 999_999_999_999

// ErrSyntax reports a text that is not a decimal amount.
var ErrSyntax = errors.New("money: not an amount with at most two decimals")

// Decimal returns c in the form of the API (contract 2.4): "1234.50", "-0.05".
func (c Cents) Decimal() string {
	var buf [24]byte
	return string(c.AppendDecimal(buf[:0]))
}

// AppendDecimal appends Decimal to dst.
func (c Cents) AppendDecimal(dst []byte) []byte {
	n := uint64(c)
	if c < 0 {
		dst = append(dst, '-')
		n = -n
	}
	dst = strconv.AppendUint(dst, n/100, 10)
	return append(dst, '.', byte('0'+n/10%10), byte('0'+n%10))
}

// ParseDecimal parses the form that Decimal writes, without a sign and with optional
// decimals: "12", "12.5" and "12.50" are the same. It fails with ErrSyntax, also for more
// than ten digits before the point (docs/rules.md, "Fields").
func ParseDecimal(text string) (Cents, error) {
	whole, fraction, point := strings.Cut(text, ".")
	if whole == "" || len(whole) > 10 || !digits(whole) || !digits(fraction) ||
		len(fraction) > 2 || point && fraction == "" {
		return 0, ErrSyntax
	}
	n, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if err != nil {
		return 0, ErrSyntax
	}
	return Cents(n), nil
}

func digits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}

// Fee is the part of a payment that the gateway keeps: basis points of the amount (99 is
// 0.99 %) plus a fixed part in centavos, rounded half up (docs/rules.md, "Money").
type Fee struct {
	BasisPoints int64
	Fixed       Cents
}

// Of returns the fee on amount. It is never above the amount.
func (f Fee) Of(amount Cents) Cents {
	return min(amount, (amount*Cents(f.BasisPoints)+5000)/10000+f.Fixed)
}

// String returns f in the form that ParseFee reads: "0.99% + 0.10", "0.99%".
func (f Fee) String() string {
	text := Cents(f.BasisPoints).Decimal() + "%"
	if f.Fixed != 0 {
		text += " + " + f.Fixed.Decimal()
	}
	return text
}

// ErrFee reports a text that is not a fee.
var ErrFee = errors.New(`money: not a fee such as "0.99%" or "0.99% + 0.10"`)

// ParseFee reads a percentage of at most 100 with up to two decimals and, after a plus
// sign, an optional fixed part in reais of at most Max.
func ParseFee(text string) (Fee, error) {
	percent, fixed, both := strings.Cut(text, "+")
	percent, isPercent := strings.CutSuffix(strings.TrimSpace(percent), "%")
	points, err := ParseDecimal(strings.TrimSpace(percent))
	if err != nil || !isPercent || points > 100_00 {
		return Fee{}, ErrFee
	}
	f := Fee{BasisPoints: int64(points)}
	if !both {
		return f, nil
	}
	if f.Fixed, err = ParseDecimal(strings.TrimSpace(fixed)); err != nil || f.Fixed > Max {
		return Fee{}, ErrFee
	}
	return f, nil
}
