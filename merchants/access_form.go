package merchants

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"garoupa/money"
	"garoupa/taxid"
)

// AccessForm is what a merchant answers when it asks for production access
// (decisions, 8).
type AccessForm struct {
	LegalName     string
	Document      string // CPF or CNPJ, with or without punctuation
	Website       string // an address; without https:// it is added
	Sells         string // what is sold; this or Website must be there
	MonthlyVolume money.Cents
	ContactName   string
	ContactEmail  string
	ContactPhone  string
}

// Check brings the answers into the form in which they are kept. It fails with
// Invalid.
func (in *AccessForm) Check() error {
	for _, text := range []*string{&in.LegalName, &in.Document, &in.Website, &in.Sells, &in.ContactName, &in.ContactPhone} {
		*text = strings.TrimSpace(*text)
	}
	in.ContactEmail = normalEmail(in.ContactEmail)
	problems := Invalid{}
	problems.length("legalName", in.LegalName, 1, 200)
	if number, ok := taxid.Parse(in.Document); ok {
		in.Document = number
	} else if problems["document"] = Malformed; in.Document == "" {
		problems["document"] = Missing
	}
	if in.Website != "" {
		if address, ok := website(in.Website); ok {
			in.Website = address
		} else {
			problems["website"] = Malformed
		}
	} else if in.Sells == "" {
		problems["sells"] = Missing
	}
	problems.length("sells", in.Sells, 0, 1000)
	if in.MonthlyVolume <= 0 || in.MonthlyVolume > money.Max {
		problems["monthlyVolume"] = Malformed
	}
	problems.length("contactName", in.ContactName, 1, 200)
	if !validEmail(in.ContactEmail) {
		problems["contactEmail"] = Malformed
	}
	if !validPhone(in.ContactPhone) {
		problems["contactPhone"] = Malformed
	}
	return problems.orNil()
}

// website returns the address of a public site, with its scheme.
func website(text string) (string, bool) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	ok := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.User == nil && strings.Contains(strings.Trim(u.Hostname(), "."), ".") &&
		len(text) <= 2048 && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar })
	return text, ok
}

// validPhone reports whether text is a phone number as people write it: 8 to 20
// digits, spaces and signs, at least 8 of them digits.
func validPhone(text string) bool {
	digits := 0
	for _, r := range text {
		if '0' <= r && r <= '9' {
			digits++
		} else if !strings.ContainsRune(" +()-", r) {
			return false
		}
	}
	return digits >= 8 && len(text) <= 20
}

// Check brings the reason into the form in which it is kept. It fails with Invalid.
func (r *Reason) Check() error {
	r.Text = strings.TrimSpace(strings.ReplaceAll(r.Text, "\r\n", "\n"))
	problems := Invalid{}
	if !slices.Contains(AccessReasons, r.Code) {
		problems["reasonCode"] = Unknown
	}
	problems.length("reason", r.Text, MinReasonLength, MaxReasonLength)
	return problems.orNil()
}
