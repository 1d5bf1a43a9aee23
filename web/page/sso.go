package page

import "github.com/gofiber/fiber/v2"

// SSOReturnPath is where the company's OpenID Connect provider leads browsers back.
const SSOReturnPath = "/entrar/sso/retorno"

// SSOName returns the name of the company's provider, or "" if the company has no provider.
func (s *Site) SSOName() string {
	if s.Merchants.SSO == nil {
		return ""
	}
	return s.Merchants.SSO.Name
}

// GuessSSO counts an answer of the provider among the failed log-ins from this address, as GuessPassword
// does.
func (s *Site) GuessSSO(c *fiber.Ctx) (g Guess, wait string) {
	g.site = s
	wait = g.take(c, s.Limits.FailedLogIn, AddressKey(c))
	return g, wait
}
