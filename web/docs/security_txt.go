package docs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/web/page"
)

// securityPath is where RFC 9116 looks for securityText.
const securityPath = "/.well-known/security.txt"

// securityLifetime is how long people may rely on the file after they read it. RFC 9116 wants
// less than a year.
const securityLifetime = 90 * 24 * time.Hour

// registerSecurity adds the file that says where to report a weakness, if the installation has
// such a contact.
func registerSecurity(r fiber.Router, s *page.Site) {
	if s.SecurityContact != "" {
		r.Get(securityPath, s.Limited, func(c *fiber.Ctx) error {
			c.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
			c.Set(fiber.HeaderCacheControl, "public, max-age=3600")
			return c.SendString(securityText(s))
		})
	}
}

// securityText returns the file of RFC 9116, which is valid at each of the three addresses.
func securityText(s *page.Site) string {
	var text strings.Builder
	fmt.Fprintf(&text, "Contact: %s\n", s.SecurityContact)
	fmt.Fprintf(&text, "Expires: %s\n", s.Now().Add(securityLifetime).UTC().Format(time.RFC3339))
	addresses := []string{s.BaseURL, s.CheckoutURL, s.AppURL}
	slices.Sort(addresses)
	for _, address := range slices.Compact(addresses) {
		fmt.Fprintf(&text, "Canonical: %s%s\n", address, securityPath)
	}
	text.WriteString("Preferred-Languages: pt-BR, en\n")
	return text.String()
}
