package bank

import (
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"garoupa/pix/psp/bank/journal"
)

// answerTime is how long the account's holder has to answer a dispute.
const answerTime = 5 * 24 * time.Hour

// foreignDispute is a status of a dispute that no source names.
const foreignDispute = "em_mediacao"

// disputeRoutes are Efí's operations for disputes (infrações).
func (s *Server) disputeRoutes() []route {
	return []route{
		{"GET", "/v2/gn/infracoes", "gn.infractions.read", s.listDisputes},
		{"POST", "/v2/gn/infracoes/{id}/defesa", "gn.infractions.write", s.defend},
	}
}

// disputeView is second-hand: only the paths, and the body of a defense, are known.
func (s *Server) disputeView(d journal.Dispute) map[string]any {
	status := map[journal.DisputeStatus]string{
		journal.DisputeOpen:     "aguardando_analise",
		journal.DisputeReturned: "aceita",
		journal.DisputeRejected: "rejeitada",
	}[d.Status]
	if d.Status == journal.DisputeOpen && d.Defense != "" {
		status = "em_analise"
	}
	return map[string]any{
		"idInfracao": d.ID, "endToEndId": d.EndToEndID, "valor": decimal(d.Amount), "status": status,
		"motivo": "FRAUDE", "criacao": s.time(d.OpenedAt), "prazo": s.time(d.AnswerBy),
	}
}

// listDisputes answers GET /v2/gn/infracoes.
func (s *Server) listDisputes(c call) (answer, error) {
	w, err := readWindow(c, "InfracaoConsultaInvalida")
	if err != nil {
		return answer{}, err
	}
	var found []any
	err = s.journal.View(func(state *journal.State) {
		for _, d := range state.Disputes {
			if w.contains(d.OpenedAt) {
				found = append(found, s.disputeView(d))
			}
		}
	})
	if err != nil {
		return answer{}, err
	}
	if _, happens := s.happens(c.URL.Path, "foreign-status"); happens {
		for _, view := range found {
			view.(map[string]any)["status"] = foreignDispute
		}
	}
	shown, parameters := page(s, w, found)
	return s.json(http.StatusOK, map[string]any{"parametros": parameters, "infracoes": shown}), nil
}

// defend answers POST /v2/gn/infracoes/{id}/defesa. A dispute takes one answer.
func (s *Server) defend(c call) (answer, error) {
	var body struct {
		Analysis string `json:"analise"` // aceito or rejeitado
		Text     string `json:"justificativa"`
	}
	if err := json.Unmarshal(c.body, &body); err != nil {
		return answer{}, invalid("DefesaInvalida", "defesa", "O corpo não é o objeto JSON de uma defesa.")
	}
	if body.Analysis != "aceito" && body.Analysis != "rejeitado" {
		return answer{}, invalid("DefesaInvalida", "analise", "A análise deve ser aceito ou rejeitado.")
	}
	if n := utf8.RuneCountInString(body.Text); n < 1 || n > 4000 {
		return answer{}, invalid("DefesaInvalida", "justificativa", "A justificativa deve ter de 1 a 4.000 caracteres.")
	}
	var d journal.Dispute
	err := s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		var known bool
		d, known = state.Dispute(c.PathValue("id"))
		switch {
		case !known:
			return journal.Entry{}, notFound("InfracaoNaoEncontrada", "Não há infração com este id.")
		case d.Status != journal.DisputeOpen || d.Defense != "" || c.now.After(d.AnswerBy):
			return journal.Entry{}, invalid("DefesaInvalida", "id", "A infração não aceita mais defesa.")
		}
		d.Agrees, d.Defense, d.AnsweredAt = body.Analysis == "aceito", body.Text, c.now
		return journal.Entry{Disputes: []journal.Dispute{d}}, nil
	})
	if err != nil {
		return answer{}, err
	}
	return s.json(http.StatusOK, s.disputeView(d)), nil
}
