package bank

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"garoupa/pix/psp/bank/journal"
)

// paymentView returns a received Pix as JSON.
func (s *Server) paymentView(p journal.Payment) map[string]any {
	view := map[string]any{
		"endToEndId": p.EndToEndID, "valor": decimal(p.Amount), "chave": p.Key, "horario": s.time(p.At),
	}
	if p.TxID != "" {
		view["txid"] = p.TxID
	}
	if len(p.Returns) > 0 {
		returns := make([]any, 0, len(p.Returns))
		for _, r := range p.Returns {
			returns = append(returns, s.returnView(r))
		}
		view["devolucoes"] = returns
	}
	return view
}

func noPayment() problem { return notFound("PixNaoEncontrado", "Não há Pix com este endToEndId.") }

func (s *Server) findPayment(c call) (p journal.Payment, err error) {
	var known bool
	if err := s.journal.View(func(state *journal.State) {
		p, known = state.Payment(c.PathValue("e2eid"))
	}); err != nil {
		return p, err
	}
	if !known || s.lags(p.At, c.now) {
		return p, noPayment()
	}
	return p, nil
}

// readPayment answers GET /pix/{e2eid}.
func (s *Server) readPayment(c call) (answer, error) {
	p, err := s.findPayment(c)
	if err != nil {
		return answer{}, err
	}
	return s.json(http.StatusOK, s.paymentView(p)), nil
}

// listPayments answers GET /pix, the oldest first.
func (s *Server) listPayments(c call) (answer, error) {
	w, err := readWindow(c, "PixConsultaInvalida")
	if err != nil {
		return answer{}, err
	}
	q := c.URL.Query()
	var found []journal.Payment
	err = s.journal.View(func(state *journal.State) {
		for _, p := range state.Payments {
			if w.contains(p.At) && !s.lags(p.At, c.now) && paymentMatches(p, q) {
				found = append(found, p)
			}
		}
	})
	if err != nil {
		return answer{}, err
	}
	asked, parameters := page(s, w, s.shift(c, w, found))
	shown := make([]any, len(asked))
	for i, p := range asked {
		shown[i] = s.paymentView(p)
	}
	for _, name := range []string{"txid", "txIdPresente", "devolucaoPresente", "cpf", "cnpj"} {
		if v := q.Get(name); v == "true" || v == "false" {
			parameters[name] = v == "true"
		} else if v != "" {
			parameters[name] = v
		}
	}
	return s.json(http.StatusOK, map[string]any{"parametros": parameters, "pix": shown}), nil
}

func paymentMatches(p journal.Payment, q url.Values) bool {
	matches := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	return matches("txid", p.TxID) && matches("txIdPresente", strconv.FormatBool(p.TxID != "")) &&
		matches("devolucaoPresente", strconv.FormatBool(len(p.Returns) > 0)) &&
		q.Get("cpf") == "" && q.Get("cnpj") == "" // the bank does not tell who has paid
}

// shift is a fault: the list has the newest first, and its newest Pix arrives after the first
// page was read. So all items move by one, and a reader that ignores the changed total misses it.
func (s *Server) shift(c call, w window, items []journal.Payment) []journal.Payment {
	if len(items) <= w.size {
		return items
	}
	if _, happens := s.happens(c.URL.Path, "shift-pages"); !happens {
		return items
	}
	slices.Reverse(items)
	if w.number == 0 {
		return items[1:]
	}
	return items
}
