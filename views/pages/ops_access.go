package pages

import (
	"time"

	"garoupa/views/layouts"
)

// OpsAccessProps is GET /ops/acessos/{id}: a request for production access with what
// it takes to decide about it.
type OpsAccessProps struct {
	Shell       layouts.OpsShell
	ID          string
	Status      string
	SubmittedAt time.Time
	SubmittedBy string // name and e-mail
	Late        bool
	Answers     AccessAnswers
	Account     OpsAccountHead
	History     []OpsEvent    // requests and decisions of the account
	Others      []OpsItem     // requests of other accounts under the same document
	Changed     string        // who decided meanwhile, and when; "" if nobody did
	Decision    *DecisionForm // nil: nothing to decide
}
