package browsertest

import "github.com/chromedp/cdproto/webauthn"

// Authenticator is a device in the page that keeps passkeys. It signs at once, and says
// whether it verified its owner.
type Authenticator struct {
	page *Page
	id   webauthn.AuthenticatorID
}

// AddAuthenticator gives the page a device that keeps passkeys, like that of a phone. It stays
// with the page across navigations.
func (p *Page) AddAuthenticator() *Authenticator {
	p.t.Helper()
	call(p, webauthn.Enable, webauthn.EnableParams{})
	added := call(p, webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
	return &Authenticator{page: p, id: added.AuthenticatorID}
}

// Verify sets whether the device verifies its owner, from now on.
func (a *Authenticator) Verify(owner bool) {
	a.page.t.Helper()
	call(a.page, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: owner})
}
