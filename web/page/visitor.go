package page

import (
	"errors"
	"net/netip"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/internal/requestid"
	"garoupa/models"
	"garoupa/views/layouts"
)

// sessionToken is the value that a session's cookie holds.
const sessionToken = "token"

type visitorKey struct{}

// SetVisitor makes v the visitor of the rest of the request.
func SetVisitor(c *fiber.Ctx, v *models.Visitor) { c.Locals(visitorKey{}, v) }

// Admit runs the rest of the request with the visitor. If it gives the session a new token, even if
// it fails later, Admit stores the token in the cookie.
func (s *Site) Admit(c *fiber.Ctx, v *models.Visitor) error {
	SetVisitor(c, v)
	err := c.Next()
	if kept := s.KeepNewToken(c, Visitor(c)); err == nil {
		err = kept
	}
	return err
}

// Visitor returns the visitor whom Person admitted. It must be called only after Person.
func Visitor(c *fiber.Ctx) *models.Visitor { return c.Locals(visitorKey{}).(*models.Visitor) }

// PersonID returns the id of the visitor whom Person admitted, or "".
func PersonID(c *fiber.Ctx) string {
	if v, ok := c.Locals(visitorKey{}).(*models.Visitor); ok {
		return v.UserID
	}
	return ""
}

// Scope returns the project and environment that the visitor looks at.
func Scope(c *fiber.Ctx) models.Scope {
	v := Visitor(c)
	return models.Scope{ProjectID: *v.ProjectID, Environment: v.Environment}
}

// scopeName returns the value with which a form names the scope that it was opened in.
func scopeName(v *models.Visitor) string { return v.AccountID + "/" + v.Environment.String() }

// Actor returns the visitor as the actor of an operation.
func Actor(c *fiber.Ctx) models.Actor {
	v := Visitor(c)
	return models.Actor{UserID: v.UserID, AccountID: v.AccountID, IP: c.IP(), RequestID: requestid.Of(c.UserContext())}
}

// Token returns the session's token in the browser's cookie, or "".
func (s *Site) Token(c *fiber.Ctx) string {
	token, _ := s.cookie(c, s.sessionCookie()).Values[sessionToken].(string)
	return token
}

// KeepToken stores the session's token in the browser's cookie; "" ends it. No other answer writes the
// cookie, so that none brings back a token that another request of the browser has replaced.
func (s *Site) KeepToken(c *fiber.Ctx, token string) error {
	return s.keepSealed(c, s.sessionCookie(), sessionToken, token)
}

// KeepNewToken stores the token that an operation gave the visitor's session, if there is one.
func (s *Site) KeepNewToken(c *fiber.Ctx, v *models.Visitor) error {
	if v.NewToken == "" || v.NewToken == s.Token(c) {
		return nil
	}
	return s.KeepToken(c, v.NewToken)
}

// ErrNothing is the answer of the console to people who are not staff: the page of an unknown
// path.
var ErrNothing = refusal.New(refusal.NotFound, "There is nothing here.")

// Inside reports whether the client's address is in OpsNetworks. Package server has set the
// address from the connection or from a trusted proxy.
func (s *Site) Inside(c *fiber.Ctx) bool {
	if len(s.OpsNetworks) == 0 {
		return true
	}
	address, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	return ok && slices.ContainsFunc(s.OpsNetworks, func(n netip.Prefix) bool { return n.Contains(address.Unmap()) })
}

// byItself reports whether an open page made the request, by a script or a stream, and not a person who opens a
// page. Browsers say so (Fetch Metadata, Sec-Fetch-Dest).
func byItself(c *fiber.Ctx) bool { return c.Get("Sec-Fetch-Dest") == "empty" }

// ReadVisitor returns the visitor of the request, or models.ErrNotFound. What an open page asks for by itself
// does not count as a visit.
func (s *Site) ReadVisitor(c *fiber.Ctx) (*models.Visitor, error) {
	if byItself(c) {
		return s.Merchants.AbsentVisitor(c.UserContext(), s.Token(c))
	}
	return s.Merchants.Visitor(c.UserContext(), s.Token(c))
}

// Person admits visitors who are logged in; LoggedOut answers others, and keeps forms of the dashboard. Staff
// without an account are admitted only from OpsNetworks.
func (s *Site) Person(c *fiber.Ctx) error {
	v, err := s.ReadVisitor(c)
	if errors.Is(err, models.ErrNotFound) {
		return s.LoggedOut(c, c.Method() == fiber.MethodPost && Field(c, layouts.ScopeField) != "")
	} else if err != nil {
		return err
	}
	if v.StaffRole != nil && v.ProjectID == nil && !s.Inside(c) {
		return ErrNothing // 404 for their own pages and the setup of a second factor, too
	}
	return s.Admit(c, v)
}

// Member admits the members of an account. It must come after Person. Staff without an account
// are redirected to the console. If the owner requires a second factor, a member without one is led to
// set one up.
func (s *Site) Member(c *fiber.Ctx) error {
	switch v := Visitor(c); {
	case v.ProjectID != nil && v.SecondNeeded && !(v.SecondFactor && s.protected(v)) &&
		c.Path() != AccountsPath:
		return s.secondNeeded(c)
	case v.ProjectID != nil:
		return c.Next()
	case v.StaffRole != nil && c.Path() == SecurityPath: // mails about a log-in link to this page
		return c.Redirect(OpsSecurityPath, fiber.StatusSeeOther)
	case v.StaffRole != nil:
		return c.Redirect("/ops", fiber.StatusSeeOther)
	}
	return refusal.New(refusal.Forbidden, "This person is a member of no account.")
}
