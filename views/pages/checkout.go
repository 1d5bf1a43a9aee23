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
	// StatusSlow is PENDING while the bank has not said for some time what it received.
	StatusSlow = "SLOW"
	// StatusMispaid is a checkout, of any status but PAID, for which money came that does not pay it.
	StatusMispaid = "MISPAID"
)
