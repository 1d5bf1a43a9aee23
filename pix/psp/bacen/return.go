package bacen

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"garoupa/pix/psp"
)

// returnTime is how long one request for a return may take.
const returnTime = 20 * time.Second

// returnAnswer is a return as banks write it (Devolucao).
type returnAnswer struct {
	ID     text   `json:"id"`
	RtrID  text   `json:"rtrId"`
	Value  amount `json:"valor"`
	Nature text   `json:"natureza"`
	Times  struct {
		Asked moment `json:"solicitacao"`
		Ended moment `json:"liquidacao"`
	} `json:"horario"`
	Status text `json:"status"`
	Reason text `json:"motivo"`
}

func (a returnAnswer) result() (psp.Return, error) {
	switch {
	case !validID(string(a.ID)):
		return psp.Return{}, protocol("a return has no id, or one of another form")
	case a.Value < 1:
		return psp.Return{}, protocol("a return has no amount")
	}
	return psp.Return{
		ID: string(a.ID), RtrID: string(a.RtrID), Nature: cut(string(a.Nature), 64), Amount: int64(a.Value),
		Status: transferStatus(string(a.Status)), RawStatus: cut(string(a.Status), 64), Reason: mask(string(a.Reason)),
		AskedAt: a.Times.Asked.time(), EndedAt: a.Times.Ended.time(),
	}, nil
}

// transferStatus reads the status of returns and of Efí's payouts.
func transferStatus(word string) psp.TransferStatus {
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case "EM_PROCESSAMENTO":
		return psp.TransferProcessing
	case "DEVOLVIDO", "REALIZADO":
		return psp.TransferDone
	case "NAO_REALIZADO":
		return psp.TransferRefused
	}
	return psp.TransferUnknown
}

// returned reads a return and checks that it is the one asked for.
func returned(body []byte, id string) (psp.Return, error) {
	a, err := decode[returnAnswer](body)
	if err != nil {
		return psp.Return{}, err
	}
	r, err := a.result()
	if err == nil && r.ID != id {
		return psp.Return{}, protocol("the answer is about another return")
	}
	return r, err
}

func (c *Client) returnCall(op, method, endToEndID, id string) (call, error) {
	k := call{op: op, method: method, url: c.url("pix", endToEndID, "devolucao", id), scope: "pix.write",
		time: returnTime, about: id}
	if method == http.MethodGet {
		k.scope, k.time, k.rank = "pix.read", readTime, look
	}
	if !validID(endToEndID) || !validID(id) || len(id) > 35 {
		return k, named(invalid("the endToEndId or the id of the return has another form"), op)
	}
	return k, nil
}

// PutReturn implements psp.Bank: PUT /pix/{e2eid}/devolucao/{id}. If a return with the id exists, it
// is returned, unless its amount is another one: Conflict.
func (c *Client) PutReturn(ctx context.Context, endToEndID, id string, amount int64) (psp.Return, error) {
	k, err := c.returnCall("put return", http.MethodPut, endToEndID, id)
	if err != nil {
		return psp.Return{}, err
	}
	if amount < 1 || amount > maxCentavos {
		return psp.Return{}, named(invalid("the amount is not from 0.01 to 9999999999.99"), k.op)
	}
	if k.body, err = json.Marshal(map[string]string{"valor": decimal(amount)}); err != nil {
		return psp.Return{}, named(err, k.op)
	}
	compared := func(r psp.Return, err error, other psp.Kind) (psp.Return, error) {
		if err == nil && r.Amount != amount {
			return psp.Return{}, &psp.Error{Kind: other,
				Detail: "the return is of " + decimal(r.Amount) + ", and not of " + decimal(amount)}
		}
		return r, err
	}
	return write(ctx, c, k, func(body []byte) (psp.Return, error) {
		r, err := returned(body, id)
		return compared(r, err, psp.Protocol)
	}, func(ctx context.Context) (psp.Return, bool, error) {
		r, err := c.Return(ctx, endToEndID, id)
		if err != nil {
			return psp.Return{}, false, err
		}
		r, err = compared(r, nil, psp.Conflict)
		return r, true, err
	})
}

// Return implements psp.Bank: GET /pix/{e2eid}/devolucao/{id}.
func (c *Client) Return(ctx context.Context, endToEndID, id string) (psp.Return, error) {
	k, err := c.returnCall("read return", http.MethodGet, endToEndID, id)
	if err != nil {
		return psp.Return{}, err
	}
	body, err := c.read(ctx, k)
	if err != nil {
		return psp.Return{}, err
	}
	r, err := returned(body, id)
	return r, named(err, k.op)
}
