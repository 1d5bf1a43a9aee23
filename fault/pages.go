package fault

// Codes of operations that only pages call, the dashboard's and the console's: the
// API never answers with them.
const (
	// ChangedMeanwhile: somebody changed the thing since the caller looked at it.
	ChangedMeanwhile Code = "changed_meanwhile"
	// WrongState: the thing is in a state in which this cannot be done to it.
	WrongState Code = "wrong_state"
	// SecondPersonRequired: another person has to agree before this happens.
	SecondPersonRequired Code = "second_person_required"
	// QuoteWorse: the exchange rate got so much worse that the merchant's consent to
	// it no longer holds.
	QuoteWorse Code = "quote_worse"
	// ReasonRequired: the act needs a reason of 1 to 500 characters, or its code.
	ReasonRequired Code = "reason_required"
	// ProofRequired: the act needs the payment's id at the institution or network.
	ProofRequired Code = "proof_required"
	// ProofTaken: another withdrawal or refund has this id.
	ProofTaken Code = "proof_taken"
	// InvalidDestination: the address is none of its kind; the cause says why.
	InvalidDestination Code = "invalid_destination"
	// DestinationInReview: another destination of the rail waits for its review.
	DestinationInReview Code = "destination_in_review"
	DestinationNotFound Code = "destination_not_found"
	PaymentNotFound     Code = "payment_not_found"
	BlockNotFound       Code = "block_not_found"
)
