package jobs

import (
	"maps"
	"slices"
	"sync"

	"garoupa/models"
)

const (
	// attemptsAtOnce limits the attempts in progress in one process. Each waits for another
	// server, so there are many more attempts than processors; each holds a connection and
	// about 50 kB.
	attemptsAtOnce = 2000
	// sharedAtOnce is the part of attemptsAtOnce that all accounts share evenly. The rest is for
	// accounts that get work later.
	sharedAtOnce = attemptsAtOnce / 2
	// accountAtOnce limits what one account has of it.
	accountAtOnce = sharedAtOnce / 2
	// unrecordedAtOnce limits what was taken and is not recorded yet.
	unrecordedAtOnce = 2 * attemptsAtOnce
	// reservedAtOnce is the part of attemptsAtOnce for accounts that use no place, one each.
	reservedAtOnce = attemptsAtOnce / 10
	// endpointAtOnce limits the attempts at one endpoint, to protect the endpoint.
	endpointAtOnce = 100
)

// places keep one merchant from delaying another, and one endpoint from delaying another. An
// attempt has a place until its answer is over. The places are shared evenly by the accounts
// that have work, and an account's share by its endpoints, at least one place each. An account
// may have twice its share, for endpoints that get work while others hang. The last places are for
// accounts, and those of an account for its endpoints, that use none. So there is room, however
// many endpoints hang.
type places struct {
	mu       sync.Mutex
	used     int
	taken    int                       // and not recorded yet
	accounts map[string]*accountPlaces // those that use places
	last     string                    // the account that was served last
	lasts    map[string]string         // of an account, the endpoint that was served last
}

// accountPlaces are the places that an account uses.
type accountPlaces struct {
	used      int
	endpoints map[string]*endpointPlaces
}

// endpointPlaces are the places that an endpoint uses.
type endpointPlaces struct {
	used int
	had  int // used after the latest look, if more may wait; otherwise 0
}

// lastsAtMost bounds the memory of who was served last.
const lastsAtMost = 10_000

func newPlaces() *places {
	return &places{accounts: map[string]*accountPlaces{}, lasts: map[string]string{}}
}

// share returns how much may be taken now for endpoints that have work. Accounts and endpoints
// are served in turn.
func (p *places) share(found []models.BusyEndpoint) (rooms []models.EndpointRoom) {
	p.mu.Lock()
	defer p.mu.Unlock()
	busy := map[string][]models.BusyEndpoint{}
	for _, e := range found {
		busy[e.AccountID] = append(busy[e.AccountID], e)
	}
	accounts := len(busy)
	for id := range p.accounts {
		if busy[id] == nil {
			accounts++
		}
	}
	share := min(max(sharedAtOnce/max(accounts, 1), 1), accountAtOnce)
	free := min(attemptsAtOnce-p.used, unrecordedAtOnce-p.taken)
	for _, id := range after(slices.Sorted(maps.Keys(busy)), p.last) {
		if free <= 0 {
			break
		}
		own := p.accounts[id]
		if own == nil {
			own = &accountPlaces{}
		}
		room := min(2*share-own.used, free-reservedAtOnce)
		if own.used == 0 {
			room = max(room, 1)
		}
		got := own.share(busy[id], share, room, p.lasts[id])
		for _, r := range got {
			free -= r.Room
		}
		rooms = append(rooms, got...)
	}
	return rooms
}

// share divides an account's room by its endpoints that have work.
func (a *accountPlaces) share(
	busy []models.BusyEndpoint, share, room int, last string,
) (rooms []models.EndpointRoom) {
	endpoints, ids := len(busy), make(map[string]models.BusyEndpoint, len(busy))
	for _, e := range busy {
		ids[e.ID] = e
	}
	for id := range a.endpoints {
		if _, ok := ids[id]; !ok {
			endpoints++
		}
	}
	each, reserved := min(max(share/endpoints, 1), endpointAtOnce), share/10
	for _, id := range after(slices.Sorted(maps.Keys(ids)), last) {
		used := 0
		if own := a.endpoints[id]; own != nil {
			used = own.used
		}
		n := min(each-used, room-reserved)
		if used == 0 && room > 0 {
			n = max(n, 1)
		}
		if n <= 0 {
			continue
		}
		rooms = append(rooms, models.EndpointRoom{BusyEndpoint: ids[id], Room: n})
		room -= n
	}
	return rooms
}

// after returns ids from the first one after last on, and then the others.
func after(ids []string, last string) []string {
	i, found := slices.BinarySearch(ids, last)
	if found {
		i++
	}
	return append(ids[i:], ids[:i]...)
}

// take gives places to the deliveries that were taken.
func (p *places) take(rooms []models.EndpointRoom, taken []*models.DueDelivery) {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := map[string]int{}
	p.taken += len(taken)
	for _, d := range taken {
		own := p.accounts[d.AccountID]
		if own == nil {
			own = &accountPlaces{endpoints: map[string]*endpointPlaces{}}
			p.accounts[d.AccountID] = own
		}
		if own.endpoints[d.Endpoint.ID] == nil {
			own.endpoints[d.Endpoint.ID] = &endpointPlaces{}
		}
		p.used, own.used = p.used+1, own.used+1
		own.endpoints[d.Endpoint.ID].used++
		count[d.Endpoint.ID]++
	}
	for _, r := range rooms {
		account := p.accounts[r.AccountID]
		if account == nil || account.endpoints[r.ID] == nil {
			continue
		}
		own := account.endpoints[r.ID]
		if own.had = 0; count[r.ID] >= r.Room {
			own.had = own.used
		}
		p.last, p.lasts[r.AccountID] = r.AccountID, r.ID
	}
	if len(p.lasts) > lastsAtMost {
		clear(p.lasts)
	}
}

// free gives the place of a delivery back. It reports whether to look for more work at once:
// half of the places of the endpoint are free, and it answers well.
func (p *places) free(d *models.DueDelivery, ok bool) (look bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	account := p.accounts[d.AccountID]
	own := account.endpoints[d.Endpoint.ID]
	p.used, account.used = p.used-1, account.used-1
	own.used--
	if look = ok && own.had > 0 && own.used <= own.had/2; look {
		own.had = 0 // until the next look
	}
	if own.used == 0 {
		delete(account.endpoints, d.Endpoint.ID)
	}
	if account.used == 0 {
		delete(p.accounts, d.AccountID)
	}
	return look
}

// done says that what was taken is recorded, or is left.
func (p *places) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
}
