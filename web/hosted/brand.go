package hosted

import (
	"context"
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/brand"
	"garoupa/models"
	"garoupa/static"
	"garoupa/web/page"
)

var (
	stylesheetFile = regexp.MustCompile(`^([0-9a-f]{6})\.[0-9a-f]{8}\.css$`)
	logoFile       = regexp.MustCompile(`^([0-9a-f]{32})\.png$`)
)

// brandFile handles GET /marca/:file. A merchant's stylesheet is our own with the accent's
// rules appended, so buyers download one file.
func (s *hosted) brandFile(c *fiber.Ctx) error {
	contentType, body, err := s.readBrandFile(c.UserContext(), c.Params("file"))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderCacheControl, page.Immutable)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	return c.Send(body)
}

func (s *hosted) readBrandFile(ctx context.Context, name string) (contentType string, body []byte, err error) {
	if m := logoFile.FindStringSubmatch(name); m != nil {
		body, err = models.LogoByHash(ctx, s.DB.Pool, m[1])
		return "image/png", body, err
	}
	m := stylesheetFile.FindStringSubmatch(name)
	if m == nil || page.StylesheetName("#"+m[1]) != name {
		return "", nil, fiber.ErrNotFound
	}
	ours, ok := static.Open(strings.TrimPrefix(static.URL(page.PayStylesheet), static.Prefix), "")
	if !ok {
		return "", nil, fiber.ErrNotFound
	}
	return ours.ContentType, append(append([]byte{}, ours.Body...), brand.Rules("#"+m[1])...), nil
}
