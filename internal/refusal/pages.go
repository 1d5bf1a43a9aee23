package refusal

// Codes of operations that only pages call, in the dashboard and the console. The API never
// answers with them.
const (
	// ChangedMeanwhile: the object has changed since the caller saw it.
	ChangedMeanwhile Code = "changed_meanwhile"
	// WrongState: the object's state does not permit the operation.
	WrongState Code = "wrong_state"
	// AccountStopped: nothing of the account is approved or paid out while it is suspended,
	// its withdrawals are blocked or it has no production access.
	AccountStopped Code = "account_stopped"
	// SecondPersonRequired: another person has to agree before this happens.
	SecondPersonRequired Code = "second_person_required"
	// ProposerGone: the person who proposed this no longer has the right to.
	ProposerGone Code = "proposer_gone"
	// QuoteWorse: the exchange rate got so much worse that the merchant's consent to
	// it no longer holds.
	QuoteWorse Code = "quote_worse"
	// ReasonRequired: the act needs a reason of 10 to 500 characters, or its code.
	ReasonRequired Code = "reason_required"
	// ProofRequired: the act needs the payment's id at the institution or network.
	ProofRequired Code = "proof_required"
	// ProofTaken: another withdrawal or refund has this id.
	ProofTaken Code = "proof_taken"
	// InvalidDestination: the address is not valid for its kind; the cause says why.
	InvalidDestination Code = "invalid_destination"
	// DestinationInReview: another destination of the rail waits for its review.
	DestinationInReview Code = "destination_in_review"
	DestinationNotFound Code = "destination_not_found"
	// DefenseRequired: the answer to a dispute needs a text, which has a limit.
	DefenseRequired Code = "defense_required"
	// InvalidFile: the file has another type than is allowed, is too large, or is one too many.
	InvalidFile     Code = "invalid_file"
	PaymentNotFound Code = "payment_not_found"
	BlockNotFound   Code = "block_not_found"
)
