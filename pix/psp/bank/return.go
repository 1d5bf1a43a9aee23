package bank

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"garoupa/pix"
	"garoupa/pix/psp/bank/journal"
)

const invalidReturn = "PixDevolucaoInvalida"

// transferTime is how long returns and payouts stay in process.
const transferTime = time.Second

// returnLimit is how long a Pix can be returned (BACEN API Pix, PixDevolucaoInvalida).
const returnLimit = 90 * 24 * time.Hour

func (s *Server) returnView(r journal.Return) map[string]any {
	times := map[string]string{"solicitacao": s.time(r.AskedAt)}
	if !r.EndedAt.IsZero() {
		times["liquidacao"] = s.time(r.EndedAt)
	}
	view := map[string]any{
		"id": r.ID, "rtrId": r.RtrID, "valor": decimal(r.Amount), "natureza": string(r.Nature),
		"horario": times, "status": string(r.Status),
	}
	if r.Description != "" {
		view["descricao"] = r.Description
	}
	if r.Status == journal.Refused {
		view["motivo"] = r.Reason
	}
	return view
}

var returnIDShape = regexp.MustCompile(`^[a-zA-Z0-9]{1,35}$`)

// returnBody is what PUT /pix/{e2eid}/devolucao/{id} takes.
type returnBody struct {
	Value       string `json:"valor"`
	Nature      string `json:"natureza"`
	Description string `json:"descricao"`
}

func decodeReturn(c call) (r journal.Return, err error) {
	var body returnBody
	if err := json.Unmarshal(c.body, &body); err != nil {
		return r, invalid(invalidReturn, "devolucao", "O corpo não é o objeto JSON de uma devolução.")
	}
	amount, ok := parseAmount(body.Value)
	switch {
	case !returnIDShape.MatchString(c.PathValue("id")):
		return r, invalid(invalidReturn, "id", "O id deve ter de 1 a 35 letras e dígitos.")
	case !ok || amount == 0:
		return r, invalid(invalidReturn, "devolucao.valor", "O valor deve ser maior que zero, na forma 123.45.")
	case body.Nature != "" && body.Nature != string(journal.Original):
		return r, invalid(invalidReturn, "devolucao.natureza", "A natureza deve ser ORIGINAL.")
	case utf8.RuneCountInString(body.Description) > 140:
		return r, invalid(invalidReturn, "devolucao.descricao", "A descrição tem mais de 140 caracteres.")
	}
	return journal.Return{ID: c.PathValue("id"), Amount: amount, Nature: journal.Original,
		Description: body.Description}, nil
}

// putReturn answers PUT /pix/{e2eid}/devolucao/{id}. An id can be used once.
func (s *Server) putReturn(c call) (answer, error) {
	r, err := decodeReturn(c)
	if err != nil {
		return answer{}, err
	}
	_, refused := s.happens(c.URL.Path, "refuse-return")
	_, amountFirst := s.happens(c.URL.Path, "amount-first")
	err = s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		p, known := state.Payment(c.PathValue("e2eid"))
		if !known {
			return journal.Entry{}, noPayment()
		}
		if err := returnable(p, r, c.now, amountFirst); err != nil {
			return journal.Entry{}, err
		}
		r = begin(r, c.now)
		if refused {
			r.Reason = "Conta do pagador encerrada."
		}
		p.Returns = append(slices.Clone(p.Returns), r)
		return journal.Entry{Payments: []journal.Payment{p}}, nil
	})
	if err != nil {
		return answer{}, err
	}
	return s.json(http.StatusCreated, s.returnView(r)), nil
}

// returnable checks a return against the payment and the returns before it: the amount before the id if amountFirst.
func returnable(p journal.Payment, r journal.Return, now time.Time, amountFirst bool) error {
	tooMuch := invalid(invalidReturn, "devolucao.valor", "As devoluções passariam do valor do Pix.")
	more := r.Amount > left(p.Amount, p.Returns)
	switch {
	case amountFirst && more:
		return tooMuch
	case slices.ContainsFunc(p.Returns, func(old journal.Return) bool { return old.ID == r.ID }):
		return invalid(invalidReturn, "id", "O id já foi usado por outra devolução deste Pix.")
	case more:
		return tooMuch
	case now.After(p.At.Add(returnLimit)):
		return invalid(invalidReturn, "e2eid", "O prazo de 90 dias para devolver este Pix acabou.")
	}
	return nil
}

// left returns what of an amount has not been returned, and is not being returned.
func left(amount int64, returns []journal.Return) int64 {
	for _, r := range returns {
		if r.Status != journal.Refused {
			amount -= r.Amount
		}
	}
	return amount
}

// begin completes a return that enters the payment system now.
func begin(r journal.Return, now time.Time) journal.Return {
	r.RtrID = "D" + strings.TrimPrefix(pix.NewEndToEndID(ISPB, now), "E")
	r.Status, r.AskedAt, r.DueAt = journal.Processing, now, now.Add(transferTime)
	return r
}

// readReturn answers GET /pix/{e2eid}/devolucao/{id}.
func (s *Server) readReturn(c call) (answer, error) {
	p, err := s.findPayment(c)
	if err != nil {
		return answer{}, err
	}
	for _, r := range p.Returns {
		if r.ID == c.PathValue("id") && !s.lags(r.AskedAt, c.now) {
			return s.json(http.StatusOK, s.returnView(r)), nil
		}
	}
	return answer{}, notFound("PixDevolucaoNaoEncontrada", "Não há devolução com este id.")
}
