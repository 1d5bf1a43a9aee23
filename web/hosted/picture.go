package hosted

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web/page"
)

// pictureFile matches the names of both drawings of a picture; the small one has a suffix.
var pictureFile = regexp.MustCompile(`^([0-9a-f]{32})(-pagina)?\.jpg$`)

// picture handles GET /fotos/:file. The name is a hash of the content, so browsers keep the
// file forever.
func (s *hosted) picture(c *fiber.Ctx) error {
	name := pictureFile.FindStringSubmatch(c.Params("file"))
	if name == nil {
		return fiber.ErrNotFound
	}
	jpeg, err := models.PictureByHash(c.UserContext(), s.DB.Pool, name[1], name[2] != "")
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/jpeg")
	c.Set(fiber.HeaderCacheControl, page.Immutable)
	c.Set(fiber.HeaderContentSecurityPolicy, page.DataPolicy)
	return c.Send(jpeg)
}
