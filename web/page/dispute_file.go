package page

import (
	"mime"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
)

// SendDisputeFile answers with the file of a dispute that the address names. The caller has checked that the
// person may see the dispute. A browser saves the file and opens nothing of it here.
func (s *Site) SendDisputeFile(c *fiber.Ctx, disputeID string) error {
	f, err := models.DisputeFileOf(c.UserContext(), s.DB.Pool, disputeID, c.Params("file"))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, f.MediaType)
	c.Set(fiber.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	c.Set(fiber.HeaderContentSecurityPolicy, DataPolicy+"; sandbox")
	return c.Send(f.Content)
}
