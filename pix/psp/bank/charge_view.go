package bank

import (
	"strings"

	"garoupa/pix"
	"garoupa/pix/psp/bank/journal"
)

// foreignStatus is a status that the API Pix does not have.
const foreignStatus = "EM_ANALISE"

// chargeFacts are what an answer shows of a charge. They are collected inside View and rendered
// outside, where faults can be counted.
type chargeFacts struct {
	charge   journal.Charge
	location journal.Location // has the id 0 if the charge has none
	payments []journal.Payment
}

func collect(state *journal.State, charge journal.Charge) chargeFacts {
	l, _ := state.Location(charge.LocationID)
	return chargeFacts{charge, l, state.PaymentsOf(charge.TxID)}
}

// chargeAnswer answers with a revision of a charge and the payments that it has received, both as they
// are now.
func (s *Server) chargeAnswer(c call, status int, charge journal.Charge) (answer, error) {
	var facts chargeFacts
	err := s.journal.View(func(state *journal.State) {
		facts = collect(state, state.Charges[charge.TxID][charge.Revision])
	})
	if err != nil {
		return answer{}, err
	}
	return s.json(status, s.chargeView(facts, c.URL.Path)), nil
}

// chargeView returns a charge as JSON (CobCompleta of BACEN's API Pix).
func (s *Server) chargeView(facts chargeFacts, path string) map[string]any {
	charge, l := facts.charge, facts.location
	view := s.chargeBase(charge)
	view["status"] = string(charge.Status)
	if _, happens := s.happens(path, "foreign-status"); happens {
		view["status"] = foreignStatus
	}
	if l.ID > 0 {
		view["loc"] = s.locationView(l)
		view["location"] = s.location(l)
		if _, happens := s.happens(path, "no-code"); !happens && charge.Status == journal.Active {
			view[s.profile.codeField] = s.code(charge, l, path)
		}
	}
	if len(facts.payments) > 0 {
		received := make([]any, 0, len(facts.payments))
		for _, p := range facts.payments {
			received = append(received, s.paymentView(p))
		}
		view["pix"] = received
	}
	return view
}

// chargeBase returns the members that an answer and a payload have in common.
func (s *Server) chargeBase(charge journal.Charge) map[string]any {
	value := map[string]any{"original": decimal(charge.Amount)}
	if charge.Changeable {
		value["modalidadeAlteracao"] = 1
	}
	view := map[string]any{
		"txid": charge.TxID, "revisao": charge.Revision, "chave": charge.Key, "valor": value,
		"calendario": map[string]any{"criacao": s.time(charge.CreatedAt), "expiracao": charge.Expiration},
	}
	if p := charge.Payer; p != nil {
		payer := map[string]string{"nome": p.Name, "cpf": p.CPF, "cnpj": p.CNPJ}
		for _, id := range []string{"cpf", "cnpj"} {
			if payer[id] == "" {
				delete(payer, id)
			}
		}
		view["devedor"] = payer
	}
	if charge.Message != "" {
		view["solicitacaoPagador"] = charge.Message
	}
	if charge.Infos != nil {
		infos := make([]map[string]string, 0, len(charge.Infos))
		for _, info := range charge.Infos {
			infos = append(infos, map[string]string{"nome": info.Name, "valor": info.Value})
		}
		view["infoAdicionais"] = infos
	}
	return view
}

// code returns the charge's BR Code, unless a fault spoils it.
func (s *Server) code(charge journal.Charge, l journal.Location, path string) string {
	amount := charge.Amount
	if _, happens := s.happens(path, "wrong-amount"); happens {
		amount++
	}
	if charge.Changeable {
		amount = 0
	}
	code, err := pix.Encode(pix.Code{
		Initiation: pix.SingleUse, Location: s.location(l), Amount: amount,
		MerchantName: s.account.HolderName, MerchantCity: "SAO PAULO",
	})
	if err != nil {
		s.log.Error("bank: a code cannot be made", "txid", charge.TxID, "err", err)
		return ""
	}
	if _, happens := s.happens(path, "bad-crc"); happens {
		last := strings.TrimSuffix(code, code[len(code)-1:])
		if code[len(code)-1] == '0' {
			return last + "1"
		}
		return last + "0"
	}
	return code
}
