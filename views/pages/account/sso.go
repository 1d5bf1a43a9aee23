package account

import "garoupa/views/layouts"

// SSO is the company's own log-in, an OpenID Connect provider.
type SSO struct {
	Name string // of the provider; "" means that the installation has no provider
	Only bool   // it is the only way to log in
}

// SSOProblem is why a log-in at the company's provider gave no access.
type SSOProblem string

// The problems; each has texts of its own.
const (
	SSODown       SSOProblem = "down"
	SSOCancelled  SSOProblem = "cancelled"  // the person, or the provider, refused
	SSOStale      SSOProblem = "stale"      // began in another browser, or too long ago, or was used
	SSONoPerson   SSOProblem = "no_person"  // no person here has the identity
	SSOUnverified SSOProblem = "unverified" // the email is not verified, there or here
	SSOProof      SSOProblem = "proof"      // the proof of identity is another person's, or too old
)

// SSOProblemProps is GET /entrar/sso and its return, if they give no access.
type SSOProblemProps struct {
	layouts.AuthProps
	Problem SSOProblem
	Name    string // of the provider
	Wait    string // why the person must wait, in place of the problem's text; "" if not
	Again   string // where to begin anew
}

// SSOOnlyProps stands in place of pages for passwords that log no one in.
type SSOOnlyProps struct {
	layouts.AuthProps
	Name string // of the provider
}

// SSODoneProps is the end of a proof in a tab of its own.
type SSODoneProps struct{ layouts.AuthProps }
