package web

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/requestid"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// The values that a session's cookie holds.
const (
	sessionToken = "token"
	sessionFlash = "flash"
)

const themeCookie = "theme"

type visitorKey struct{}

// visitor returns who member let in.
func visitor(c *fiber.Ctx) *models.Visitor { return c.Locals(visitorKey{}).(*models.Visitor) }

// scope is what the visitor looks at.
func scope(c *fiber.Ctx) models.Scope {
	v := visitor(c)
	return models.Scope{ProjectID: *v.ProjectID, Livemode: v.Livemode}
}

func actor(c *fiber.Ctx) merchants.Actor {
	v := visitor(c)
	return merchants.Actor{UserID: v.UserID, AccountID: v.AccountID, IP: c.IP(), RequestID: requestid.Of(c.UserContext())}
}

// token is what the browser keeps of its session, "" for none.
func (s *server) token(c *fiber.Ctx) string {
	token, _ := s.session(c).Values[sessionToken].(string)
	return token
}

// person lets in who is logged in, as a member or of staff; loggedOut answers others. Who
// is of staff and nothing else is so only where staff work.
func (s *server) person(c *fiber.Ctx) error {
	v, err := s.Merchants.Visitor(c.UserContext(), s.token(c))
	if errors.Is(err, models.ErrNotFound) {
		return s.loggedOut(c)
	} else if err != nil {
		return err
	}
	if v.StaffRole != nil && v.ProjectID == nil && !s.isInside(c) {
		return errNothing // neither their pages nor a second factor for them
	}
	c.Locals(visitorKey{}, v)
	return c.Next()
}

// member lets in the members of an account, after person. Staff who are members of
// none have a place of their own.
func (s *server) member(c *fiber.Ctx) error {
	switch v := visitor(c); {
	case v.ProjectID != nil:
		return c.Next()
	case v.StaffRole != nil && c.Path() == securityPath: // where mails about a log-in lead
		return c.Redirect(opsSecurityPath, fiber.StatusSeeOther)
	case v.StaffRole != nil:
		return c.Redirect("/ops", fiber.StatusSeeOther)
	}
	return fault.New(fault.Forbidden, "This person is a member of no account.")
}

// staff lets in people of the installation's staff, after person, in one of the roles,
// or in any if none is given. Theirs is more than a password: a code or a passkey must
// have been part of this session, and who has neither yet is led to set one up.
func (s *server) staff(roles ...models.StaffRole) fiber.Handler {
	return func(c *fiber.Ctx) error {
		v := visitor(c)
		next := "?next=" + url.QueryEscape(c.OriginalURL())
		switch {
		case v.StaffRole == nil:
			return fiber.ErrNotFound // there is nothing here, for all that others know
		case !s.hasSecondFactor(v):
			return c.Redirect("/2fa/ativar"+next, fiber.StatusSeeOther)
		case !v.SecondFactor:
			return c.Redirect("/2fa"+next, fiber.StatusSeeOther)
		case len(roles) > 0 && !slices.Contains(roles, *v.StaffRole):
			return fault.New(fault.Forbidden, "The person's role does not include this page.")
		}
		return c.Next()
	}
}

// developers are the roles that may change keys, endpoints, products and links
// (decisions, 1).
var developers = []models.Role{models.RoleOwner, models.RoleAdmin, models.RoleDeveloper}

// developer lets in members who may change what developers look after.
func developer(c *fiber.Ctx) error {
	if !mayDevelop(visitor(c)) {
		return fault.New(fault.Forbidden, "The member's role does not include this page.")
	}
	return c.Next()
}

// owner lets in the account's owner.
func owner(c *fiber.Ctx) error {
	if visitor(c).Role != models.RoleOwner {
		return fault.New(fault.Forbidden, "The member's role does not include this page.")
	}
	return c.Next()
}

func mayDevelop(v *models.Visitor) bool { return slices.Contains(developers, v.Role) }

// treasurers are the roles that look after money, and take lists of it away as files
// (decisions, 1).
var treasurers = []models.Role{models.RoleOwner, models.RoleAdmin, models.RoleFinance}

// treasurer lets in members who may see the money and move it.
func treasurer(c *fiber.Ctx) error {
	if !mayTreasure(visitor(c)) {
		return fault.New(fault.Forbidden, "The member's role does not include this page.")
	}
	return c.Next()
}

func mayTreasure(v *models.Visitor) bool { return slices.Contains(treasurers, v.Role) }

// flash keeps what the next page is to say: a key of the catalogs, under "flash".
func (s *server) flash(c *fiber.Ctx, key string) error {
	sess := s.session(c)
	sess.Values[sessionFlash] = key
	return s.save(c, sess)
}

// refusals are the flashes that say what could not be done.
var refusals = []string{
	"access_changed",
	"checkout_not_pending",
	"destination_not_removed",
	"endpoint_not_subscribed",
	"endpoint_off",
	"invite_too_soon",
	"key_made",
	"ops_changed",
	"ops_reason_missing",
	"owner_stays",
	"provider_unavailable",
	"secret_changed",
	"webhook_made",
	"withdrawal_not_in_review",
}

// conditions are the flashes that say what comes first.
var conditions = []string{"log_in_first", "verify_first"}

// takeFlash returns what the form before left to say, once.
func (s *server) takeFlash(c *fiber.Ctx) (*components.FlashProps, error) {
	sess := s.session(c)
	key, _ := sess.Values[sessionFlash].(string)
	if key == "" {
		return nil, nil
	}
	delete(sess.Values, sessionFlash)
	if err := s.save(c, sess); err != nil {
		return nil, err
	}
	tone := components.ToneOK
	switch {
	case slices.Contains(refusals, key):
		tone = components.ToneBad
	case slices.Contains(conditions, key):
		tone = components.ToneInfo
	}
	return &components.FlashProps{Tone: tone, Text: i18n.T(c.UserContext(), "flash."+key)}, nil
}

// shell is the frame of a dashboard page for the visitor.
func (s *server) shell(c *fiber.Ctx) (layouts.Shell, error) {
	flash, err := s.takeFlash(c)
	v := visitor(c)
	return layouts.Shell{
		Account: v.AccountName, UserName: v.UserName, UserEmail: v.Email, Livemode: v.Livemode, Scope: scopeName(v), Several: v.Accounts > 1,
		Theme: theme(c), Path: c.OriginalURL(), Nav: menuOf(v), Flash: flash, Now: s.Now(), Demo: s.Demo, Legal: s.legal(),
	}, err
}

// menuOf is the menu with what the member's role includes.
func menuOf(v *models.Visitor) []layouts.NavGroup {
	var groups []layouts.NavGroup
	for _, group := range menu {
		if group.ID == layouts.NavGroupMoney && !mayTreasure(v) {
			continue
		}
		group.Items = slices.DeleteFunc(slices.Clone(group.Items), func(item layouts.NavItem) bool {
			return item.ID == layouts.NavRequests && !mayDevelop(v) || item.ID == layouts.NavAudit && v.Role != models.RoleOwner
		})
		groups = append(groups, group)
	}
	return groups
}

var menu = []layouts.NavGroup{
	{Items: []layouts.NavItem{
		{ID: layouts.NavHome, Href: "/app"},
		{ID: layouts.NavCheckouts, Href: "/app/cobrancas"},
		{ID: layouts.NavLinks, Href: "/app/links"},
		{ID: layouts.NavProducts, Href: "/app/produtos"},
	}},
	{ID: layouts.NavGroupMoney, Items: []layouts.NavItem{
		{ID: layouts.NavBalance, Href: "/app/saldo"},
		{ID: layouts.NavWithdrawals, Href: "/app/saques"},
	}},
	{ID: layouts.NavGroupDevelopers, Items: []layouts.NavItem{
		{ID: layouts.NavKeys, Href: "/app/chaves"},
		{ID: layouts.NavWebhooks, Href: "/app/webhooks"},
		{ID: layouts.NavEvents, Href: "/app/eventos"},
		{ID: layouts.NavRequests, Href: "/app/requisicoes"},
		{ID: layouts.NavDocs, Href: "/docs"},
	}},
	{ID: layouts.NavGroupAccount, Items: []layouts.NavItem{
		{ID: layouts.NavLive, Href: "/app/producao"},
		{ID: layouts.NavTeam, Href: "/app/equipe"},
		{ID: layouts.NavSettings, Href: "/app/configuracoes"},
		{ID: layouts.NavAudit, Href: "/app/auditoria"},
	}},
}

func theme(c *fiber.Ctx) layouts.Theme {
	switch t := layouts.Theme(c.Cookies(themeCookie)); t {
	case layouts.ThemeLight, layouts.ThemeDark:
		return t
	}
	return layouts.ThemeSystem
}

// local returns path if it stays on this site, else fallback: what comes from a
// form or an address must not lead elsewhere.
func local(path, fallback string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n") {
		return fallback
	}
	return path
}
