package pages

// The states of a checkout (contract 3.1).
const (
	StatusPending   = "PENDING"
	StatusPaid      = "PAID"
	StatusExpired   = "EXPIRED"
	StatusCancelled = "CANCELLED"
	// StatusStopped is not a state of a checkout: the checkout is PENDING, but its merchant
	// may not charge now.
	StatusStopped = "STOPPED"
)
