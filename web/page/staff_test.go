package page

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/auth/passkey"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
)

// The operations' pages are for staff in the right role, whose session had a code.
func TestStaff(t *testing.T) {
	t.Parallel()
	reviewer, supervisor := models.StaffReviewer, models.StaffSupervisor
	passkeys := passkey.NewSite("Garoupa", "https://app.example")
	s := &Site{Options: Options{Merchants: &merchants.Service{Options: merchants.Options{Passkeys: passkeys}}}}
	for name, tc := range map[string]struct {
		visitor models.Visitor
		status  int
		to      string
	}{
		"a member": {models.Visitor{Role: models.RoleOwner, TOTPEnrolled: true,
			Session: models.Session{SecondFactor: true}}, 404, ""},
		"without a generator": {models.Visitor{StaffRole: &supervisor}, 303, "/2fa/ativar?next=%2Fops%3Fq%3D1"},
		"with a passkey": {models.Visitor{StaffRole: &supervisor, HasPasskey: true,
			Session: models.Session{SecondFactor: true}}, 200, ""},
		"a passkey elsewhere": {models.Visitor{StaffRole: &supervisor, HasPasskey: true}, 303,
			"/2fa?next=%2Fops%3Fq%3D1"},
		"enrolled elsewhere": {models.Visitor{StaffRole: &supervisor, TOTPEnrolled: true}, 303,
			"/2fa?next=%2Fops%3Fq%3D1"},
		"in another role": {models.Visitor{StaffRole: &reviewer, TOTPEnrolled: true,
			Session: models.Session{SecondFactor: true}}, 403, ""},
		"without one, another role": {models.Visitor{StaffRole: &reviewer}, 303, "/2fa/ativar?next=%2Fops%3Fq%3D1"},
		"as it should be": {models.Visitor{StaffRole: &supervisor, TOTPEnrolled: true,
			Session: models.Session{SecondFactor: true}}, 200, ""},
	} {
		app := fiber.New(fiber.Config{ErrorHandler: func(c *fiber.Ctx, err error) error {
			if refusal.Of(err).Code == refusal.Forbidden {
				return c.SendStatus(http.StatusForbidden)
			}
			return fiber.DefaultErrorHandler(c, err)
		}})
		app.Get("/ops", func(c *fiber.Ctx) error {
			SetVisitor(c, &tc.visitor)
			return c.Next()
		}, s.Staff(models.ReadAudit), func(c *fiber.Ctx) error { return c.SendString("in") })
		answer, err := app.Test(httptest.NewRequest(http.MethodGet, "/ops?q=1", nil))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != tc.status || answer.Header.Get("Location") != tc.to {
			t.Errorf("%s: %d to %q", name, answer.StatusCode, answer.Header.Get("Location"))
		}
	}
}
