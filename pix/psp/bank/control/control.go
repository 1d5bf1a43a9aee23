// Package control asks a bank that is being served on this machine to do what banks and payers
// do: pay a code, return a Pix, contest it, fail. It speaks JSON over the folder's socket.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"syscall"
	"time"
)

// PayRequest pays a BR Code.
type PayRequest struct {
	Code   string `json:"code"`
	Amount int64  `json:"amount,omitempty"` // centavos; 0 is what the code or its charge says
	Late   bool   `json:"late,omitempty"`   // even if the charge has expired
	Twice  bool   `json:"twice,omitempty"`  // two payments, even if the charge is paid
	NoTxID bool   `json:"noTxid,omitempty"` // a payment that does not name its charge
}

// PayAnswer has the ids of the payments.
type PayAnswer struct {
	EndToEndIDs []string `json:"endToEndIds"`
}

// ReturnRequest gives a Pix back: one that the account has received, as its holder in the bank's
// app, or one that it has sent, as its receiver.
type ReturnRequest struct {
	EndToEndID string `json:"endToEndId"`
	Amount     int64  `json:"amount,omitempty"` // centavos; 0 is all that is left
}

// ReturnAnswer describes the return.
type ReturnAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// DisputeRequest contests a payment, as its payer (MED).
type DisputeRequest struct {
	EndToEndID string `json:"endToEndId"`
	Amount     int64  `json:"amount,omitempty"` // centavos; 0 is all that is left
}

// DisputeAnswer has the id of the dispute.
type DisputeAnswer struct {
	ID string `json:"id"`
}

// The outcomes of a dispute.
const (
	OutcomeReturned = "RETURNED"
	OutcomeRejected = "REJECTED"
)

// CloseRequest ends a dispute.
type CloseRequest struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Amount  int64  `json:"amount,omitempty"` // centavos returned; 0 is what was contested
}

// RemoveRequest removes a charge, as the bank.
type RemoveRequest struct {
	TxID string `json:"txid"`
}

// StatusAnswer has the status that something has now.
type StatusAnswer struct {
	Status string `json:"status"`
}

// Fault is a failure. docs/bank.md lists the names and their values.
type Fault struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	On    string `json:"on,omitempty"`    // part of the paths concerned; "" concerns all
	Times int    `json:"times,omitempty"` // how often it happens; 0 is until it is cleared
}

// State sums up a bank and what it has. Amounts are centavos.
type State struct {
	Profile  string      `json:"profile"`  // the bank that it imitates
	Base     string      `json:"base"`     // the URL before /pix
	TokenURL string      `json:"tokenUrl"` // where access tokens are given
	Charges  int         `json:"charges"`
	Active   int         `json:"active"`
	Paid     int         `json:"paid"`
	Removed  int         `json:"removed"`
	Received int64       `json:"received"`
	Returned int64       `json:"returned"`
	Sent     int64       `json:"sent"`
	Blocked  int64       `json:"blocked"`
	Balance  int64       `json:"balance"` // that can be sent
	Notices  int         `json:"notices"` // still to be posted
	Faults   []Fault     `json:"faults"`
	Recent   []StateLine `json:"recent"` // the newest first
}

// StateLine is one transfer or dispute.
type StateLine struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"` // pix, return, payout or dispute
	ID     string    `json:"id"`
	TxID   string    `json:"txid,omitempty"`
	Status string    `json:"status,omitempty"`
	Amount int64     `json:"amount"`
}

// timeout bounds a request. The bank answers them from memory and one write.
const timeout = 30 * time.Second

// Client asks the bank at one socket.
type Client struct {
	socket string
	http   *http.Client
}

// Dial returns a client. It connects with the first request.
func Dial(socket string) Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}, DisableKeepAlives: true}
	return Client{socket, &http.Client{Transport: transport, Timeout: timeout}}
}

// Pay pays a code.
func (c Client) Pay(ctx context.Context, r PayRequest) (a PayAnswer, err error) {
	return a, c.ask(ctx, http.MethodPost, "/pay", r, &a)
}

// Return gives a Pix back.
func (c Client) Return(ctx context.Context, r ReturnRequest) (a ReturnAnswer, err error) {
	return a, c.ask(ctx, http.MethodPost, "/return", r, &a)
}

// Dispute contests a payment.
func (c Client) Dispute(ctx context.Context, r DisputeRequest) (a DisputeAnswer, err error) {
	return a, c.ask(ctx, http.MethodPost, "/med", r, &a)
}

// CloseDispute ends a dispute.
func (c Client) CloseDispute(ctx context.Context, r CloseRequest) (a StatusAnswer, err error) {
	return a, c.ask(ctx, http.MethodPost, "/med-close", r, &a)
}

// Remove removes a charge as the bank.
func (c Client) Remove(ctx context.Context, r RemoveRequest) (a StatusAnswer, err error) {
	return a, c.ask(ctx, http.MethodPost, "/remove", r, &a)
}

// SetFault makes the bank fail.
func (c Client) SetFault(ctx context.Context, f Fault) error {
	return c.ask(ctx, http.MethodPost, "/fault", f, &struct{}{})
}

// ClearFaults ends all faults.
func (c Client) ClearFaults(ctx context.Context) error {
	return c.ask(ctx, http.MethodPost, "/fault/clear", struct{}{}, &struct{}{})
}

// State sums up what the bank has.
func (c Client) State(ctx context.Context) (a State, err error) {
	return a, c.ask(ctx, http.MethodGet, "/state", struct{}{}, &a)
}

// ask sends a request and decodes the answer. A refusal is an error with the bank's sentence.
func (c Client) ask(ctx context.Context, method, path string, request, into any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("bank: encode a request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://bank"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	answer, err := c.http.Do(r)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) {
		dir := filepath.Dir(c.socket)
		return fmt.Errorf("no bank serves %s: run garoupa bank serve %s", dir, dir)
	}
	if err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
			return fmt.Errorf("bank: decode the answer: %w", err)
		}
		return nil
	}
	var refused struct {
		Error string `json:"error"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&refused); err != nil || refused.Error == "" {
		return fmt.Errorf("bank: the answer to %s has the status %d", path, answer.StatusCode)
	}
	return errors.New(refused.Error)
}
