// Package simulator is the institution behind test keys. It issues real BR Codes, valid
// and scannable, whose location is a page of this installation: no bank finds a charge
// there, so no money can follow one. It keeps nothing: a charge is a function of what
// was asked for.
package simulator

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp"
)

// ISPB is the institution that simulated payments seem to come from. An ISPB is the root
// of the institution's CNPJ; this one belongs to nobody and stands out in a list.
const ISPB = "99999999"

// Path is what stands between host and TxID in a location.
const Path = "/sim/"

// What the payer's app shows for a merchant whose name or city has no Latin letter.
const (
	unnamed = "LOJA DE TESTE"
	nowhere = "SAO PAULO"
)

// Provider is the simulated institution.
type Provider struct {
	host string
}

var _ psp.Provider = (*Provider)(nil)

// New returns a simulator whose locations stand on host, the name and, if need be, port
// under which payers reach this installation. A location has room for 77 characters
// (26.25), which leaves a host 40.
func New(host string) (*Provider, error) {
	txID := pix.ChargeTxID("")
	if limit := pix.MaxLocation - len(Path) - len(txID); len(host) > limit {
		return nil, fmt.Errorf("simulator: host %q has %d characters, a BR Code has room for %d", host, len(host), limit)
	}
	if strings.Contains(host, "/") {
		return nil, fmt.Errorf("simulator: host %q has a scheme or a path", host)
	}
	p := &Provider{host: host}
	if _, err := p.PutCharge(context.Background(), psp.Charge{TxID: txID, Amount: 1}); err != nil {
		return nil, fmt.Errorf("simulator: host %q: %w", host, err)
	}
	return p, nil
}

// PutCharge issues the code at once. The same charge has the same code.
func (p *Provider) PutCharge(_ context.Context, c psp.Charge) (psp.Issued, error) {
	if !pix.ValidChargeTxID(c.TxID) {
		return psp.Issued{}, fmt.Errorf("simulator: TxID %q is not 26 to 35 letters and digits", c.TxID)
	}
	if c.Amount < 1 {
		return psp.Issued{}, fmt.Errorf("simulator: charge %s is for %d centavos", c.TxID, c.Amount)
	}
	code, err := pix.Encode(pix.Code{
		Initiation:   pix.SingleUse,
		Location:     p.host + Path + c.TxID,
		Amount:       c.Amount,
		MerchantName: cmp.Or(pix.ASCII(c.MerchantName, pix.MaxName), unnamed),
		MerchantCity: cmp.Or(pix.ASCII(c.City, pix.MaxCity), nowhere),
	})
	if err != nil {
		return psp.Issued{}, fmt.Errorf("simulator: charge %s: %w", c.TxID, err)
	}
	return psp.Issued{CopyPaste: code}, nil
}

// Pay returns the payment a bank would report for the charge txID. Each call is another
// payment, with an EndToEndID of its own, for whatever amount in centavos; whether the
// charge wants it is for the caller to decide.
func Pay(txID string, amount int64, at time.Time) psp.Payment {
	return psp.Payment{EndToEndID: pix.NewEndToEndID(ISPB, at), TxID: txID, Amount: amount, PaidAt: at}
}

// PayOut returns the EndToEndID of a payout by Pix that this institution made.
func PayOut(at time.Time) (endToEndID string) { return pix.NewEndToEndID(ISPB, at) }

// TransferUSDT returns the hash of a transaction that no network knows, as for a
// payout in USDT.
func TransferUSDT() (txHash string) {
	var b [32]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}
