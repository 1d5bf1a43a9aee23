package bacen

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"garoupa/internal/taxid"
	"garoupa/pix/psp"
)

// payoutTime is how long the request for a payout may take.
const payoutTime = 30 * time.Second

// efiURL returns the address of one of Efí's own resources, which have versions of their own.
func (c *Client) efiURL(path string) string { return strings.TrimSuffix(c.base, "/v2") + path }

// sentAnswer is a payout as Efí writes it: the answer to the request names the EndToEndID e2eId, the
// others endToEndId.
type sentAnswer struct {
	ID         text   `json:"idEnvio"`
	E2E        text   `json:"e2eId"`
	EndToEndID text   `json:"endToEndId"`
	Value      amount `json:"valor"`
	Status     text   `json:"status"`
	Reason     text   `json:"motivo"`
	Times      struct {
		Asked moment `json:"solicitacao"`
		Ended moment `json:"liquidacao"`
	} `json:"horario"`
	Returns list[returnAnswer] `json:"devolucoes"`
}

func readSent(body []byte, id string) (psp.Sent, error) {
	a, err := decode[sentAnswer](body)
	switch {
	case err != nil:
		return psp.Sent{}, err
	case a.ID != "" && string(a.ID) != id:
		return psp.Sent{}, protocol("the answer is about another payout")
	}
	s := psp.Sent{ID: id, EndToEndID: idOrNone(text(firstOf(a.EndToEndID, a.E2E))), Amount: int64(a.Value),
		Status: transferStatus(string(a.Status)), RawStatus: cut(string(a.Status), 64), Reason: mask(string(a.Reason)),
		AskedAt: a.Times.Asked.time(), EndedAt: a.Times.Ended.time()}
	for _, r := range a.Returns {
		returned, err := r.result()
		if err != nil {
			return psp.Sent{}, err
		}
		s.Returns = append(s.Returns, returned)
	}
	return s, nil
}

// encodePayout refuses what Efí would not accept.
func encodePayout(p psp.Payout, key string) ([]byte, error) {
	switch {
	case !validID(p.ID) || len(p.ID) > 35:
		return nil, invalid("the id of the payout is not 1 to 35 letters and digits")
	case p.Amount < 1 || p.Amount > maxCentavos:
		return nil, invalid("the amount is not from 0.01 to 9999999999.99")
	case p.Key == "":
		return nil, invalid("the receiver's key is missing")
	}
	receiver := map[string]string{"chave": p.Key}
	if p.Document != "" {
		cpf, isCPF := taxid.ParseCPF(p.Document)
		cnpj, isCNPJ := taxid.ParseCNPJ(p.Document)
		switch {
		case isCPF:
			receiver["cpf"] = cpf
		case isCNPJ:
			receiver["cnpj"] = cnpj
		default:
			return nil, invalid("the receiver's document is neither a CPF nor a CNPJ")
		}
	}
	payer := map[string]string{"chave": key}
	if note := plain(p.Note, maxMessage); note != "" {
		payer["infoPagador"] = note
	}
	return json.Marshal(map[string]any{"valor": decimal(p.Amount), "pagador": payer, "favorecido": receiver})
}

// Send implements psp.Payer: PUT /v3/gn/pix/{idEnvio} of Efí.
func (e efiPayer) Send(ctx context.Context, p psp.Payout) (psp.Sent, error) {
	k := call{op: "send payout", method: http.MethodPut, scope: "pix.send", time: payoutTime, about: p.ID}
	var err error
	if k.body, err = encodePayout(p, e.c.options.PixKey); err != nil {
		return psp.Sent{}, named(err, k.op)
	}
	k.url = e.c.efiURL("/v3/gn/pix/" + p.ID)
	body, err := e.c.once(ctx, k)
	if err == nil && len(body) == 0 {
		return psp.Sent{ID: p.ID, Amount: p.Amount}, nil // accepted; Sent tells more
	}
	var s psp.Sent
	if err == nil {
		s, err = readSent(body, p.ID)
	}
	if err == nil && s.Amount != 0 && s.Amount != p.Amount {
		err = protocol("the payout is of " + decimal(s.Amount) + ", and not of " + decimal(p.Amount))
	}
	var answer *psp.Error
	if errors.As(err, &answer) && answer.Kind == psp.Protocol { // the bank has taken it, whatever it answered
		taken := *answer
		taken.Kind = psp.Ambiguous
		err = &taken
	}
	if err != nil {
		return psp.Sent{}, named(err, k.op)
	}
	return s, nil
}

// Sent implements psp.Payer: GET /v2/gn/pix/enviados/id-envio/{idEnvio} of Efí.
func (e efiPayer) Sent(ctx context.Context, id string) (psp.Sent, error) {
	k := call{op: "read payout", method: http.MethodGet, scope: "gn.pix.send.read", time: readTime, rank: look,
		about: id}
	if !validID(id) {
		return psp.Sent{}, named(invalid("the id of the payout is not letters and digits"), k.op)
	}
	k.url = e.c.efiURL("/v2/gn/pix/enviados/id-envio/" + id)
	body, err := e.c.read(ctx, k)
	if err != nil {
		return psp.Sent{}, err
	}
	s, err := readSent(body, id)
	return s, named(err, k.op)
}
