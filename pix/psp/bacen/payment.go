package bacen

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"garoupa/pix/psp"
)

const (
	// maxPages is more pages than the busiest account has in one window.
	maxPages = 10_000
	// oldAfter is how long ago a window ends that others need not wait for.
	oldAfter = time.Hour
)

// paymentAnswer is a received Pix as banks write it.
type paymentAnswer struct {
	EndToEndID text               `json:"endToEndId"`
	TxID       text               `json:"txid"`
	Value      amount             `json:"valor"`
	Key        text               `json:"chave"`
	At         moment             `json:"horario"`
	Returns    list[returnAnswer] `json:"devolucoes"`
}

func (a paymentAnswer) payment() (psp.Payment, error) {
	switch {
	case !validID(string(a.EndToEndID)):
		return psp.Payment{}, protocol("a Pix has no endToEndId, or one of another form")
	case a.Value < 1:
		return psp.Payment{}, protocol("a Pix has no amount")
	case a.At.time().IsZero():
		return psp.Payment{}, protocol("a Pix has no time")
	}
	p := psp.Payment{EndToEndID: string(a.EndToEndID), TxID: string(a.TxID), Amount: int64(a.Value),
		PaidAt: a.At.time(), Key: string(a.Key)}
	for _, r := range a.Returns {
		if r.ID == "" && r.Value == 0 {
			continue // an object without members, for a list without any
		}
		returned, err := r.result()
		if err != nil {
			return psp.Payment{}, err
		}
		p.Returns = append(p.Returns, returned)
	}
	return p, nil
}

// Payment implements psp.Bank: GET /pix/{e2eid}.
func (c *Client) Payment(ctx context.Context, endToEndID string) (psp.Payment, error) {
	k := call{op: "read payment", method: http.MethodGet, url: c.url("pix", endToEndID), scope: "pix.read",
		time: readTime, rank: look, about: endToEndID}
	if !validID(endToEndID) {
		return psp.Payment{}, named(invalid("the endToEndId has another form"), k.op)
	}
	body, err := c.read(ctx, k)
	if err != nil {
		return psp.Payment{}, err
	}
	a, err := decode[paymentAnswer](body)
	if err != nil {
		return psp.Payment{}, named(err, k.op)
	}
	p, err := a.payment()
	if err == nil && p.EndToEndID != endToEndID {
		err = protocol("the answer is about another Pix")
	}
	if err != nil {
		return psp.Payment{}, named(err, k.op)
	}
	return p, nil
}

// paging is what a list says about its pages.
type paging struct {
	Pages integer `json:"quantidadeDePaginas"`
	Total integer `json:"quantidadeTotalDeItens"`
}

type listParameters struct {
	Paging *paging `json:"paginacao"`
}

// size returns the number of pages and of items. A list that does not say them is one page.
func (p listParameters) size(items, pageSize int) (pages, total int, err error) {
	switch {
	case p.Paging != nil && (p.Paging.Pages > maxPages || p.Paging.Pages < 0 || p.Paging.Total < 0):
		return 0, 0, protocol("the list has an impossible number of pages")
	case p.Paging != nil:
		return int(p.Paging.Pages), int(p.Paging.Total), nil
	case items >= pageSize:
		return 0, 0, protocol("the list does not say how many pages it has")
	}
	return 1, items, nil
}

// LongestWindow implements psp.Bank.
func (c *Client) LongestWindow() time.Duration { return c.options.Profile.Window() }

// Payments implements psp.Bank: GET /pix. A window longer than LongestWindow is Invalid.
func (c *Client) Payments(ctx context.Context, w psp.Window, page int) (psp.Page, error) {
	const op = "list payments"
	if w.Until.IsZero() {
		w.Until = c.Now()
	}
	if w.Until.Before(w.From) || w.Until.Sub(w.From) > c.LongestWindow() || page < 0 {
		return psp.Page{}, named(invalid("the window is empty, or longer than "+c.LongestWindow().String()), op)
	}
	query := c.listQuery(w.From, w.Until, page)
	if w.TxID != "" {
		query.Set("txid", w.TxID)
	}
	if w.Returned && c.options.Profile.FiltersReturns {
		query.Set("devolucaoPresente", "true")
	}
	k := call{op: op, method: http.MethodGet, url: c.url("pix"), query: query, scope: "pix.read", time: readTime,
		rank: first}
	if c.Now().Sub(w.Until) > oldAfter {
		k.rank = old
	}
	body, err := c.read(ctx, k)
	if err != nil {
		return psp.Page{}, err
	}
	got, err := c.page(body)
	got.Window = w
	return got, named(err, op)
}

// listQuery has the parameters that all lists share.
func (c *Client) listQuery(from, until time.Time, page int) url.Values {
	format := c.options.Profile.TimeFormat
	return url.Values{
		"inicio": {format.begin(from)}, "fim": {format.end(until)},
		"paginacao.paginaAtual":    {strconv.Itoa(page)},
		"paginacao.itensPorPagina": {strconv.Itoa(c.options.Profile.PageSize)},
	}
}

func (c *Client) page(body []byte) (page psp.Page, err error) {
	a, err := decode[struct {
		Parameters listParameters        `json:"parametros"`
		Payments   list[json.RawMessage] `json:"pix"`
	}](body)
	if err != nil {
		return psp.Page{}, err
	}
	page.Pages, page.Total, err = a.Parameters.size(len(a.Payments), c.options.Profile.PageSize)
	if err != nil {
		return psp.Page{}, err
	}
	for _, raw := range a.Payments { // one that cannot be read keeps none of the others from being recorded
		p, err := decode[paymentAnswer](raw)
		var payment psp.Payment
		if err == nil {
			payment, err = p.payment()
		}
		if err != nil {
			page.Unread = append(page.Unread, unreadPix(raw, err))
			continue
		}
		page.Payments = append(page.Payments, payment)
	}
	return page, nil
}

// unreadPix returns why a Pix cannot be read, with its id where that can.
func unreadPix(raw json.RawMessage, why error) error {
	p, _ := decode[struct {
		EndToEndID text `json:"endToEndId"`
	}](raw)
	return fmt.Errorf("read the Pix %q: %w", idOrNone(p.EndToEndID), why)
}
