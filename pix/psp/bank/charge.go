package bank

import (
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp/bank/journal"
)

// putCharge answers PUT /cob/{txid}: it creates the charge, or revises one that is active
// (BACEN API Pix, CobOperacaoInvalida).
func (s *Server) putCharge(c call) (answer, error) {
	txID := c.PathValue("txid")
	if !pix.ValidChargeTxID(txID) {
		return answer{}, invalid(invalidCharge, "txid", "O txid deve ter de 26 a 35 letras e dígitos.")
	}
	body, err := decodeCharge(c.body)
	if err != nil {
		return answer{}, err
	}
	if _, happens := s.happens(c.URL.Path, "other-charge"); happens {
		return s.takeByAnother(c, txID, body)
	}
	return s.create(c, txID, body)
}

// createCharge answers POST /cob, where the bank chooses the TxID.
func (s *Server) createCharge(c call) (answer, error) {
	body, err := decodeCharge(c.body)
	if err != nil {
		return answer{}, err
	}
	return s.create(c, token(32), body)
}

func (s *Server) create(c call, txID string, body chargeBody) (answer, error) {
	if err := body.complete(); err != nil {
		return answer{}, err
	}
	charge := journal.Charge{TxID: txID, Status: journal.Active, CreatedAt: c.now}
	if err := body.change(&charge, s.account.PixKey); err != nil {
		return answer{}, err
	}
	err := s.journal.Update(func(state *journal.State) (e journal.Entry, err error) {
		old, exists := state.Charge(txID)
		if exists {
			if e, err = s.revise(state, old, charge, body); err == nil && len(e.Charges) == 0 {
				charge = old // nothing has changed
			}
		} else {
			e, err = s.locate(state, charge, body)
		}
		if len(e.Charges) > 0 {
			charge = e.Charges[0]
		}
		return e, err
	})
	if err != nil {
		return answer{}, err
	}
	return s.chargeAnswer(c, s.profile.created, charge)
}

// revise returns the entry of a charge that is put again.
func (s *Server) revise(state *journal.State, old, charge journal.Charge, body chargeBody) (journal.Entry, error) {
	if s.profile.exists {
		return journal.Entry{}, duplicate()
	}
	if old.Status != journal.Active {
		return journal.Entry{}, invalid(invalidCharge, "cob.status", "A cobrança não está mais ativa.")
	}
	charge.CreatedAt, charge.LocationID, charge.Revision = old.CreatedAt, old.LocationID, old.Revision
	if body.Location != nil && body.Location.ID != old.LocationID {
		return s.relocate(state, charge, body.Location.ID)
	}
	if reflect.DeepEqual(old, charge) {
		return journal.Entry{}, nil
	}
	charge.Revision++
	return journal.Entry{Charges: []journal.Charge{charge}}, nil
}

func duplicate() problem {
	return problem{status: http.StatusConflict, name: "TxidDuplicado", title: "Conflito.",
		detail: "O txid já foi usado."}
}

// takeByAnother is a fault: a charge of one centavo more stands under the TxID already.
func (s *Server) takeByAnother(c call, txID string, body chargeBody) (answer, error) {
	if err := body.complete(); err != nil {
		return answer{}, err
	}
	charge := journal.Charge{TxID: txID, Status: journal.Active, CreatedAt: c.now}
	if err := body.change(&charge, s.account.PixKey); err != nil {
		return answer{}, err
	}
	charge.Amount++
	err := s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		if _, exists := state.Charge(txID); exists {
			return journal.Entry{}, nil
		}
		return s.locate(state, charge, chargeBody{})
	})
	if err != nil {
		return answer{}, err
	}
	return answer{}, duplicate()
}

// patchCharge answers PATCH /cob/{txid}. A removal must come without any other change.
func (s *Server) patchCharge(c call) (answer, error) {
	body, err := decodeCharge(c.body)
	if err != nil {
		return answer{}, err
	}
	var changed journal.Charge
	err = s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		e, err := s.patch(state, c.PathValue("txid"), body)
		if err == nil {
			changed = e.Charges[0]
		}
		return e, err
	})
	if err != nil {
		return answer{}, err
	}
	return s.chargeAnswer(c, http.StatusOK, changed)
}

// patch returns the entry of a changed charge. The charge is its first record.
func (s *Server) patch(state *journal.State, txID string, body chargeBody) (journal.Entry, error) {
	charge, known := state.Charge(txID)
	if !known {
		return journal.Entry{}, noCharge()
	}
	if charge.Status != journal.Active {
		return journal.Entry{}, invalid(invalidCharge, "cob.status", "A cobrança não está ativa.")
	}
	charge.Revision++
	if body.Status != nil {
		return removal(charge, body)
	}
	if err := body.change(&charge, s.account.PixKey); err != nil {
		return journal.Entry{}, err
	}
	if body.Location != nil && body.Location.ID != charge.LocationID {
		return s.relocate(state, charge, body.Location.ID)
	}
	return journal.Entry{Charges: []journal.Charge{charge}}, nil
}

func removal(charge journal.Charge, body chargeBody) (journal.Entry, error) {
	alone := body
	alone.Status = nil
	switch {
	case *body.Status != string(journal.RemovedByReceiver):
		return journal.Entry{}, invalid(invalidCharge, "cob.status",
			"O status só pode ser REMOVIDA_PELO_USUARIO_RECEBEDOR.")
	case !reflect.DeepEqual(alone, chargeBody{}):
		return journal.Entry{}, invalid(invalidCharge, "cob.status", "A remoção não aceita outras alterações.")
	}
	charge.Status = journal.RemovedByReceiver
	return journal.Entry{Charges: []journal.Charge{charge}}, nil
}

func noCharge() problem { return notFound("CobNaoEncontrada", "Não há cobrança com este txid.") }

// readCharge answers GET /cob/{txid}.
func (s *Server) readCharge(c call) (answer, error) {
	var revisions []journal.Charge
	if err := s.journal.View(func(state *journal.State) {
		revisions = append(revisions, state.Charges[c.PathValue("txid")]...)
	}); err != nil {
		return answer{}, err
	}
	if len(revisions) == 0 || s.lags(revisions[0].CreatedAt, c.now) {
		return answer{}, noCharge()
	}
	charge := revisions[len(revisions)-1]
	if asked := c.URL.Query().Get("revisao"); asked != "" {
		n, ok := parseNumber(asked)
		if !ok || n >= len(revisions) {
			return answer{}, invalid("CobConsultaInvalida", "revisao", "A cobrança não tem esta revisão.")
		}
		charge = revisions[n]
	}
	return s.chargeAnswer(c, http.StatusOK, charge)
}

// lags reports whether a fault hides what was written at this time.
func (s *Server) lags(writtenAt, now time.Time) bool {
	lag := s.duration("lag")
	return lag > 0 && now.Before(writtenAt.Add(lag))
}

// listCharges answers GET /cob.
func (s *Server) listCharges(c call) (answer, error) {
	w, err := readWindow(c, "CobConsultaInvalida")
	if err != nil {
		return answer{}, err
	}
	q := c.URL.Query()
	var found []chargeFacts
	err = s.journal.View(func(state *journal.State) {
		for _, txID := range state.TxIDs {
			charge, _ := state.Charge(txID)
			if w.contains(charge.CreatedAt) && !s.lags(charge.CreatedAt, c.now) && chargeMatches(charge, q) {
				found = append(found, collect(state, charge))
			}
		}
	})
	if err != nil {
		return answer{}, err
	}
	shown, parameters := page(s, w, found)
	views := make([]any, 0, len(shown))
	for _, facts := range shown {
		views = append(views, s.chargeView(facts, c.URL.Path))
	}
	for _, name := range []string{"cpf", "cnpj", "status"} {
		if v := q.Get(name); v != "" {
			parameters[name] = v
		}
	}
	return s.json(http.StatusOK, map[string]any{"parametros": parameters, "cobs": views}), nil
}

func chargeMatches(c journal.Charge, q url.Values) bool {
	var payer journal.Person
	if c.Payer != nil {
		payer = *c.Payer
	}
	matches := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	return matches("cpf", payer.CPF) && matches("cnpj", payer.CNPJ) && matches("status", string(c.Status)) &&
		matches("locationPresente", strconv.FormatBool(c.LocationID > 0))
}
