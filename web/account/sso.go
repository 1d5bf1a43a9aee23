package account

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/auth/oidc"
	"garoupa/merchants"
	"garoupa/models"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

const (
	// ssoWithin is how long a person may take at the provider.
	ssoWithin = 10 * time.Minute
	// ssoPlace is the place under which the cookie of a log-in is sealed.
	ssoPlace = "cookie/sso"
)

// registerSSO adds the log-in at the company's provider.
func (s *account) registerSSO(r fiber.Router) {
	r.Get("/entrar/sso", s.Public(s.startSSO)...)
	r.Get(page.SSOReturnPath, s.Costly(s.finishSSO)...)
}

// sso is what pages show of the provider.
func (s *account) sso() pages.SSO { return pages.SSO{Name: s.SSOName(), Only: s.Merchants.SSOOnly} }

// startedBySSO reports whether the session of a token began at the provider, where the person stays logged in.
func (s *account) startedBySSO(c *fiber.Ctx, token string) bool {
	session, err := s.Merchants.Session(c.UserContext(), token)
	return err == nil && session.ByProvider
}

// byPassword returns a handler for pages and forms that lead to a log-in by a password or a passkey. It
// answers 403 where people log in at the provider alone.
func (s *account) byPassword(handler fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if !s.Merchants.SSOOnly {
			return handler(c)
		}
		c.Status(fiber.StatusForbidden)
		return page.Render(c, pages.SSOOnly(pages.SSOOnlyProps{AuthProps: s.AuthProps(c), Name: s.SSOName()}))
	}
}

// trip is what the browser keeps in a sealed cookie while the person is at the provider, so that no
// other browser can finish the log-in.
type trip struct {
	oidc.Question
	Next  string
	Proof string    // what the visitor proves their identity for, one of base.SSOProof…; "" for a log-in
	At    time.Time // of the departure
}

func (s *account) tripCookie() string { return page.CookieName(s.AppURL, "/", "garoupa_sso") }

// startSSO handles GET /entrar/sso. A query with proof is a proof of identity of a visitor.
func (s *account) startSSO(c *fiber.Ctx) error {
	provider := s.Merchants.SSO
	if provider == nil {
		return fiber.ErrNotFound
	}
	t := trip{Next: page.Local(c.Query("next"), "/app"), At: s.Now()}
	if proof := c.Query("proof"); proof == base.SSOProofHere || proof == base.SSOProofTab {
		t.Proof = proof
	}
	var address string
	var err error
	if t.Question, address, err = provider.Ask(c.UserContext(), t.Proof != ""); err != nil {
		return s.ssoFailed(c, t, err)
	}
	plain, err := json.Marshal(t)
	if err != nil {
		return err
	}
	s.setTrip(c, base64.RawURLEncoding.EncodeToString(s.Vault.Seal(ssoPlace, string(plain))), int(ssoWithin.Seconds()))
	return c.Redirect(address, fiber.StatusSeeOther)
}

// setTrip sets the cookie. The return is a navigation from another site, which brings Lax cookies along.
func (s *account) setTrip(c *fiber.Ctx, value string, maxAge int) {
	c.Cookie(&fiber.Cookie{Name: s.tripCookie(), Value: value, Path: "/", HTTPOnly: true, MaxAge: maxAge,
		Secure: strings.HasPrefix(s.AppURL, "https://"), SameSite: fiber.CookieSameSiteLaxMode})
}

// takeTrip returns the trip of this browser that the answer belongs to, and ends it. It reports false if there is
// none. An answer to another trip leaves the browser's own.
func (s *account) takeTrip(c *fiber.Ctx) (t trip, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(c.Cookies(s.tripCookie()))
	if err != nil {
		return t, false
	}
	plain, err := s.Vault.Open(ssoPlace, sealed)
	if err != nil || json.Unmarshal([]byte(plain), &t) != nil {
		return t, false
	}
	if t.State == "" || subtle.ConstantTimeCompare([]byte(c.Query("state")), []byte(t.State)) != 1 {
		return t, false
	}
	s.setTrip(c, "", -1)
	return t, s.Now().Sub(t.At) <= ssoWithin
}

// finishSSO handles GET /entrar/sso/retorno, to which the provider leads the browser back.
func (s *account) finishSSO(c *fiber.Ctx) error {
	provider := s.Merchants.SSO
	if provider == nil {
		return fiber.ErrNotFound
	}
	t, ok := s.takeTrip(c)
	if issuer := c.Query("iss"); !ok || issuer != "" && issuer != provider.Issuer { // RFC 9207
		return s.ssoProblem(c, t, pages.SSOStale, fiber.StatusBadRequest)
	}
	switch c.Query("error") {
	case "":
	case "server_error", "temporarily_unavailable":
		return s.ssoProblem(c, t, pages.SSODown, fiber.StatusServiceUnavailable)
	default:
		return s.ssoProblem(c, t, pages.SSOCancelled, fiber.StatusForbidden)
	}
	guess, wait := s.GuessSSO(c)
	if wait != "" {
		return s.showSSOProblem(c, t, pages.SSOProblemProps{Problem: pages.SSOCancelled, Wait: wait})
	}
	who, err := provider.Answer(c.UserContext(), t.Question, c.Query("code"))
	if err == nil && t.Proof != "" {
		err = s.proveBySSO(c, t, who)
	} else if err == nil {
		err = s.logInBySSO(c, t, who)
	}
	if !errors.Is(err, merchants.ErrCredentials) && !errors.Is(err, oidc.ErrRefused) {
		guess.Right()
	}
	return s.ssoFailed(c, t, err)
}

// logInBySSO starts the session of the person who has the identity.
func (s *account) logInBySSO(c *fiber.Ctx, t trip, who oidc.Identity) error {
	from, next := s.LogInFrom(c), t.Next
	token, err := s.Merchants.LogInWithIdentity(c.UserContext(), who, from)
	if errors.Is(err, merchants.ErrCodeNeeded) {
		next = "/2fa?next=" + url.QueryEscape(next)
	} else if err != nil {
		return err
	}
	return s.enter(c, token, from, next)
}

// errProof reports that a proof of identity by the provider does not count.
var errProof = errors.New("account: the proof is not the visitor's")

// proveBySSO records that the visitor has proven their identity.
func (s *account) proveBySSO(c *fiber.Ctx, t trip, who oidc.Identity) error {
	v, err := s.Merchants.Visitor(c.UserContext(), s.Token(c))
	if errors.Is(err, models.ErrNotFound) {
		return c.Redirect("/entrar?next="+url.QueryEscape(t.Next), fiber.StatusSeeOther)
	} else if err != nil {
		return err
	}
	err = s.Merchants.ProveWithIdentity(c.UserContext(), v, who, s.Browser(c))
	if err == nil {
		err = s.KeepNewToken(c, v)
	}
	switch {
	case errors.Is(err, merchants.ErrCredentials):
		return errors.Join(err, errProof)
	case err != nil:
		return err
	case t.Proof == base.SSOProofTab:
		return page.Render(c, pages.SSODone(pages.SSODoneProps{AuthProps: s.AuthProps(c)}))
	}
	return c.Redirect(t.Next, fiber.StatusSeeOther)
}

// ssoFailed shows the page about an error of a trip, if there is one for it.
func (s *account) ssoFailed(c *fiber.Ctx, t trip, err error) error {
	switch {
	case errors.Is(err, oidc.ErrUnavailable):
		slog.WarnContext(c.UserContext(), "the OpenID Connect provider failed", "err", err)
		return s.ssoProblem(c, t, pages.SSODown, fiber.StatusServiceUnavailable)
	case errors.Is(err, oidc.ErrRefused):
		slog.WarnContext(c.UserContext(), "an answer of the OpenID Connect provider was refused", "err", err)
		return s.ssoProblem(c, t, pages.SSOStale, fiber.StatusForbidden)
	case errors.Is(err, errProof):
		return s.ssoProblem(c, t, pages.SSOProof, fiber.StatusForbidden)
	case errors.Is(err, merchants.ErrNoPerson):
		return s.ssoProblem(c, t, pages.SSONoPerson, fiber.StatusForbidden)
	case errors.Is(err, merchants.ErrUnproven):
		return s.ssoProblem(c, t, pages.SSOUnverified, fiber.StatusForbidden)
	}
	return err
}

func (s *account) ssoProblem(c *fiber.Ctx, t trip, problem pages.SSOProblem, status int) error {
	c.Status(status)
	return s.showSSOProblem(c, t, pages.SSOProblemProps{Problem: problem})
}

// showSSOProblem is ssoProblem with the status that is set.
func (s *account) showSSOProblem(c *fiber.Ctx, t trip, props pages.SSOProblemProps) error {
	props.AuthProps, props.Name = s.AuthProps(c), s.SSOName()
	props.AuthProps.Path = "/entrar" // the answer's address works once
	props.Again = "/entrar"
	if t.Next != "" {
		props.Again += "?next=" + url.QueryEscape(t.Next)
	}
	if t.Proof != "" {
		props.Again = page.Local(t.Next, "/app")
	}
	return page.Render(c, pages.SSOProblemPage(props))
}

// unlink handles POST …/provedor/desligar. A person who was unlinked already sees the same. The session that asks
// ends if it began at the provider.
func (s *account) unlink(c *fiber.Ctx) error {
	err := s.Merchants.UnlinkSelf(c.UserContext(), page.Actor(c))
	if errors.Is(err, merchants.ErrNotLinked) {
		err = nil
	}
	if errors.Is(err, merchants.ErrOnlyWay) {
		return s.secured(c, nil, "provider_only_way")
	}
	return s.secured(c, err, "provider_unlinked")
}
