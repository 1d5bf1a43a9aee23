package jobs

import (
	"fmt"
	"testing"

	"garoupa/models"
)

// merchant returns n busy endpoints of an account.
func merchant(account string, n int) (busy []models.BusyEndpoint) {
	for i := range n {
		busy = append(busy, models.BusyEndpoint{ID: fmt.Sprintf("we_%s_%04d", account, i), AccountID: account})
	}
	return busy
}

// fill takes as much as there is room for, as if each endpoint had no end of work, and returns how much each
// account got.
func fill(p *places, found ...[]models.BusyEndpoint) (taken []*models.DueDelivery, got map[string]int) {
	got = map[string]int{}
	var all []models.BusyEndpoint
	for _, busy := range found {
		all = append(all, busy...)
	}
	rooms := p.share(all)
	for _, r := range rooms {
		for range r.Room {
			d := &models.DueDelivery{AccountID: r.AccountID}
			d.Endpoint.ID = r.ID
			taken = append(taken, d)
		}
		got[r.AccountID] += r.Room
	}
	p.take(rooms, taken)
	return taken, got
}

// However many endpoints of one account hang, another account gets places at its next look, and the first
// never has more than twice its share.
func TestPlaces_Accounts(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	for range 100 {
		fill(p, merchant("greedy", 2_200))
	}
	if p.used > 2*accountAtOnce {
		t.Errorf("one account uses %d places", p.used)
	}
	if _, got := fill(p, merchant("modest", 1), merchant("greedy", 2_200)); got["modest"] < 10 || got["greedy"] > 0 {
		t.Errorf("the next look gives %v", got)
	}
	for i := range 200 { // as many accounts, each with endpoints that hang
		fill(p, merchant(fmt.Sprint("hanging", i), 16))
	}
	if p.used > attemptsAtOnce {
		t.Errorf("%d places are used", p.used)
	}
	if _, got := fill(p, merchant("late", 1)); got["late"] < 1 {
		t.Errorf("an account that comes last gets %v, with %d places used", got, p.used)
	}
}

// Endpoints of an account that hang leave places to others of the same account.
func TestPlaces_Endpoints(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	all := merchant("a", 16)
	for i := range 15 { // one after the other begins to hang
		for range 10 {
			fill(p, all[i:i+1])
		}
	}
	if _, got := fill(p, all); got["a"] < 1 || p.accounts["a"].endpoints[all[15].ID] == nil {
		t.Errorf("the endpoint that comes last gets nothing: %v", got)
	}
	for id, e := range p.accounts["a"].endpoints {
		if e.used > endpointAtOnce {
			t.Errorf("%s has %d attempts in progress", id, e.used)
		}
	}
}

// Endpoints that wait are served in turn, when there is no room for all of them.
func TestPlaces_Turns(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	all, served := merchant("a", 2_200), map[string]bool{}
	for range 12 {
		taken, _ := fill(p, all)
		for _, d := range taken {
			served[d.Endpoint.ID] = true
			p.free(d, true)
		}
	}
	if len(served) != len(all) {
		t.Errorf("%d of %d endpoints were served", len(served), len(all))
	}
}

// When half of an endpoint's places are free, and more may wait, the process looks at once. When all are free,
// nothing is kept.
func TestPlaces_Free(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	taken, _ := fill(p, merchant("a", 1))
	looks := 0
	for i, d := range taken {
		if p.free(d, true) {
			looks++
			if i+1 != len(taken)/2 {
				t.Errorf("a look after %d of %d", i+1, len(taken))
			}
		}
	}
	if looks != 1 || p.used != 0 || len(p.accounts) != 0 {
		t.Errorf("%d looks; in the end the places are %+v", looks, p)
	}
}
