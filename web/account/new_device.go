package account

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// newDeviceForm shows GET /nao-fui-eu, where the mail about a new device leads. Programs that scan mails
// open links, so a GET must not end anything.
func (s *account) newDeviceForm(c *fiber.Ctx) error {
	token := c.Query("token")
	device, err := s.Merchants.CheckDevice(c.UserContext(), token)
	if err != nil {
		return s.deadLink(c, err, pages.DeadDevice)
	}
	return page.Render(c, pages.NewDevice(pages.NewDeviceProps{AuthProps: s.AuthProps(c), Token: token,
		Device: device.Name, IP: device.IP, At: device.LastSeenAt}))
}

// denyDevice handles POST /nao-fui-eu, and leads to choosing another password.
func (s *account) denyDevice(c *fiber.Ctx) error {
	reset, err := s.Merchants.DenyDevice(c.UserContext(), page.Field(c, "token"), s.Browser(c))
	if err != nil {
		return s.deadLink(c, err, pages.DeadDevice)
	}
	return c.Redirect("/redefinir-senha?token="+url.QueryEscape(reset), fiber.StatusSeeOther)
}

// logIns returns the rows of a person's log-ins.
func (s *account) logIns(c *fiber.Ctx, userID string) (rows []pages.LogInRow, err error) {
	list, err := s.Merchants.LogIns(c.UserContext(), userID)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		rows = append(rows, pages.LogInRow{At: l.At, Device: l.Browser, IP: l.IP, Way: l.Way, Count: l.Count,
			Result: strings.TrimPrefix(l.Action, "session."), Entered: l.Action == "session.started"})
	}
	return rows, nil
}
