package psp

// Finding is the result of one check of a bank account.
type Finding struct {
	Check string // what was tried, one or two words
	OK    bool
	Text  string // what was found, or one sentence what to do
}
