package web

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/sessions"

	"garoupa/merchants"
	"garoupa/vault"
)

const sessionCookie = "garoupa_session"

// newSessionStore keeps sessions in a cookie that only this installation can read
// and write: all it holds is the token of a row and what the next page is to say.
func newSessionStore(v *vault.Vault, appURL string) sessions.Store {
	store := sessions.NewCookieStore(v.Key("session/sign"), v.Key("session/encrypt"))
	store.Options = &sessions.Options{
		Path: "/", MaxAge: int(merchants.SessionLifetime.Seconds()), HttpOnly: true,
		Secure: strings.HasPrefix(appURL, "https://"), SameSite: http.SameSiteLaxMode,
	}
	store.MaxAge(store.Options.MaxAge)
	return store
}

// gorilla/sessions speaks net/http and Fiber speaks fasthttp. What a session needs
// of a request is its cookies and of an answer its Set-Cookie headers, so the
// functions below carry just those across.

// session returns the visitor's session, a new one if the cookie does not verify.
func (s *server) session(c *fiber.Ctx) *sessions.Session {
	sess, _ := s.sessions.Get(netRequest(c), sessionCookie) // an error comes with a usable, empty session
	return sess
}

// save writes sess into the answer. Call it before rendering.
func (s *server) save(c *fiber.Ctx, sess *sessions.Session) error {
	w := headerOnly{}
	if err := s.sessions.Save(netRequest(c), w, sess); err != nil {
		return err
	}
	for _, cookie := range w["Set-Cookie"] {
		c.Response().Header.Add("Set-Cookie", cookie)
	}
	return nil
}

type netRequestKey struct{}

// netRequest returns the one *http.Request of c: gorilla keeps its sessions in it.
func netRequest(c *fiber.Ctx) *http.Request {
	if r, ok := c.Locals(netRequestKey{}).(*http.Request); ok {
		return r
	}
	r := (&http.Request{Header: http.Header{"Cookie": {c.Get("Cookie")}}}).WithContext(c.UserContext())
	c.Locals(netRequestKey{}, r)
	return r
}

// headerOnly is an http.ResponseWriter that keeps headers and refuses a body.
type headerOnly http.Header

func (h headerOnly) Header() http.Header       { return http.Header(h) }
func (h headerOnly) Write([]byte) (int, error) { return 0, http.ErrBodyNotAllowed }
func (h headerOnly) WriteHeader(int)           {}
