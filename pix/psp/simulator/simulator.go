// Package simulator is the institution for test keys. It issues real BR Codes, valid and
// scannable, whose location is a page of this installation. No bank finds a charge there,
// so no money can move. It stores nothing: a charge depends only on the request.
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

// ISPB identifies the institution of simulated payments. An ISPB is the root of the
// institution's CNPJ; this one is not assigned, and is easy to see in a list.
const ISPB = "99999999"

// Path is the part of a location between host and TxID.
const Path = "/sim/"

// Shown in the payer's app for a merchant whose name or city has no Latin letter.
const (
	unnamed = "LOJA DE TESTE"
	nowhere = "SAO PAULO"
)

// Provider is the simulated institution.
type Provider struct {
	host string
}

var _ psp.Provider = (*Provider)(nil)

// New returns a simulator whose locations are on host: the name and, if necessary, the port
// by which payers reach this installation. A location has room for 77 characters (26.25),
// so host may have 40.
func New(host string) (*Provider, error) {
	txID := pix.ChargeTxID("")
	if limit := pix.MaxLocation - len(Path) - len(txID); len(host) > limit {
		return nil, fmt.Errorf("simulator: host %q has %d characters, a BR Code has room for %d", host,
			len(host), limit)
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

// PutCharge implements psp.Provider. The same charge has the same code.
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

// Pay returns the payment that a bank would report for the charge txID. Each call is
// another payment, with an EndToEndID of its own, of any amount in centavos; the caller
// decides whether the charge accepts it.
func Pay(txID string, amount int64, at time.Time) psp.Payment {
	return psp.Payment{EndToEndID: pix.NewEndToEndID(ISPB, at), TxID: txID, Amount: amount, PaidAt: at}
}

// PayOut returns the EndToEndID of a simulated payout by Pix.
func PayOut(at time.Time) (endToEndID string) { return pix.NewEndToEndID(ISPB, at) }

// TransferUSDT returns a random transaction hash, for a simulated payout in USDT.
func TransferUSDT() (txHash string) {
	var b [32]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}
