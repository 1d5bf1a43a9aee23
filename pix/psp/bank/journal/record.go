package journal

import "time"

// ChargeStatus is the status of an immediate charge, in the words of BACEN's API Pix.
type ChargeStatus string

// The statuses of a charge. An expired charge stays Active.
const (
	Active            ChargeStatus = "ATIVA"
	Paid              ChargeStatus = "CONCLUIDA"
	RemovedByReceiver ChargeStatus = "REMOVIDA_PELO_USUARIO_RECEBEDOR"
	RemovedByBank     ChargeStatus = "REMOVIDA_PELO_PSP"
)

// Charge is one revision of an immediate charge (cob).
type Charge struct {
	TxID       string       `json:"txid"`
	Revision   int          `json:"revision"` // from 0
	Status     ChargeStatus `json:"status"`
	CreatedAt  time.Time    `json:"createdAt"`
	Expiration int          `json:"expiration"` // seconds after CreatedAt
	Amount     int64        `json:"amount"`     // centavos
	Changeable bool         `json:"changeable,omitempty"`
	Key        string       `json:"key"`
	Payer      *Person      `json:"payer,omitempty"`
	Message    string       `json:"message,omitempty"` // to the payer
	Infos      []Info       `json:"infos,omitempty"`
	LocationID int          `json:"locationId"`
}

// PayableUntil returns the moment after which the bank refuses to pay the charge.
func (c Charge) PayableUntil() time.Time {
	return c.CreatedAt.Add(time.Duration(c.Expiration) * time.Second)
}

// Person is the debtor of a charge. One of CPF and CNPJ is set.
type Person struct {
	CPF  string `json:"cpf,omitempty"`
	CNPJ string `json:"cnpj,omitempty"`
	Name string `json:"name"`
}

// Info is a name and a value that the payer's app shows.
type Info struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Location is an address below which a payer's app finds a charge. Its id is its position,
// from 1.
type Location struct {
	ID        int       `json:"id"`
	Token     string    `json:"token"` // the last element of the address, not guessable
	TxID      string    `json:"txid,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
}

// Payment is a Pix that the account has received.
type Payment struct {
	EndToEndID string    `json:"endToEndId"`
	TxID       string    `json:"txid,omitempty"`
	Amount     int64     `json:"amount"` // centavos
	Key        string    `json:"key"`
	At         time.Time `json:"at"`
	Returns    []Return  `json:"returns,omitempty"`
}

// TransferStatus is the status of money that leaves the account.
type TransferStatus string

// The statuses of returns (devolução) and of payouts. A payout is Done as REALIZADO.
const (
	Processing TransferStatus = "EM_PROCESSAMENTO"
	Returned   TransferStatus = "DEVOLVIDO"
	Done       TransferStatus = "REALIZADO"
	Refused    TransferStatus = "NAO_REALIZADO"
)

// Nature says who asked for a return.
type Nature string

// The natures of returns of an immediate charge.
const (
	Original Nature = "ORIGINAL"
	MEDFraud Nature = "MED_FRAUDE"
)

// Return gives a payment back, whole or in part.
type Return struct {
	ID          string         `json:"id"`
	RtrID       string         `json:"rtrId"` // assigned by the payment system
	Amount      int64          `json:"amount"`
	Nature      Nature         `json:"nature"`
	Description string         `json:"description,omitempty"`
	Status      TransferStatus `json:"status"`
	Reason      string         `json:"reason,omitempty"`
	AskedAt     time.Time      `json:"askedAt"`
	DueAt       time.Time      `json:"dueAt,omitzero"` // when a return in process ends
	EndedAt     time.Time      `json:"endedAt,omitzero"`
}

// Payout is a Pix that the account has sent.
type Payout struct {
	ID         string         `json:"id"` // chosen by the account's software
	EndToEndID string         `json:"endToEndId"`
	Amount     int64          `json:"amount"`
	Key        string         `json:"key"` // of the receiver
	Status     TransferStatus `json:"status"`
	Reason     string         `json:"reason,omitempty"`
	AskedAt    time.Time      `json:"askedAt"`
	DueAt      time.Time      `json:"dueAt,omitzero"`
	EndedAt    time.Time      `json:"endedAt,omitzero"`
	Returns    []Return       `json:"returns,omitempty"` // by the receiver
}

// DisputeStatus is the state of a payer's claim.
type DisputeStatus string

// The states of a dispute.
const (
	DisputeOpen     DisputeStatus = "OPEN"
	DisputeReturned DisputeStatus = "RETURNED"
	DisputeRejected DisputeStatus = "REJECTED"
)

// Dispute is a payer's claim of fraud (MED). Its amount is blocked while it is open.
type Dispute struct {
	ID         string        `json:"id"`
	EndToEndID string        `json:"endToEndId"`
	Amount     int64         `json:"amount"`
	Status     DisputeStatus `json:"status"`
	OpenedAt   time.Time     `json:"openedAt"`
	AnswerBy   time.Time     `json:"answerBy"`
	Agrees     bool          `json:"agrees,omitempty"`  // what the account's holder answered
	Defense    string        `json:"defense,omitempty"` // "" before an answer
	AnsweredAt time.Time     `json:"answeredAt,omitzero"`
	ClosedAt   time.Time     `json:"closedAt,omitzero"`
}

// Webhook is where the bank posts notices about one key.
type Webhook struct {
	Key       string    `json:"key"`
	URL       string    `json:"url"`
	CreatedAt time.Time `json:"createdAt"`
	Removed   bool      `json:"removed,omitempty"`
}

// Notice is a message about a payment or a payout, still to be posted or done.
type Notice struct {
	ID         int       `json:"id"` // its position, from 1
	EndToEndID string    `json:"endToEndId"`
	Tries      int       `json:"tries,omitempty"`
	NextAt     time.Time `json:"nextAt"`
	Done       bool      `json:"done,omitempty"`
}

// Fault is a failure that was requested.
type Fault struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	On    string `json:"on,omitempty"`    // part of the paths concerned; "" concerns all
	Times int    `json:"times,omitempty"` // how often it still happens; 0 has no end
}
