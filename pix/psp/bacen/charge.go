package bacen

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp"
)

const (
	putTime      = 8 * time.Second  // that one PUT or PATCH of a charge may take
	readTime     = 10 * time.Second // that one read may take
	creationTime = 15 * time.Second // that a whole creation may take
)

// chargeAnswer is a charge as banks write it (CobCompleta).
type chargeAnswer struct {
	Calendar struct {
		Created    moment  `json:"criacao"`
		Expiration integer `json:"expiracao"`
	} `json:"calendario"`
	TxID     text    `json:"txid"`
	Revision integer `json:"revisao"`
	Status   text    `json:"status"`
	Value    struct {
		Original amount `json:"original"`
	} `json:"valor"`
	Key      text `json:"chave"`
	Location text `json:"location"`
	Loc      struct {
		Location text `json:"location"`
	} `json:"loc"`
	Payments list[paymentAnswer] `json:"pix"`
}

// payableUntil returns zero if the bank does not say it.
func (a chargeAnswer) payableUntil() time.Time {
	if a.Calendar.Created.time().IsZero() || a.Calendar.Expiration < 1 {
		return time.Time{}
	}
	return a.Calendar.Created.time().Add(time.Duration(a.Calendar.Expiration) * time.Second)
}

func chargeStatus(word string) psp.ChargeStatus {
	word = strings.ToUpper(strings.TrimSpace(word))
	switch {
	case word == "ATIVA":
		return psp.ChargeActive
	case word == "CONCLUIDA":
		return psp.ChargePaid
	case strings.HasPrefix(word, "REMOVIDA_"), strings.HasPrefix(word, "REMOVIDO_"): // API Pix has both
		return psp.ChargeRemoved
	}
	return psp.ChargeUnknown
}

// state reads a charge and checks that it is the one asked for. reason says why it has no code.
func (c *Client) state(body []byte, txID, name, city string) (s psp.ChargeState, reason string, err error) {
	a, err := decode[chargeAnswer](body)
	switch {
	case err != nil:
		return s, "", err
	case a.TxID != "" && string(a.TxID) != txID:
		return s, "", protocol("the answer is about another charge")
	case a.Value.Original < 1:
		return s, "", protocol("the answer has no amount")
	}
	s = psp.ChargeState{
		Status: chargeStatus(string(a.Status)), RawStatus: cut(string(a.Status), 64), Key: string(a.Key),
		Amount: int64(a.Value.Original), CreatedAt: a.Calendar.Created.time(), PayableUntil: a.payableUntil(),
		Revision: int(a.Revision),
	}
	s.CopyPaste, reason = c.codeOf(body, a, name, city)
	for _, p := range a.Payments {
		payment, err := p.payment()
		if err != nil {
			return s, "", err
		}
		if payment.TxID == "" {
			payment.TxID = txID
		}
		s.Payments = append(s.Payments, payment)
	}
	return s, reason, nil
}

func (c *Client) chargeCall(op, method, txID string) call {
	k := call{op: op, method: method, url: c.url("cob", txID), scope: "cob.write", time: putTime, about: txID}
	if method == http.MethodGet {
		k.scope, k.time, k.rank = "cob.read", readTime, look
	}
	return k
}

// PutCharge implements psp.Provider: PUT /cob/{txid}. It takes 15 seconds at most.
func (c *Client) PutCharge(ctx context.Context, charge psp.Charge) (psp.Issued, error) {
	k := c.chargeCall("put charge", http.MethodPut, charge.TxID)
	var err error
	if k.body, err = encodeCharge(charge, c.options.PixKey); err != nil {
		return psp.Issued{}, named(err, k.op)
	}
	var got psp.Issued
	var wrong error
	k.check = func(body []byte) error { // so that a wrong answer is counted and logged
		if got, wrong = c.issued(body, charge, psp.Protocol); kindOf(wrong) == psp.Protocol {
			return wrong
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, creationTime)
	defer cancel()
	answered := func([]byte) (psp.Issued, error) { return got, wrong }
	return write(ctx, c, k, answered, func(ctx context.Context) (psp.Issued, bool, error) {
		look := c.chargeCall("read charge", http.MethodGet, charge.TxID)
		look.rank = first
		body, err := c.read(ctx, look)
		if err != nil {
			return psp.Issued{}, false, err
		}
		issued, err := c.issued(body, charge, psp.Conflict)
		return issued, true, err
	})
}

// issued checks that the bank has the charge that was asked for, and that a payer can pay it. If it
// is another one, the error has the kind other.
func (c *Client) issued(body []byte, charge psp.Charge, other psp.Kind) (psp.Issued, error) {
	s, reason, err := c.state(body, charge.TxID, charge.MerchantName, charge.City)
	switch {
	case err != nil:
		return psp.Issued{}, err
	case s.Amount != charge.Amount:
		return psp.Issued{}, &psp.Error{Kind: other,
			Detail: "the charge is for " + decimal(s.Amount) + ", and not for " + decimal(charge.Amount)}
	case s.Key != "" && !strings.EqualFold(s.Key, c.options.PixKey):
		return psp.Issued{}, &psp.Error{Kind: other, Detail: "the charge is for another Pix key"}
	case s.Status == psp.ChargeRemoved:
		return psp.Issued{}, &psp.Error{Kind: psp.Conflict, Detail: "the charge was removed"}
	case s.Status == psp.ChargeUnknown && s.RawStatus != "":
		return psp.Issued{}, protocol("the charge has the unknown status " + s.RawStatus)
	case s.CopyPaste == "":
		return psp.Issued{}, protocol(reason)
	}
	return psp.Issued{CopyPaste: s.CopyPaste, CreatedAt: s.CreatedAt, PayableUntil: s.PayableUntil,
		Revision: s.Revision}, nil
}

// Charge implements psp.Bank: GET /cob/{txid}.
func (c *Client) Charge(ctx context.Context, txID string) (psp.ChargeState, error) {
	k := c.chargeCall("read charge", http.MethodGet, txID)
	if !pix.ValidChargeTxID(txID) {
		return psp.ChargeState{}, named(invalid("the TxID is not 26 to 35 letters and digits"), k.op)
	}
	body, err := c.read(ctx, k)
	if err != nil {
		return psp.ChargeState{}, err
	}
	s, _, err := c.state(body, txID, "", "")
	return s, named(err, k.op)
}

// RemoveCharge implements psp.Bank: PATCH /cob/{txid} with the status alone.
func (c *Client) RemoveCharge(ctx context.Context, txID string) (psp.ChargeState, error) {
	k := c.chargeCall("remove charge", http.MethodPatch, txID)
	if !pix.ValidChargeTxID(txID) {
		return psp.ChargeState{}, named(invalid("the TxID is not 26 to 35 letters and digits"), k.op)
	}
	var err error
	k.body, err = json.Marshal(map[string]string{"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})
	if err != nil {
		return psp.ChargeState{}, named(err, k.op)
	}
	return write(ctx, c, k, func(body []byte) (psp.ChargeState, error) {
		s, _, err := c.state(body, txID, "", "")
		return s, err
	}, func(ctx context.Context) (psp.ChargeState, bool, error) {
		s, err := c.Charge(ctx, txID)
		return s, err == nil && (s.Status == psp.ChargePaid || s.Status == psp.ChargeRemoved), err
	})
}
