package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/brand"
	"garoupa/models"
	"garoupa/static"
	"garoupa/views/pages"
)

// payBrand is what pages for buyers show of a brand.
func payBrand(b models.Brand) pages.PayBrand {
	p := pages.PayBrand{LogoWidth: b.LogoWidth, LogoHeight: b.LogoHeight, Support: b.Support}
	if b.Accent != "" {
		p.Stylesheet = stylesheetName(b.Accent)
	}
	if b.LogoHash != "" {
		p.Logo = b.LogoHash + ".png"
	}
	switch {
	case strings.HasPrefix(b.Support, "https://"), strings.HasPrefix(b.Support, "http://"):
		p.Support, p.SupportURL = strings.TrimSuffix(b.Support[strings.Index(b.Support, "://")+3:], "/"), b.Support
	case strings.Contains(b.Support, "@"):
		p.SupportURL = "mailto:" + b.Support
	case b.Support != "":
		p.SupportURL = "tel:" + strings.Map(func(r rune) rune {
			if r == '+' || '0' <= r && r <= '9' {
				return r
			}
			return -1
		}, b.Support)
	}
	return p
}

// stylesheetName names the stylesheet of an accent, "0b6b60.1a2b3c4d.css". It is made
// of the accent and of our own stylesheet, so their hash says all that is in it.
func stylesheetName(accent string) string {
	sum := sha256.Sum256([]byte(static.URL(payStylesheet) + brand.Rules(accent)))
	return fmt.Sprintf("%s.%s.css", strings.TrimPrefix(accent, "#"), hex.EncodeToString(sum[:4]))
}

// payStylesheet is ours, of the pages that buyers see.
const payStylesheet = "pay.css"

var (
	stylesheetFile = regexp.MustCompile(`^([0-9a-f]{6})\.[0-9a-f]{8}\.css$`)
	logoFile       = regexp.MustCompile(`^([0-9a-f]{32})\.png$`)
)

// brandFile handles GET /marca/:file. A stylesheet is the whole of ours with the
// accent's rules after it: buyers download one, not two.
func (s *server) brandFile(c *fiber.Ctx) error {
	contentType, body, err := s.readBrandFile(c.UserContext(), c.Params("file"))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderCacheControl, immutable)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set("X-Content-Type-Options", "nosniff")
	return c.Send(body)
}

func (s *server) readBrandFile(ctx context.Context, name string) (contentType string, body []byte, err error) {
	if m := logoFile.FindStringSubmatch(name); m != nil {
		body, err = models.LogoByHash(ctx, s.DB.Pool, m[1])
		return "image/png", body, err
	}
	m := stylesheetFile.FindStringSubmatch(name)
	if m == nil || stylesheetName("#"+m[1]) != name {
		return "", nil, fiber.ErrNotFound
	}
	ours, ok := static.Open(strings.TrimPrefix(static.URL(payStylesheet), static.Prefix), "")
	if !ok {
		return "", nil, fiber.ErrNotFound
	}
	return ours.ContentType, append(append([]byte{}, ours.Body...), brand.Rules("#"+m[1])...), nil
}
