package models

// Environment is where a key, a payment or a line of the books lives. It is stored in the
// columns livemode and sent in the API's field livemode, and is a boolean in both.
type Environment bool

// The two environments. Their data never mixes (docs/rules.md, "Accounts and projects").
const (
	Test Environment = false
	Live Environment = true
)

// String returns "test" or "live". The ledger's books and the ids of payment links are derived
// from these words, so the words must not change.
func (e Environment) String() string {
	if e == Live {
		return "live"
	}
	return "test"
}

// Other returns Live for Test, and Test for Live.
func (e Environment) Other() Environment { return !e }

// ParseEnvironment returns Live for the word "live", and Test for every other text, because a
// mistake in test costs nothing.
func ParseEnvironment(word string) Environment { return word == Live.String() }
