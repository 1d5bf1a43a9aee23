// Package page has what the rooms of package web share: sessions and visitors, roles, the
// repeated proof of identity, forms, lists, files, errors and the frames around pages.
//
// A room serves the pages of one audience. It has a type that embeds [Site], registers its own
// routes, and imports no other room: code that two rooms need belongs here.
package page

import (
	"net/netip"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/sessions"

	"garoupa/banks"
	"garoupa/internal/auth/vault"
	"garoupa/internal/mail"
	"garoupa/internal/ratelimit"
	"garoupa/internal/stream"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/layouts"
)

// Options configure the pages. All are required except Mails and the fields that may be "".
type Options struct {
	DB        *models.DB
	Payments  *payments.Service
	Merchants *merchants.Service
	Banks     *banks.Service
	Vault     *vault.Vault
	Streams   *stream.Hub
	Mails     *mail.Writer // writes the mails that /dev/mail shows; nil: there are no pages below /dev
	// The three addresses, with scheme and without a slash at the end.
	BaseURL, CheckoutURL, AppURL string
	AllowPrivate                 bool // endpoints may be on private addresses
	LiveSimulated                bool // the live institution is the simulator
	AuditStreamed                bool // the audit log goes to a receiver
	Demo                         bool // every page says that this is a demonstration
	// The terms of use and the privacy notice of the company that runs the installation; "" if
	// there are none.
	TermsURL, PrivacyURL string
	SupportURL           string // where merchants reach that company, a page or mailto:…; "" if there is none
	SecurityContact      string // where to report a weakness, like SupportURL
	SignUp               string // who may make a log-in: one of the constants SignUpOpen…, "" for SignUpOpen
	// OpsNetworks are the networks from which staff may work; nil is any. IPv4 has its own
	// form, not that within IPv6.
	OpsNetworks []netip.Prefix
	Limits      Limits
	Now         func() time.Time
}

// The values of Options.SignUp.
const (
	SignUpOpen         = "open"       // everyone
	SignUpByInvitation = "invitation" // people whom a member invited
	SignUpClosed       = "closed"     // no one
)

// SignsUp reports whether everyone may make a log-in and an account.
func (o Options) SignsUp() bool { return o.SignUp == "" || o.SignUp == SignUpOpen }

// Limits bound how often pages may be requested (docs/rules.md, "Rate limits"). A nil limiter
// means no limit.
type Limits struct {
	Pages       *ratelimit.Limiter // public pages, by address
	People      *ratelimit.Limiter // pages of people who are logged in, by person
	LogIn       *ratelimit.Limiter // by email and address
	FailedLogIn *ratelimit.Limiter // log-ins that failed, by address
	NewPlaces   *ratelimit.Limiter // log-ins that failed where a person never logged in, by person
	SignUps     *ratelimit.Limiter // by address
	Mails       *ratelimit.Limiter // to addresses that a visitor types, by visitor
	Withdrawals *ratelimit.Limiter // requests, by account; shared with the API
	Resends     *ratelimit.Limiter // test events and resends of members, by project
}

// Site has what handlers of all rooms need. It is safe for concurrent use.
type Site struct {
	Options
	Codes    codeCache // drawn QR codes
	sessions sessions.Store
}

// NewSite returns the site for the options. All rooms of a process share it.
func NewSite(o Options) *Site {
	return &Site{Options: o, sessions: newSessionStore(o.Vault, o.AppURL)}
}

// Legal returns what pages show about the company that runs the installation.
func (o Options) Legal() layouts.Legal {
	return layouts.Legal{TermsURL: o.TermsURL, PrivacyURL: o.PrivacyURL, SupportURL: o.SupportURL}
}

// Render writes page in the language of the request's context.
func Render(c *fiber.Ctx, page templ.Component) error {
	c.Type("html", "utf-8")
	return page.Render(c.UserContext(), c.Response().BodyWriter())
}
