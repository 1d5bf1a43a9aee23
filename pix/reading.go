package pix

import (
	"strings"
	"unicode/utf8"
)

// reading holds the parts of a code before the rules are checked.
type reading struct {
	root       fields
	account    fields // the template among 26 to 51 that is Pix's
	additional fields // 62
	recurrence string // 25 of the template among 80 to 99 that is Pix's
	amount     int64
}

// read splits text into its parts and checks the rules that even ParseLenient requires.
func (r *reading) read(text string) error {
	if !utf8.ValidString(text) {
		return violation("00", "the code is not valid UTF-8")
	}
	last, err := r.root.read(text, "")
	if err != nil {
		return err
	}
	if err := r.checkFrame(text, last); err != nil {
		return err
	}
	if err := r.readTemplates(); err != nil {
		return err
	}
	return r.checkFields()
}

// checkFrame checks the first field and the last, which is the checksum.
func (r *reading) checkFrame(text string, last int) error {
	if !strings.HasPrefix(text, "000201") {
		return violation("00", "the code does not begin with 000201")
	}
	if last != 63 || len(r.root[63]) != 4 {
		return violation("63", "the code does not end in a checksum of four digits")
	}
	if sum := checksum(text[:len(text)-4]); strings.ToUpper(r.root[63]) != string(sum[:]) {
		return violation("63", "the checksum does not match")
	}
	return nil
}

// readTemplates finds the Pix account and recurrence among templates of other schemes.
func (r *reading) readTemplates() error {
	for tag, value := range &r.root {
		if value == "" || tag < 26 || 51 < tag && tag < 80 {
			continue
		}
		var f fields
		if _, err := f.read(value, tagOf(tag)+"."); err != nil {
			return err
		}
		if !strings.EqualFold(f[0], gui) {
			continue
		}
		switch {
		case tag <= 51 && r.account[0] != "":
			return violation(tagOf(tag), "is a second Pix account")
		case tag <= 51:
			r.account = f
		case f[25] != "" && r.recurrence != "":
			return violation(tagOf(tag), "is a second Pix recurrence")
		case f[25] != "":
			r.recurrence = f[25]
		}
	}
	_, err := r.additional.read(r.root[62], "62.")
	return err
}

func tagOf(n int) string {
	return string([]byte{byte('0' + n/10), byte('0' + n%10)})
}

// checkFields checks the values that even ParseLenient requires.
func (r *reading) checkFields() error {
	amount, ok := centavos(r.root[54])
	r.amount = amount
	switch {
	case r.account[0] == "":
		return violation("26", "no account from 26 to 51 is of "+gui)
	case len(r.root[52]) != 4 || !digits(r.root[52]):
		return violation("52", "is not a merchant category of four digits")
	case r.root[53] != "986":
		return violation("53", "is not 986, the real")
	case !ok:
		return violation("54", "is not an amount in reais")
	case r.root[58] != "BR":
		return violation("58", "is not BR")
	case r.root[59] == "":
		return violation("59", "the merchant's name is missing")
	case r.root[60] == "":
		return violation("60", "the merchant's city is missing")
	case r.additional[5] == "":
		return violation("62.05", "the reference label is missing")
	}
	return nil
}

// checkStrict checks how values are written. Parse requires this, ParseLenient does not.
func (r *reading) checkStrict() error {
	amount := r.root[54]
	switch {
	case r.account[3] != "" && !ispbShape.MatchString(r.account[3]):
		return violation("26.03", "is not an ISPB of eight characters")
	case r.root[52] != "0000":
		return violation("52", "is not 0000")
	case amount != "" && (r.amount == 0 || len(amount) < 4 || amount[len(amount)-3] != '.'):
		return violation("54", "is not written as 0.01 to 9999999999.99")
	case r.root[63] != strings.ToUpper(r.root[63]):
		return violation("63", "is in lower case")
	}
	return nil
}

// centavos reads an amount of at most 13 characters: digits, then optionally a point and at
// most two digits. An empty text is the absent amount, 0.
func centavos(s string) (amount int64, ok bool) {
	if s == "" {
		return 0, true
	}
	whole, cents, _ := strings.Cut(s, ".")
	if len(s) > maxAmountText || len(cents) > 2 || !digits(whole) || cents != "" && !digits(cents) {
		return 0, false
	}
	for _, digit := range whole + (cents + "00")[:2] {
		amount = amount*10 + int64(digit-'0')
	}
	return amount, amount <= maxAmount
}

// code returns the values as a Code.
func (r *reading) code() Code {
	c := Code{
		Initiation:   Initiation(r.root[1]),
		Key:          r.account[1],
		Info:         r.account[2],
		Location:     r.account[25],
		Recurrence:   r.recurrence,
		Amount:       r.amount,
		MerchantName: r.root[59],
		MerchantCity: r.root[60],
		PostalCode:   r.root[61],
		TxID:         r.additional[5],
	}
	if c.TxID == noTxID {
		c.TxID = ""
	}
	return c
}
