package dashboard

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
	"garoupa/webhook"
)

// checkSignature examines the signature of ?signature=, which a receiver of the delivery
// computed: it is right, or has one of the usual mistakes.
func (s *developers) checkSignature(c *fiber.Ctx, d *models.Delivery) (pages.SignatureCheck, error) {
	check := pages.SignatureCheck{Typed: strings.TrimSpace(c.Query("signature"))}
	if check.Typed == "" {
		return check, nil
	}
	endpoint, err := models.EndpointByID(c.UserContext(), s.DB.Pool, page.Scope(c), d.Endpoint.ID)
	if err != nil {
		return check, err
	}
	secret, err := s.Merchants.EndpointSecret(endpoint)
	if err != nil {
		return check, err
	}
	previous, err := s.Merchants.PreviousSecret(endpoint)
	if err != nil {
		return check, err
	}
	if isStandard(check.Typed) {
		attempts, err := models.DeliveryAttempts(c.UserContext(), s.DB.Read, []string{d.ID})
		if err != nil {
			return check, err
		}
		check.Result = judgeStandard(check.Typed, secret, previous, d, attempts[d.ID])
		return check, nil
	}
	check.Result = judgeSignature(check.Typed, secret, previous, d.Event.Body)
	return check, nil
}

// judgeSignature compares a signature with all known possibilities. previous is "" if no
// previous secret signs.
func judgeSignature(typed, secret, previous string, body []byte) string {
	right := webhook.Sign(secret, body)
	sum, plain := sha256.Sum256(body), strings.ToLower(typed)
	switch {
	case same(typed, right):
		return pages.SignatureCurrent
	case previous != "" && same(plain, webhook.Sign(previous, body)):
		return pages.SignaturePrevious
	case same(plain, right):
		return pages.SignatureCase
	case inBase64(typed, right):
		return pages.SignatureBase64
	case same(plain, webhook.Sign(strings.TrimPrefix(secret, "whsec_"), body)):
		return pages.SignaturePrefix
	case same(plain, hex.EncodeToString(sum[:])):
		return pages.SignatureHash
	}
	for _, other := range rewritten(body) {
		if same(plain, webhook.Sign(secret, other)) {
			return pages.SignatureRewritten
		}
	}
	return pages.SignatureOther
}

// same compares in constant time, so that response times reveal nothing about a signature.
func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// inBase64 reports whether a text is the signature in one of the usual forms of base64.
func inBase64(typed, signature string) bool {
	raw, _ := hex.DecodeString(signature) // the gateway's own signature
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
		base64.RawURLEncoding} {
		if same(typed, encoding.EncodeToString(raw)) {
			return true
		}
	}
	return false
}

// rewritten returns the bodies that servers produce when they parse the JSON and write it
// again, or treat it as text.
func rewritten(body []byte) [][]byte {
	var two, four, escaped bytes.Buffer
	var read any
	sorted := []byte(nil)
	if json.Unmarshal(body, &read) == nil {
		sorted, _ = json.Marshal(read) // decoded JSON can always be encoded
	}
	_ = json.Indent(&two, body, "", "  ") // cannot fail, because the gateway wrote it
	_ = json.Indent(&four, body, "", "    ")
	json.HTMLEscape(&escaped, body)
	return [][]byte{two.Bytes(), four.Bytes(), escaped.Bytes(), sorted, spaced(body), append(bytes.Clone(body), '\n')}
}

// spaced returns JSON as Python writes it: a space after commas and colons, and characters
// beyond ASCII as escapes.
func spaced(body []byte) []byte {
	var out bytes.Buffer
	quoted, escaped := false, false
	for _, r := range string(body) {
		if r > unicode.MaxASCII {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
			continue
		}
		out.WriteRune(r)
		if r == '"' && !escaped {
			quoted = !quoted
		}
		escaped = r == '\\' && !escaped
		if !quoted && (r == ',' || r == ':') {
			out.WriteByte(' ')
		}
	}
	return out.Bytes()
}
