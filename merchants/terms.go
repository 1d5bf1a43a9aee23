package merchants

import (
	"time"

	"garoupa/models"
)

// Acceptance is what somebody who makes a log-in says to the installation's terms of
// use.
type Acceptance struct {
	TermsURL string // where the terms stand; "" where there are none, and nothing is asked
	Accepted bool
}

func (a Acceptance) check(problems Invalid) {
	if a.TermsURL != "" && !a.Accepted {
		problems["terms"] = Missing
	}
}

// note keeps with the person which terms they accepted, and when.
func (a Acceptance) note(user *models.User, now time.Time) {
	if a.TermsURL != "" {
		user.TermsURL, user.TermsAcceptedAt = &a.TermsURL, &now
	}
}
