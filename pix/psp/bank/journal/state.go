package journal

import (
	"maps"
	"slices"
	"sync/atomic"
)

// State is what the bank knows. Its fields are read inside View and Update only, and changed
// by applying entries only.
type State struct {
	Charges   map[string][]Charge // all revisions of a charge, by TxID, in order
	TxIDs     []string            // of the charges, in order of their creation
	Payments  []Payment           // in order of their arrival
	Payouts   []Payout
	Disputes  []Dispute
	Locations []Location
	Webhooks  map[string]Webhook // by key

	faults     atomic.Pointer[[]Fault]
	notices    []Notice
	pending    map[int]bool    // ids of the notices that are not done
	processing map[string]bool // EndToEndIDs of payments and payouts with a transfer in process
	payments   map[string]int  // index by EndToEndID
	byTxID     map[string][]int
	payouts    map[string]int // index by id
	disputes   map[string]int // index by id
	tokens     map[string]int // index of the location by its token
}

func newState() *State {
	s := &State{
		Charges: map[string][]Charge{}, Webhooks: map[string]Webhook{}, pending: map[int]bool{},
		processing: map[string]bool{},
		payments:   map[string]int{}, byTxID: map[string][]int{}, payouts: map[string]int{}, disputes: map[string]int{},
		tokens: map[string]int{},
	}
	s.faults.Store(&[]Fault{})
	return s
}

// Entry is one line of the file: records that are new or have changed, each as a whole. They
// take effect together.
type Entry struct {
	Charges   []Charge   `json:"charges,omitempty"`
	Locations []Location `json:"locations,omitempty"`
	Payments  []Payment  `json:"payments,omitempty"`
	Payouts   []Payout   `json:"payouts,omitempty"`
	Disputes  []Dispute  `json:"disputes,omitempty"`
	Webhooks  []Webhook  `json:"webhooks,omitempty"`
	Notices   []Notice   `json:"notices,omitempty"`
	Faults    *[]Fault   `json:"faults,omitempty"` // all of them; nil leaves them
}

// continues reports whether the numbered records of an entry leave no number out.
func (s *State) continues(e Entry) bool {
	locations, notices := len(s.Locations), len(s.notices)
	revisions := map[string]int{}
	for _, l := range e.Locations {
		if l.ID < 1 || l.ID > locations+1 {
			return false
		}
		locations = max(locations, l.ID)
	}
	for _, n := range e.Notices {
		if n.ID < 1 || n.ID > notices+1 {
			return false
		}
		notices = max(notices, n.ID)
	}
	for _, c := range e.Charges {
		known := max(revisions[c.TxID], len(s.Charges[c.TxID]))
		if c.Revision < 0 || c.Revision > known {
			return false
		}
		revisions[c.TxID] = max(known, c.Revision+1)
	}
	return true
}

func (s *State) apply(e Entry) {
	for _, c := range e.Charges {
		s.applyCharge(c)
	}
	for _, l := range e.Locations {
		s.tokens[l.Token] = place(&s.Locations, l, l.ID-1)
	}
	for _, p := range e.Payments {
		s.applyPayment(p)
	}
	for _, p := range e.Payouts {
		s.payouts[p.ID] = place(&s.Payouts, p, index(s.payouts, p.ID))
		s.note(p.EndToEndID, p.Status == Processing || inProcess(p.Returns))
	}
	for _, d := range e.Disputes {
		s.disputes[d.ID] = place(&s.Disputes, d, index(s.disputes, d.ID))
	}
	for _, w := range e.Webhooks {
		s.Webhooks[w.Key] = w
	}
	for _, n := range e.Notices {
		place(&s.notices, n, n.ID-1)
		if n.Done {
			delete(s.pending, n.ID)
		} else {
			s.pending[n.ID] = true
		}
	}
	if e.Faults != nil {
		s.faults.Store(e.Faults)
	}
}

func (s *State) applyCharge(c Charge) {
	revisions, known := s.Charges[c.TxID]
	if !known {
		s.TxIDs = append(s.TxIDs, c.TxID)
	}
	place(&revisions, c, c.Revision)
	s.Charges[c.TxID] = revisions
}

func (s *State) applyPayment(p Payment) {
	known := index(s.payments, p.EndToEndID)
	at := place(&s.Payments, p, known)
	if known < 0 {
		s.payments[p.EndToEndID] = at
		s.byTxID[p.TxID] = append(s.byTxID[p.TxID], at)
	}
	s.note(p.EndToEndID, inProcess(p.Returns))
}

// note keeps the set of payments and payouts in process.
func (s *State) note(endToEndID string, processing bool) {
	if processing {
		s.processing[endToEndID] = true
	} else {
		delete(s.processing, endToEndID)
	}
}

func inProcess(returns []Return) bool {
	return slices.ContainsFunc(returns, func(r Return) bool { return r.Status == Processing })
}

// place puts a record at its index, or after the last one, and returns where it is.
func place[T any](records *[]T, r T, at int) int {
	if at >= 0 && at < len(*records) {
		(*records)[at] = r
		return at
	}
	*records = append(*records, r)
	return len(*records) - 1
}

func index(of map[string]int, id string) int {
	if i, known := of[id]; known {
		return i
	}
	return -1
}

// find returns the record with this id.
func find[T any](records []T, of map[string]int, id string) (r T, known bool) {
	i, known := of[id]
	if known {
		r = records[i]
	}
	return r, known
}

// Charge returns the last revision of a charge.
func (s *State) Charge(txID string) (c Charge, known bool) {
	revisions := s.Charges[txID]
	if len(revisions) == 0 {
		return Charge{}, false
	}
	return revisions[len(revisions)-1], true
}

// Payment returns the payment with this EndToEndID.
func (s *State) Payment(endToEndID string) (p Payment, known bool) {
	return find(s.Payments, s.payments, endToEndID)
}

// PaymentsOf returns the payments with this TxID, in order of their arrival.
func (s *State) PaymentsOf(txID string) []Payment {
	var payments []Payment
	for _, i := range s.byTxID[txID] {
		payments = append(payments, s.Payments[i])
	}
	return payments
}

// Payout returns the payout with this id.
func (s *State) Payout(id string) (p Payout, known bool) {
	return find(s.Payouts, s.payouts, id)
}

// PayoutByEndToEndID returns the payout with this EndToEndID.
func (s *State) PayoutByEndToEndID(endToEndID string) (p Payout, known bool) {
	for _, p := range s.Payouts {
		if p.EndToEndID == endToEndID {
			return p, true
		}
	}
	return Payout{}, false
}

// Processing returns the EndToEndIDs of the payments and payouts that have a transfer in process,
// sorted.
func (s *State) Processing() []string { return slices.Sorted(maps.Keys(s.processing)) }

// Dispute returns the dispute with this id.
func (s *State) Dispute(id string) (d Dispute, known bool) {
	return find(s.Disputes, s.disputes, id)
}

// LocationByToken returns the location with this token.
func (s *State) LocationByToken(token string) (l Location, known bool) {
	return find(s.Locations, s.tokens, token)
}

// Location returns the location with this id.
func (s *State) Location(id int) (l Location, known bool) {
	if id < 1 || id > len(s.Locations) {
		return Location{}, false
	}
	return s.Locations[id-1], true
}

// NextLocation returns the id of the next new location.
func (s *State) NextLocation() int { return len(s.Locations) + 1 }

// NextNotice returns the id of the next new notice.
func (s *State) NextNotice() int { return len(s.notices) + 1 }

// Pending returns the notices that are still to be posted, in no order.
func (s *State) Pending() []Notice {
	pending := make([]Notice, 0, len(s.pending))
	for id := range s.pending {
		pending = append(pending, s.notices[id-1])
	}
	return pending
}
