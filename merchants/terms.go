package merchants

import (
	"time"

	"garoupa/models"
)

// Acceptance is the acceptance of the installation's terms of use by a person who signs up.
type Acceptance struct {
	TermsURL string // the URL of the terms; "" if there are none, and no acceptance is needed
	Accepted bool
}

func (a Acceptance) check(problems Invalid) {
	if a.TermsURL != "" && !a.Accepted {
		problems["terms"] = Missing
	}
}

// note records the accepted terms and the time in user.
func (a Acceptance) note(user *models.User, now time.Time) {
	if a.TermsURL != "" {
		user.TermsURL, user.TermsAcceptedAt = &a.TermsURL, &now
	}
}
