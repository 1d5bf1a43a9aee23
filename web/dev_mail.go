package web

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/mail"
	"garoupa/models"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// mailsShown is how many mails the development page lists.
const mailsShown = 100

// mailPolicy lets a mail's HTML be shown in a frame of our own page: with its styles,
// and with nothing else, not even its links.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

// registerDevelopment adds the pages of the embedded mode: the mails, which nobody
// sends, and the components. They show the links of everybody's mails, so only this
// machine and its own network get them, and nobody through a proxy.
func (s *server) registerDevelopment(r fiber.Router) {
	if s.Mails == nil {
		return
	}
	dev := r.Group("/dev", near, s.limited, compressed, s.speak, secure)
	dev.Get("/mail", s.listMails)
	dev.Get("/mail/:id", s.readMail)
	dev.Get("/mail/:id/html", s.showMail)
	dev.Get("/components", s.gallery)
}

func near(c *fiber.Ctx) error {
	ip, err := netip.ParseAddr(c.IP())
	if ip = ip.Unmap(); err != nil || !ip.IsLoopback() && !ip.IsPrivate() || c.Get(fiber.HeaderXForwardedFor) != "" || c.Get("Forwarded") != "" {
		return fiber.ErrNotFound
	}
	return c.Next()
}

func (s *server) mailFrame(c *fiber.Ctx) layouts.AuthProps {
	props := s.auth(c)
	props.Wide = true
	return props
}

// listMails shows GET /dev/mail.
func (s *server) listMails(c *fiber.Ctx) error {
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
		props.Mails = append(props.Mails, pages.DevMailRow{ID: mails[i].ID, Subject: letter.Subject, To: mails[i].To, At: mails[i].CreatedAt})
	}
	return render(c, pages.DevMails(props))
}

// writtenMail is the mail that a path names, and how it is worded.
func (s *server) writtenMail(c *fiber.Ctx) (*models.Mail, mail.Letter, error) {
	m, err := models.MailByID(c.UserContext(), s.DB.Pool, c.Params("id"))
	if err != nil {
		return nil, mail.Letter{}, fmt.Errorf("web: read mail: %w", err)
	}
	letter, err := s.Mails.Write(c.UserContext(), m)
	return m, letter, err
}

// readMail shows GET /dev/mail/:id: the mail as HTML in a frame, and as text.
func (s *server) readMail(c *fiber.Ctx) error {
	m, letter, err := s.writtenMail(c)
	if err != nil {
		return err
	}
	c.Set("Content-Security-Policy", strings.Replace(contentPolicy, "default-src 'none';", "default-src 'none'; frame-src 'self';", 1))
	return render(c, pages.DevMail(pages.DevMailProps{
		AuthProps: s.mailFrame(c), ID: m.ID, Subject: letter.Subject, To: m.To, At: m.CreatedAt, Text: letter.Text, Link: letter.URL,
	}))
}

// showMail answers GET /dev/mail/:id/html.
func (s *server) showMail(c *fiber.Ctx) error {
	_, letter, err := s.writtenMail(c)
	if err != nil {
		return err
	}
	c.Set("Content-Security-Policy", mailPolicy)
	return c.Type("html", "utf-8").SendString(letter.HTML)
}
