package page

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// InvitePath is the path of links in invitations; a token follows it.
const InvitePath = "/convite/"

// LogPath returns a request's path in the form for the log: without the token of an
// invitation, which gives access to an account.
func LogPath(path string) string {
	if strings.HasPrefix(path, InvitePath) {
		return InvitePath + "…"
	}
	return path
}

// The security pages, with a person's own password, codes and sessions: for members and for
// staff.
const (
	SecurityPath    = "/app/configuracoes/seguranca"
	OpsSecurityPath = "/ops/seguranca"
)

// SettingsPath is the path above the sections of the settings.
const SettingsPath = "/app/configuracoes/"

// SetUpPath is the page that sets up a code generator, and offers a passkey.
const SetUpPath = "/2fa/ativar"

// AccountsPath is the page on which people choose another of their accounts.
const AccountsPath = "/app/contas"

// ConfirmPath receives the proof that a GET required.
const ConfirmPath = "/confirmar"

// VerifyPath is the page for verifying an address. A sign-up leads there.
const VerifyPath = "/verificar-email"

// VerifyFirst redirects there from a page that needs a verified address.
func (s *Site) VerifyFirst(c *fiber.Ctx) error {
	if err := s.Flash(c, "verify_first"); err != nil {
		return err
	}
	return c.Redirect(VerifyPath, fiber.StatusSeeOther)
}
