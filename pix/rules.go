package pix

import (
	"fmt"
	"strings"
)

// violation returns the error of a broken rule. It never quotes the value, because keys and
// names are personal data.
func violation(tag, rule string) error {
	return fmt.Errorf("pix: tag %s: %s", tag, rule)
}

// checkKind requires c to be exactly one kind of code. Even a lenient reader must not guess
// which of two receivers is meant.
func (c *Code) checkKind() error {
	switch {
	case c.Key != "" && c.Location != "":
		return violation("26", "names both a key (01) and a location (25)")
	case c.Key == "" && c.Location == "" && c.Recurrence == "":
		return violation("26", "names neither a key (01) nor a location (25), and no recurrence is given")
	}
	return nil
}

// check verifies every rule of the fields. Encode can write a code that passes.
func (c *Code) check() error {
	if err := c.checkKind(); err != nil {
		return err
	}
	account := accountGUI + size(c.Key) + size(c.Info) + size(c.Location)
	for _, rule := range [...]struct {
		ok        bool
		tag, text string
	}{
		{c.Initiation == "" || c.Initiation == Reusable || c.Initiation == SingleUse, "01", "is neither 11 nor 12"},
		{c.Key == "" || graphic(c.Key, maxKey), "26.01", "is not 1 to 77 characters of ASCII without spaces"},
		{c.Info == "" || c.Key != "", "26.02", "is for static codes only"},
		{c.Info == "" || plainText(c.Info, maxInfo), "26.02", "is not 1 to 72 characters of plain ASCII"},
		{c.Location == "" || location(c.Location), "26.25",
			"is not a host and a path, without scheme, of at most 77 characters"},
		{account <= maxValue, "26", "is longer than 99 characters"},
		{c.Amount >= 0 && c.Amount <= maxAmount, "54", "is not from 0.01 to 9999999999.99"},
		{plainText(c.MerchantName, MaxName), "59", "is not 1 to 25 characters of plain ASCII"},
		{plainText(c.MerchantCity, MaxCity), "60", "is not 1 to 15 characters of plain ASCII"},
		{c.PostalCode == "" || len(c.PostalCode) == 8 && digits(c.PostalCode), "61", "is not eight digits"},
		{c.TxID == "" || ValidStaticTxID(c.TxID), "62.05", "is not 1 to 25 letters and digits"},
		{c.Recurrence == "" || location(c.Recurrence), "80.25",
			"is not a host and a path, without scheme, of at most 77 characters"},
	} {
		if !rule.ok {
			return violation(rule.tag, rule.text)
		}
	}
	return nil
}

// size returns the length of a field with this value, 0 if it is absent.
func size(value string) int {
	if value == "" {
		return 0
	}
	return 4 + len(value)
}

func plainText(s string, limit int) bool {
	return s != "" && len(s) <= limit && plain(s)
}

func graphic(s string, limit int) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= limit
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// location reports whether s is host[:port]/path. The host may have only the letters of a
// name, so that a text before an @ cannot look like a host.
func location(s string) bool {
	authority, path, ok := strings.Cut(s, "/")
	host, port, hasPort := strings.Cut(authority, ":")
	return ok && path != "" && graphic(s, MaxLocation) &&
		host != "" && strings.Trim(host, hostLetters) == "" &&
		(!hasPort || digits(port))
}

const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
