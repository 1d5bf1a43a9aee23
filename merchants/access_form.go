package merchants

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/internal/taxid"
)

// AccessForm holds a merchant's answers when it requests production access (docs/rules.md,
// "Production access").
type AccessForm struct {
	LegalName     string
	Document      string // CPF or CNPJ, with or without punctuation
	Website       string // a URL; https:// is added if it is missing
	Sells         string // the goods or services sold; Sells or Website is required
	MonthlyVolume money.Cents
	ContactName   string
	ContactEmail  string
	ContactPhone  string
}

// Check normalizes the answers. It fails with Invalid.
func (in *AccessForm) Check() error {
	for _, text := range []*string{&in.LegalName, &in.Document, &in.Website, &in.Sells, &in.ContactName,
		&in.ContactPhone} {
		*text = input.Trim(*text)
	}
	in.ContactEmail = normalEmail(in.ContactEmail)
	problems := Invalid{}
	problems.line("legalName", in.LegalName, 1, 200)
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
	problems.lines("sells", in.Sells, 0, 1000)
	if in.MonthlyVolume <= 0 || in.MonthlyVolume > money.Max {
		problems["monthlyVolume"] = Malformed
	}
	problems.line("contactName", in.ContactName, 1, 200)
	if !input.MemberEmail(in.ContactEmail) {
		problems["contactEmail"] = Malformed
	}
	if !validPhone(in.ContactPhone) {
		problems["contactPhone"] = Malformed
	}
	return problems.orNil()
}

// website returns the URL of a public site, with its scheme.
func website(text string) (string, bool) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	ok := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.User == nil &&
		strings.Contains(strings.Trim(u.Hostname(), "."), ".") &&
		len(text) <= 2048 && !strings.ContainsFunc(text,
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar })
	return text, ok
}

// validPhone reports whether text is a phone number in the usual notation: 8 to 20 digits,
// spaces and signs, at least 8 of them digits.
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

// Check normalizes the reason. It fails with Invalid.
func (r *Reason) Check() error {
	problems := Invalid{}
	if !slices.Contains(AccessReasons, r.Code) {
		problems["reasonCode"] = Unknown
	}
	problems.reason(&r.Text)
	return problems.orNil()
}
