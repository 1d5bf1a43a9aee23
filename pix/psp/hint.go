package psp

// Hint is what a notice of the bank is about. Each field may be "".
type Hint struct {
	TxID       string // of a charge
	EndToEndID string // of a received Pix
	ReturnID   string // of a return of that Pix
}
