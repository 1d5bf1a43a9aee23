package page

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/views/i18n"
)

// errPrice reports a text that is not a price.
var errPrice = errors.New("page: not a price")

var (
	groupedReais = regexp.MustCompile(`^[1-9][0-9]{0,2}([.,][0-9]{3})+$`)
	plainReais   = regexp.MustCompile(`^[0-9]+$`)
)

// ReadPrice reads a price as people type it, in either notation, such as "1.234,50", "1234,5",
// "1,234.50", "1.234" and "R$ 12". A mark before one or two digits at the end separates the
// centavos, a mark before three digits separates thousands. It refuses ambiguous texts such as
// "0.500".
func ReadPrice(text string) (money.Cents, error) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	text = strings.TrimPrefix(strings.ToUpper(text), "R$")

	reais, centavos := text, ""
	if i := strings.LastIndexAny(text, ".,"); i >= 0 && len(text)-i-1 <= 2 {
		reais, centavos = text[:i], text[i:]
		if strings.Contains(reais, centavos[:1]) { // the same mark cannot separate both
			return 0, errPrice
		}
		centavos = "." + centavos[1:]
	}
	if groupedReais.MatchString(reais) && strings.Contains(reais, ".") != strings.Contains(reais, ",") {
		reais = strings.NewReplacer(".", "", ",", "").Replace(reais)
	}
	if !plainReais.MatchString(reais) {
		return 0, errPrice
	}
	price, err := money.ParseDecimal(reais + centavos)
	if err != nil {
		return 0, errPrice
	}
	return price, nil
}

// TypedPrice returns a price as the visitor would type it.
func TypedPrice(c *fiber.Ctx, price money.Cents) string {
	return i18n.Amount(c.UserContext(), price)
}
