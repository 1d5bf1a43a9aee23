package page

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/sessions"

	"garoupa/internal/auth/vault"
	"garoupa/merchants"
)

// sessionCookie returns the name of the session's cookie. One without a prefix is not read where
// names have prefixes: another host of the domain could have planted it.
func (s *Site) sessionCookie() string { return CookieName(s.AppURL, "/", "garoupa_session") }

// newSessionStore keeps sessions in a cookie that only this installation can read and write.
// One cookie contains only a session's token, another the message for the next page.
func newSessionStore(v *vault.Vault, appURL string) sessions.Store {
	store := sessions.NewCookieStore(v.Key("session/sign"), v.Key("session/encrypt"))
	store.Options = &sessions.Options{
		Path: "/", MaxAge: int(merchants.SessionLifetime.Seconds()), HttpOnly: true,
		Secure: strings.HasPrefix(appURL, "https://"), SameSite: http.SameSiteLaxMode,
	}
	store.MaxAge(store.Options.MaxAge)
	return store
}

// gorilla/sessions uses net/http and Fiber uses fasthttp. A session needs only the request's
// cookies and the answer's Set-Cookie headers, so the functions below copy just those.

// cookie returns what the browser keeps under a name, or something empty if the cookie is invalid.
func (s *Site) cookie(c *fiber.Ctx, name string) *sessions.Session {
	kept, _ := s.sessions.Get(netRequest(c), name) // an error comes with a usable, empty session
	return kept
}

// keepSealed lets the browser keep a value in the cookie with a name; "" deletes the cookie.
func (s *Site) keepSealed(c *fiber.Ctx, name, key, value string) error {
	kept := s.cookie(c, name)
	kept.Values = map[any]any{key: value}
	kept.Options.MaxAge = int(merchants.SessionLifetime.Seconds())
	if value == "" {
		kept.Values, kept.Options.MaxAge = map[any]any{}, -1
	}
	w := headerOnly{}
	if err := s.sessions.Save(netRequest(c), w, kept); err != nil {
		return err
	}
	c.Response().Header.DelCookie(name) // of an earlier call
	for _, cookie := range w["Set-Cookie"] {
		c.Response().Header.Add("Set-Cookie", cookie)
	}
	return nil
}

type netRequestKey struct{}

// netRequest returns the one *http.Request of c, in which gorilla/sessions stores its
// sessions.
func netRequest(c *fiber.Ctx) *http.Request {
	if r, ok := c.Locals(netRequestKey{}).(*http.Request); ok {
		return r
	}
	r := (&http.Request{Header: http.Header{"Cookie": {c.Get("Cookie")}}}).WithContext(c.UserContext())
	c.Locals(netRequestKey{}, r)
	return r
}

// headerOnly is an http.ResponseWriter that accepts headers and refuses a body.
type headerOnly http.Header

func (h headerOnly) Header() http.Header { return http.Header(h) }

func (h headerOnly) Write([]byte) (int, error) { return 0, http.ErrBodyNotAllowed }

func (h headerOnly) WriteHeader(int) {}
