package browsertest

import "github.com/chromedp/cdproto/webauthn"

// Authenticator is a device of the page's own that keeps passkeys. It signs as soon as it
// is asked, for whom it verifies.
type Authenticator struct {
	page *Page
	id   webauthn.AuthenticatorID
}

// AddAuthenticator gives the page a device that keeps passkeys, like a phone's own. It
// stays with the page, whatever that opens.
func (p *Page) AddAuthenticator() *Authenticator {
	p.t.Helper()
	call(p, webauthn.Enable, webauthn.EnableParams{})
	added := call(p, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	return &Authenticator{page: p, id: added.AuthenticatorID}
}

// Verify says whether the device finds that its owner holds it, from now on.
func (a *Authenticator) Verify(owner bool) {
	a.page.t.Helper()
	call(a.page, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: owner})
}
