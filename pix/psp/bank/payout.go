package bank

import (
	"encoding/json"
	"net/http"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp/bank/journal"
)

// payoutRoutes are Efí's operations for sending a Pix. The paths have versions of their own.
func (s *Server) payoutRoutes() []route {
	return []route{
		{"PUT", "/v2/gn/pix/{id}", "pix.send", s.putPayout},
		{"PUT", "/v3/gn/pix/{id}", "pix.send", s.putPayout},
		{"GET", "/v2/gn/pix/enviados/{e2eid}", "gn.pix.send.read", s.readPayout},
		{"GET", "/v2/gn/pix/enviados/id-envio/{id}", "gn.pix.send.read", s.readPayoutByID},
	}
}

func (s *Server) payoutView(p journal.Payout) map[string]any {
	times := map[string]string{"solicitacao": s.time(p.AskedAt)}
	if !p.EndedAt.IsZero() {
		times["liquidacao"] = s.time(p.EndedAt)
	}
	view := map[string]any{
		"idEnvio": p.ID, "endToEndId": p.EndToEndID, "valor": decimal(p.Amount), "chave": s.account.PixKey,
		"favorecido": map[string]string{"chave": p.Key}, "status": string(p.Status), "horario": times,
	}
	if p.Status == journal.Refused {
		view["motivo"] = p.Reason
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

// payoutNotice is a payout as a notice has it.
func (s *Server) payoutNotice(p journal.Payout) map[string]any {
	view := s.payoutView(p)
	view["tipo"], view["gnExtras"] = "SOLICITACAO", map[string]string{"idEnvio": p.ID}
	return view
}

const invalidPayout = "EnvioInvalido"

func decodePayout(c call) (p journal.Payout, err error) {
	var body struct {
		Value string `json:"valor"`
		Payer struct {
			Key string `json:"chave"`
		} `json:"pagador"`
		Receiver struct {
			Key string `json:"chave"`
		} `json:"favorecido"`
	}
	if err := json.Unmarshal(c.body, &body); err != nil {
		return p, invalid(invalidPayout, "envio", "O corpo não é o objeto JSON de um envio.")
	}
	amount, ok := parseAmount(body.Value)
	switch {
	case !returnIDShape.MatchString(c.PathValue("id")):
		return p, invalid(invalidPayout, "idEnvio", "O id deve ter de 1 a 35 letras e dígitos.")
	case !ok || amount == 0:
		return p, invalid(invalidPayout, "valor", "O valor deve ser maior que zero, na forma 123.45.")
	case body.Receiver.Key == "":
		return p, invalid(invalidPayout, "favorecido.chave", "Informe a chave do favorecido.")
	case body.Payer.Key == "":
		return p, invalid(invalidPayout, "pagador.chave", "Informe a chave do pagador.")
	}
	return journal.Payout{ID: c.PathValue("id"), Amount: amount, Key: body.Receiver.Key}, nil
}

// putPayout answers PUT /gn/pix/{idEnvio}. An id can be used once. A payout above the balance is
// refused by the payment system, after a moment.
func (s *Server) putPayout(c call) (answer, error) {
	p, err := decodePayout(c)
	if err != nil {
		return answer{}, err
	}
	_, unknown := s.happens(c.URL.Path, "send-unknown")
	err = s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		if _, used := state.Payout(p.ID); used {
			return journal.Entry{}, problem{status: http.StatusConflict, name: "IdEnvioDuplicado", title: "Conflito.",
				detail: "O id do envio já foi usado."}
		}
		if _, known := registered(state, s.account.PixKey); !known {
			return journal.Entry{}, invalid(invalidPayout, "pagador.chave", "A chave do pagador não tem webhook.")
		}
		p.EndToEndID = pix.NewEndToEndID(ISPB, c.now)
		p.Status, p.AskedAt, p.DueAt = journal.Processing, c.now, c.now.Add(transferTime)
		if p.Amount > balance(state) {
			p.Reason = "Saldo insuficiente."
		}
		return journal.Entry{Payouts: []journal.Payout{p}}, nil
	})
	if err != nil {
		return answer{}, err
	}
	if unknown {
		panic(http.ErrAbortHandler) // the answer is lost
	}
	return s.json(http.StatusCreated, map[string]any{
		"idEnvio": p.ID, "e2eId": p.EndToEndID, "valor": decimal(p.Amount),
		"horario": map[string]string{"solicitacao": s.time(p.AskedAt)}, "status": string(p.Status),
	}), nil
}

// balance returns what the account has and can send.
func balance(state *journal.State) int64 {
	var sum int64
	for _, p := range state.Payments {
		sum += left(p.Amount, p.Returns)
	}
	for _, p := range state.Payouts {
		if p.Status != journal.Refused {
			sum -= left(p.Amount, p.Returns)
		}
	}
	return sum - blocked(state)
}

// blocked returns what open disputes block.
func blocked(state *journal.State) (sum int64) {
	for _, d := range state.Disputes {
		if d.Status == journal.DisputeOpen {
			sum += d.Amount
		}
	}
	return sum
}

func settlePayout(e *journal.Entry, p journal.Payout, now time.Time) {
	returns, changed := ended(p.Returns, now)
	p.Returns = returns
	if p.Status == journal.Processing && !now.Before(p.DueAt) {
		p.Status, p.EndedAt, changed = journal.Done, now, true
		if p.Reason != "" {
			p.Status = journal.Refused
		}
	}
	if changed {
		e.Payouts = append(e.Payouts, p)
		e.Notices = append(e.Notices, journal.Notice{EndToEndID: p.EndToEndID, NextAt: now})
	}
}

func (s *Server) readPayout(c call) (answer, error) {
	return s.answerPayout(func(state *journal.State) (journal.Payout, bool) {
		return state.PayoutByEndToEndID(c.PathValue("e2eid"))
	})
}

func (s *Server) readPayoutByID(c call) (answer, error) {
	return s.answerPayout(func(state *journal.State) (journal.Payout, bool) { return state.Payout(c.PathValue("id")) })
}

func (s *Server) answerPayout(find func(*journal.State) (journal.Payout, bool)) (answer, error) {
	var p journal.Payout
	var known bool
	if err := s.journal.View(func(state *journal.State) { p, known = find(state) }); err != nil {
		return answer{}, err
	}
	if !known {
		return answer{}, notFound("EnvioNaoEncontrado", "Não há envio com este id.")
	}
	return s.json(http.StatusOK, s.payoutView(p)), nil
}
