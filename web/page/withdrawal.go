package page

import (
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/pix/pixkey"
)

// Requester returns the name of the member who requested a withdrawal, or "" if a key did.
func (s *Site) Requester(c *fiber.Ctx, w *models.Withdrawal) (string, error) {
	if !strings.HasPrefix(w.RequestedBy, "usr_") {
		return "", nil
	}
	user, err := models.UserByID(c.UserContext(), s.DB, w.RequestedBy)
	if err != nil {
		return "", fmt.Errorf("page: read who asked for %s: %w", w.ID, err)
	}
	return user.Name, nil
}

// WholeAddress returns the unmasked key or address, formatted for comparison.
func (s *Site) WholeAddress(d *models.Destination) (string, error) {
	address, err := s.Payments.DestinationAddress(d)
	if err != nil || d.Rail != models.RailPix {
		return address, err
	}
	return pixkey.Format(pixkey.Type(d.Type), address), nil
}
