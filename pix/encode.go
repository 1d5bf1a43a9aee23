package pix

import "strconv"

// Encode returns c as the text to copy and paste, in ASCII and within every limit. ASCII
// converts name, city and info, and cuts name and city to their length; nothing else is
// corrected. If a field breaks a rule, or an account is too long for its template, the
// error names the tag.
func Encode(c Code) (string, error) {
	c.MerchantName = ASCII(c.MerchantName, MaxName)
	c.MerchantCity = ASCII(c.MerchantCity, MaxCity)
	c.Info = ASCII(c.Info, len(c.Info))
	if err := c.check(); err != nil {
		return "", err
	}
	var room [maxCode]byte
	return string(c.append(room[:0])), nil
}

// append writes a code that check has accepted, its fields in the order of their tags.
func (c *Code) append(b []byte) []byte {
	b = append(b, "000201"...)
	b = field(b, "01", string(c.Initiation))
	b = header(b, "26", accountGUI+size(c.Key)+size(c.Info)+size(c.Location))
	b = field(b, "00", gui)
	b = field(b, "01", c.Key)
	b = field(b, "02", c.Info)
	b = field(b, "25", c.Location)
	b = append(b, "52040000"+"5303986"...)
	if c.Amount > 0 {
		var room [maxAmountText]byte
		b = field(b, "54", string(appendAmount(room[:0], c.Amount)))
	}
	b = append(b, "5802BR"...)
	b = field(b, "59", c.MerchantName)
	b = field(b, "60", c.MerchantCity)
	b = field(b, "61", c.PostalCode)
	txID := c.TxID
	if txID == "" {
		txID = noTxID
	}
	b = header(b, "62", size(txID))
	b = field(b, "05", txID)
	if c.Recurrence != "" {
		b = header(b, "80", accountGUI+size(c.Recurrence))
		b = field(b, "00", gui)
		b = field(b, "25", c.Recurrence)
	}
	b = append(b, "6304"...)
	sum := checksum(b)
	return append(b, sum[:]...)
}

// field appends one field. It skips an empty value, which EMV does not allow.
func field(b []byte, tag, value string) []byte {
	if value == "" {
		return b
	}
	return append(header(b, tag, len(value)), value...)
}

func header(b []byte, tag string, length int) []byte {
	return append(append(b, tag...), byte('0'+length/10), byte('0'+length%10))
}

// appendAmount writes centavos in the form of tag 54: reais, a point, two digits.
func appendAmount(b []byte, centavos int64) []byte {
	b = strconv.AppendInt(b, centavos/100, 10)
	return append(b, '.', byte('0'+centavos%100/10), byte('0'+centavos%10))
}
