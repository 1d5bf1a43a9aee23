package pages

import (
	"net/url"

	"github.com/a-h/templ"
)

// The values of the query's proof: what a log-in at the company's provider is for, if the person is
// logged in.
const (
	SSOProofHere = "here" // a proof of identity, after which the tab goes on
	SSOProofTab  = "tab"  // a proof in a tab of its own
)

// SSOPath is where a log-in at the company's provider begins, which leads on to next.
func SSOPath(next, proof string) templ.SafeURL {
	query := url.Values{}
	for name, value := range map[string]string{"next": next, "proof": proof} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return "/entrar/sso"
	}
	return templ.SafeURL("/entrar/sso?" + query.Encode())
}
