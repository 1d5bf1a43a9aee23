// Package control asks a bank that is being served on this machine to do what banks and payers
// do: pay a code, return a Pix, contest it, fail. It speaks JSON over the folder's socket.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// maxAnswer bounds an answer in bytes. A state has at most 20 lines.
const maxAnswer = 1 << 20

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
func (c Client) Pay(ctx context.Context, r PayRequest) (PayAnswer, error) {
	return ask[PayAnswer](ctx, c, http.MethodPost, "/pay", r)
}

// Return gives a Pix back.
func (c Client) Return(ctx context.Context, r ReturnRequest) (ReturnAnswer, error) {
	return ask[ReturnAnswer](ctx, c, http.MethodPost, "/return", r)
}

// Dispute contests a payment.
func (c Client) Dispute(ctx context.Context, r DisputeRequest) (DisputeAnswer, error) {
	return ask[DisputeAnswer](ctx, c, http.MethodPost, "/med", r)
}

// CloseDispute ends a dispute.
func (c Client) CloseDispute(ctx context.Context, r CloseRequest) (StatusAnswer, error) {
	return ask[StatusAnswer](ctx, c, http.MethodPost, "/med-close", r)
}

// Remove removes a charge as the bank.
func (c Client) Remove(ctx context.Context, r RemoveRequest) (StatusAnswer, error) {
	return ask[StatusAnswer](ctx, c, http.MethodPost, "/remove", r)
}

// SetFault makes the bank fail.
func (c Client) SetFault(ctx context.Context, f Fault) error {
	_, err := ask[struct{}](ctx, c, http.MethodPost, "/fault", f)
	return err
}

// ClearFaults ends all faults.
func (c Client) ClearFaults(ctx context.Context) error {
	_, err := ask[struct{}](ctx, c, http.MethodPost, "/fault/clear", struct{}{})
	return err
}

// State sums up what the bank has.
func (c Client) State(ctx context.Context) (State, error) {
	return ask[State](ctx, c, http.MethodGet, "/state", struct{}{})
}

// ask sends a request and decodes the answer. A refusal is an error with the bank's sentence.
func ask[Answer any](ctx context.Context, c Client, method, path string, request any) (into Answer, err error) {
	body, err := json.Marshal(request)
	if err != nil {
		return into, fmt.Errorf("bank: encode a request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://bank"+path, bytes.NewReader(body))
	if err != nil {
		return into, fmt.Errorf("bank: %w", err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return into, c.unanswered(err)
	}
	defer answer.Body.Close()
	text := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer))
	if answer.StatusCode == http.StatusOK {
		if err := text.Decode(&into); err != nil {
			return into, fmt.Errorf("bank: decode the answer: %w", err)
		}
		return into, nil
	}
	var refused struct {
		Error string `json:"error"`
	}
	if err := text.Decode(&refused); err != nil || refused.Error == "" {
		return into, fmt.Errorf("bank: the answer to %s has the status %d", path, answer.StatusCode)
	}
	return into, errors.New(refused.Error)
}

// unanswered says why there is no answer. A socket that nothing listens at is the rest of a bank
// that was killed.
func (c Client) unanswered(err error) error {
	dir := filepath.Dir(c.socket)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("no bank serves %s: run garoupa bank serve %s", dir, dir)
	}
	if timed, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && timed.Timeout() {
		return fmt.Errorf("the bank in %s did not answer in time: %w", dir, err)
	}
	return fmt.Errorf("bank: %w", err)
}
