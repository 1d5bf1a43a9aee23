package pages

// The states of destinations as pages tell them.
const (
	DestinationReview   = "REVIEW"
	DestinationHeld     = "HELD" // approved, and not yet usable
	DestinationActive   = "ACTIVE"
	DestinationRejected = "REJECTED"
	DestinationReplaced = "REPLACED"
	DestinationRemoved  = "REMOVED"
)
