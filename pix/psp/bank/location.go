package bank

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"garoupa/pix/psp/bank/journal"
)

const (
	locationPath = "/qr/v2/"
	keysPath     = "/qr/certs"
	tokenLength  = 32
)

// token returns n random letters and digits.
func token(n int) string { return strings.ToLower((rand.Text() + rand.Text()))[:n] }

func (s *Server) locationHost() string { return s.host() }

// location returns the address of a payload, without a scheme, as codes contain it.
func (s *Server) location(l journal.Location) string {
	return s.locationHost() + locationPath + l.Token
}

func (s *Server) locationView(l journal.Location) map[string]any {
	view := map[string]any{"id": l.ID, "location": s.location(l), "tipoCob": "cob", "criacao": s.time(l.CreatedAt)}
	return view
}

// locate returns the entry of a new charge at the location that the body names, or at a new one.
func (s *Server) locate(state *journal.State, charge journal.Charge, body chargeBody) (journal.Entry, error) {
	l := journal.Location{ID: state.NextLocation(), Token: token(tokenLength), CreatedAt: charge.CreatedAt}
	if body.Location != nil {
		var err error
		if l, err = free(state, body.Location.ID); err != nil {
			return journal.Entry{}, err
		}
	}
	l.TxID, charge.LocationID = charge.TxID, l.ID
	return journal.Entry{Charges: []journal.Charge{charge}, Locations: []journal.Location{l}}, nil
}

// relocate returns the entry of a charge that moves to another location.
func (s *Server) relocate(state *journal.State, charge journal.Charge, id int) (journal.Entry, error) {
	next, err := free(state, id)
	if err != nil {
		return journal.Entry{}, err
	}
	next.TxID = charge.TxID
	moved := []journal.Location{next}
	if old, known := state.Location(charge.LocationID); known {
		old.TxID = ""
		moved = append(moved, old)
	}
	charge.LocationID = id
	charge.Revision = len(state.Charges[charge.TxID])
	return journal.Entry{Charges: []journal.Charge{charge}, Locations: moved}, nil
}

func free(state *journal.State, id int) (journal.Location, error) {
	l, known := state.Location(id)
	switch {
	case !known:
		return l, invalid(invalidCharge, "cob.loc.id", "Não há location com este id.")
	case l.TxID != "":
		return l, invalid(invalidCharge, "cob.loc.id", "A location já tem uma cobrança.")
	}
	return l, nil
}

// createLocation answers POST /loc.
func (s *Server) createLocation(c call) (answer, error) {
	var body struct {
		Type string `json:"tipoCob"`
	}
	if err := json.Unmarshal(c.body, &body); err != nil || body.Type != "cob" {
		return answer{}, invalid("PayloadLocationOperacaoInvalida", "tipoCob", "Este banco só oferece o tipo cob.")
	}
	var l journal.Location
	err := s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		l = journal.Location{ID: state.NextLocation(), Token: token(tokenLength), CreatedAt: c.now}
		return journal.Entry{Locations: []journal.Location{l}}, nil
	})
	if err != nil {
		return answer{}, err
	}
	return s.json(http.StatusCreated, s.locationView(l)), nil
}

// fullLocation is a location with its charge.
func (s *Server) fullLocation(l journal.Location) map[string]any {
	view := s.locationView(l)
	if l.TxID != "" {
		view["txid"] = l.TxID
	}
	return view
}

func locationID(c call) int {
	id, ok := parseNumber(c.PathValue("id"))
	if !ok {
		return 0
	}
	return id
}

func noLocation() problem {
	return notFound("PayloadLocationNaoEncontrado", "Não há location com este id.")
}

// readLocation answers GET /loc/{id}.
func (s *Server) readLocation(c call) (answer, error) {
	var l journal.Location
	var known bool
	err := s.journal.View(func(state *journal.State) { l, known = state.Location(locationID(c)) })
	if err != nil {
		return answer{}, err
	}
	if !known {
		return answer{}, noLocation()
	}
	return s.json(http.StatusOK, s.fullLocation(l)), nil
}

// detachLocation answers DELETE /loc/{id}/txid: the location no longer shows its charge.
func (s *Server) detachLocation(c call) (answer, error) {
	var l journal.Location
	err := s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		var known bool
		if l, known = state.Location(locationID(c)); !known {
			return journal.Entry{}, noLocation()
		}
		charge, attached := state.Charge(l.TxID)
		if !attached {
			return journal.Entry{}, nil
		}
		l.TxID, charge.LocationID = "", 0
		charge.Revision++
		return journal.Entry{Charges: []journal.Charge{charge}, Locations: []journal.Location{l}}, nil
	})
	if err != nil {
		return answer{}, err
	}
	return s.json(http.StatusOK, s.fullLocation(l)), nil
}

// listLocations answers GET /loc.
func (s *Server) listLocations(c call) (answer, error) {
	w, err := readWindow(c, "PayloadLocationConsultaInvalida")
	if err != nil {
		return answer{}, err
	}
	q := c.URL.Query()
	if kind := q.Get("tipoCob"); kind != "" && kind != "cob" && kind != "cobv" {
		return answer{}, invalid("PayloadLocationConsultaInvalida", "tipoCob", "O tipo deve ser cob ou cobv.")
	}
	var found []any
	err = s.journal.View(func(state *journal.State) {
		for _, l := range state.Locations {
			present := q.Get("txIdPresente")
			if w.contains(l.CreatedAt) && (present == "" || present == strconv.FormatBool(l.TxID != "")) &&
				q.Get("tipoCob") != "cobv" {
				found = append(found, s.fullLocation(l))
			}
		}
	})
	if err != nil {
		return answer{}, err
	}
	shown, parameters := page(s, w, found)
	return s.json(http.StatusOK, map[string]any{"parametros": parameters, "loc": shown}), nil
}
