package web

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/pages"
)

// pictureFile names both drawings of a picture, the small one with a word more.
var pictureFile = regexp.MustCompile(`^([0-9a-f]{32})(-pagina)?\.jpg$`)

// productPicture is what pages show of a product's picture.
func productPicture(p models.ProductPicture) pages.ProductPicture {
	if p.Hash == "" {
		return pages.ProductPicture{}
	}
	return pages.ProductPicture{Small: p.Hash + "-pagina.jpg", Large: p.Hash + ".jpg", Width: p.Width, Height: p.Height}
}

// picture handles GET /fotos/:file. An address names what is in the file, so browsers
// keep it for ever.
func (s *server) picture(c *fiber.Ctx) error {
	name := pictureFile.FindStringSubmatch(c.Params("file"))
	if name == nil {
		return fiber.ErrNotFound
	}
	jpeg, err := models.PictureByHash(c.UserContext(), s.DB.Pool, name[1], name[2] != "")
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/jpeg")
	c.Set(fiber.HeaderCacheControl, immutable)
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Send(jpeg)
}
