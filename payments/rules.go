package payments

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/models"
)

// This file contains the rules for the fields of a new checkout (contract 2.2), of a new
// payment link (contract 2.5) and of a new destination (docs/rules.md, "Fields"). The API and
// the pages trim a text, check it here, and word the problem.

// Bounds of the time to pay, in seconds, of a checkout and of a payment link's checkouts, and
// of the number of members in metadata.
const (
	MinExpiresIn     = 60
	MinLinkExpiresIn = 900
	MaxExpiresIn     = 86400
	DefaultExpiresIn = 1800
	MaxMetadata      = 50
)

// Bounds of a payment link's terms.
const (
	MaxLinkQuantity = 100
	MaxLinkStock    = 100_000
)

// ValidAmount reports whether any account may charge the amount. CreateCheckout checks the
// limits of one account.
func ValidAmount(amount money.Cents) bool { return amount >= 1 && amount <= money.Max }

// ValidDescription reports whether s may describe a checkout.
func ValidDescription(s string) bool { return input.Length(s, 1, 500) && input.PlainLines(s) }

// ValidExternalID reports whether s may be the merchant's own reference of a checkout.
func ValidExternalID(s string) bool { return input.Length(s, 1, 255) && input.Printable(s) }

// ValidCustomerName reports whether s may be a customer's name.
func ValidCustomerName(s string) bool { return input.Length(s, 1, 200) && input.Plain(s) }

// ValidCustomerEmail reports whether s may be a customer's email address. The contract
// requires no more than the form of an address, so the domain needs no dot.
func ValidCustomerEmail(s string) bool { return input.Email(s) }

// ValidCustomerDocument reports whether s may be a customer's document, of any country.
func ValidCustomerDocument(s string) bool { return input.Length(s, 3, 32) && input.Plain(s) }

// ValidCustomerPhone reports whether s may be a customer's phone number.
func ValidCustomerPhone(s string) bool {
	const digits = "0123456789"
	return len(s) >= 8 && len(s) <= 20 && strings.ContainsAny(s, digits) && strings.Trim(s, digits+" +()-") == ""
}

// Reachable reports whether the customer has any identifying data besides the name, which
// is required.
func (c *Customer) Reachable() bool { return c.Email != nil || c.Document != nil || c.Phone != nil }

// DefaultRefundReason is what the payer of a refund reads if the merchant gives no reason.
const DefaultRefundReason = "Devolução"

// ValidRefundReason reports whether s may be the reason of a refund, which the payer's bank shows.
func ValidRefundReason(s string) bool { return input.Length(s, 1, 140) && input.Plain(s) }

// ValidMetadataName reports whether s may name a member of metadata.
func ValidMetadataName(s string) bool { return input.Length(s, 1, 40) && input.Plain(s) }

// ValidMetadataValue reports whether s may be the value of a member of metadata. It is the
// merchant's own text, so control characters are allowed.
func ValidMetadataValue(s string) bool { return utf8.RuneCountInString(s) <= 500 && input.Storable(s) }

// ValidProductID reports whether s may be the slug of a product.
func ValidProductID(s string) bool { return input.Length(s, 1, 255) && input.Plain(s) }

// LinkTermsProblems returns the names of the terms of a payment link that break a rule: "buyerData",
// "maxQuantity", "openAmount", "stock" and "endsAt". The end must be in the future, unless it is the one that the link
// has.
func LinkTermsProblems(t *models.LinkTerms, had *time.Time, now time.Time) (problems []string) {
	wrong := func(is bool, term string) {
		if is {
			problems = append(problems, term)
		}
	}
	wrong(!slices.Contains(models.BuyerDataKinds, t.BuyerData), "buyerData")
	most := MaxLinkQuantity
	if open := t.OpenAmount; open != nil {
		most = 1
		wrong(!ValidAmount(open.Min) || !ValidAmount(open.Max) || open.Min > open.Max, "openAmount")
	}
	wrong(t.MaxQuantity < 1 || t.MaxQuantity > most, "maxQuantity")
	wrong(t.Stock != nil && (*t.Stock < 0 || *t.Stock > MaxLinkStock), "stock")
	kept := had != nil && t.EndsAt != nil && had.Equal(*t.EndsAt)
	wrong(t.Ended(now) && !kept, "endsAt")
	return problems
}

// ValidHolderName reports whether s may be the name of a destination's owner.
func ValidHolderName(s string) bool { return input.Length(s, 1, 200) && input.Plain(s) }

// The errors of CheckReturnURL.
var (
	ErrUnprintableURL = errors.New("payments: the address is too long or has characters that cannot be seen")
	ErrNotURL         = errors.New("payments: the address is no absolute http or https URI")
	ErrUserURL        = errors.New("payments: the address has a user name or a password")
	ErrInsecureURL    = errors.New("payments: the address must be an https URI in live")
)

// CheckReturnURL checks a URL to which a payment link sends buyers.
func CheckReturnURL(s string, environment models.Environment) error {
	u, err := url.Parse(s)
	switch {
	case !input.Length(s, 1, 2048) || !input.Printable(s):
		return ErrUnprintableURL
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return ErrNotURL
	case u.User != nil: // https://bank.example@shop.example leads to shop.example
		return ErrUserURL
	case environment == models.Live && u.Scheme != "https":
		return ErrInsecureURL
	}
	return nil
}
