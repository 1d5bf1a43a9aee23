package docs

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/mail"
	"garoupa/models"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/docs"
	"garoupa/web/page"
)

// mailsShown is how many mails the development page lists.
const mailsShown = 100

// mailPolicy lets our own page show a mail's HTML in a frame, with its styles only: not even
// its links work.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

// development serves the pages of the embedded mode.
type development struct{ *page.Site }

// near admits requests of this machine and its own network that name this machine and came
// through no proxy.
func (s *development) near(c *fiber.Ctx) error {
	if !isNear(c.IP()) || !s.isOwnHost(c.Hostname()) || c.Get(fiber.HeaderXForwardedFor) != "" ||
		c.Get("Forwarded") != "" {
		return fiber.ErrNotFound
	}
	return c.Next()
}

// isNear reports whether an IP address is of this machine or its own network.
func isNear(ip string) bool {
	addr, err := netip.ParseAddr(ip)
	return err == nil && (addr.Unmap().IsLoopback() || addr.Unmap().IsPrivate())
}

// isOwnHost reports whether a Host names this machine: localhost, a near address, or the host of
// the dashboard. A site that lets its own name lead here must not read pages with its scripts.
func (s *development) isOwnHost(host string) bool {
	if app, err := url.Parse(s.AppURL); err == nil && strings.EqualFold(host, app.Host) {
		return true
	}
	name := strings.ToLower((&url.URL{Host: host}).Hostname())
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || isNear(name)
}

func (s *development) mailFrame(c *fiber.Ctx) layouts.AuthProps {
	props := s.AuthProps(c)
	props.Wide = true
	return props
}

// listMails shows GET /dev/mail.
func (s *development) listMails(c *fiber.Ctx) error {
	mails, err := models.LatestMails(c.UserContext(), s.DB.Pool, mailsShown)
	if err != nil {
		return err
	}
	props := pages.DevMailsProps{AuthProps: s.mailFrame(c), Now: s.Now()}
	for i := range mails {
		letter, err := s.Mails.Write(c.UserContext(), &mails[i])
		if err != nil {
			return err
		}
		props.Mails = append(props.Mails, pages.DevMailRow{ID: mails[i].ID, Subject: letter.Subject, To: mails[i].To,
			At: mails[i].CreatedAt})
	}
	return page.Render(c, pages.DevMails(props))
}

// writtenMail returns the mail that a path names, and its texts.
func (s *development) writtenMail(c *fiber.Ctx) (*models.Mail, mail.Letter, error) {
	m, err := models.MailByID(c.UserContext(), s.DB.Pool, c.Params("id"))
	if err != nil {
		return nil, mail.Letter{}, fmt.Errorf("docs: read mail: %w", err)
	}
	letter, err := s.Mails.Write(c.UserContext(), m)
	return m, letter, err
}

// readMail shows GET /dev/mail/:id: the mail as HTML in a frame, and as text.
func (s *development) readMail(c *fiber.Ctx) error {
	m, letter, err := s.writtenMail(c)
	if err != nil {
		return err
	}
	c.Set("Content-Security-Policy", strings.Replace(page.ContentPolicy, "default-src 'none';",
		"default-src 'none'; frame-src 'self';", 1))
	return page.Render(c, pages.DevMail(pages.DevMailProps{
		AuthProps: s.mailFrame(c), ID: m.ID, Subject: letter.Subject, To: m.To, At: m.CreatedAt, Text: letter.Text,
		Link: letter.URL,
	}))
}

// showMail answers GET /dev/mail/:id/html.
func (s *development) showMail(c *fiber.Ctx) error {
	_, letter, err := s.writtenMail(c)
	if err != nil {
		return err
	}
	c.Set("Content-Security-Policy", mailPolicy)
	return c.Type("html", "utf-8").SendString(letter.HTML)
}
