package merchants

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"garoupa/internal/input"
	"garoupa/models"
)

// The bounds of Thanks, in characters.
const (
	maxThanks      = 280
	maxThanksLabel = 40
	maxThanksURL   = 500
)

// looksLikeAddress matches what mail programs turn into a link.
var looksLikeAddress = regexp.MustCompile(`(?i)://|www\.|[\p{L}\d]\.[a-z]{2,}`)

// Thanks is what the buyers of an account see once they have paid (docs/rules.md, "After a payment").
type Thanks struct{ models.Thanks }

// Check normalizes the answers. It fails with Invalid, which names "thanks" (TooLong, or Malformed for a text with an
// address in it), "thanksLabel" and "thanksUrl".
func (in *Thanks) Check() error {
	in.Text, in.Label, in.URL = input.Trim(in.Text), input.TrimLine(in.Label), input.Trim(in.URL)
	problems := Invalid{}
	switch {
	case utf8.RuneCountInString(in.Text) > maxThanks:
		problems["thanks"] = TooLong
	case !input.PlainLines(in.Text) || looksLikeAddress.MatchString(in.Text):
		problems["thanks"] = Malformed
	}
	switch {
	case in.Label == "" && in.URL != "":
		problems["thanksLabel"] = Missing
	case utf8.RuneCountInString(in.Label) > maxThanksLabel:
		problems["thanksLabel"] = TooLong
	case !input.Plain(in.Label) || looksLikeAddress.MatchString(in.Label):
		problems["thanksLabel"] = Malformed
	}
	if in.URL == "" {
		if in.Label != "" {
			problems["thanksUrl"] = Missing
		}
		return problems.orNil()
	}
	address, ok := secureAddress(in.URL)
	if !ok {
		problems["thanksUrl"] = Malformed
	} else {
		in.URL = address
	}
	return problems.orNil()
}

// secureAddress normalizes the address of a page that buyers open. Its host is in ASCII, so that it cannot pass for
// another one.
func secureAddress(text string) (string, bool) {
	address, ok := website(text)
	if !ok {
		return "", false
	}
	u, err := url.Parse(address)
	foreign := func(r rune) bool { return r > unicode.MaxASCII }
	if err != nil || u.Scheme != "https" || strings.ContainsFunc(u.Host, foreign) ||
		utf8.RuneCountInString(address) > maxThanksURL {
		return "", false
	}
	return address, true
}

// SetThanks changes what the buyers of the actor's account see once they have paid. It fails as SetBrandLook does.
func (s *Service) SetThanks(ctx context.Context, by models.Actor, in Thanks) error {
	if err := in.Check(); err != nil {
		return err
	}
	return s.changeBrand(ctx, by, "set thanks", func(tx *models.Tx, before models.Brand) (change, error) {
		return differing(thanksFacts(before.Thanks), thanksFacts(in.Thanks)),
			models.SetThanks(tx, by.AccountID, in.Thanks, s.now())
	})
}

// thanksFacts returns the parts for the audit log.
func thanksFacts(t models.Thanks) map[string]string {
	return map[string]string{"thanks": t.Text, "thanksLabel": t.Label, "thanksUrl": t.URL}
}
