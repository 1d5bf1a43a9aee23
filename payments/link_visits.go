package payments

import (
	"context"
	"fmt"
	"sync"

	"garoupa/models"
)

// linkVisits counts visits of payment links that are not stored yet.
type linkVisits struct {
	mu      sync.Mutex
	waiting map[models.LinkVisits]int64 // by the count without its N
}

func (v *linkVisits) add(visits models.LinkVisits) {
	n := visits.N
	visits.N = 0
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.waiting == nil {
		v.waiting = map[models.LinkVisits]int64{}
	}
	v.waiting[visits] += n
}

func (v *linkVisits) take() []models.LinkVisits {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := make([]models.LinkVisits, 0, len(v.waiting))
	for visits, n := range v.waiting {
		visits.N = n
		all = append(all, visits)
	}
	clear(v.waiting)
	return all
}

// VisitPaymentLink counts a visit of the page of a payment link that exists. It costs no statement: SaveVisits stores
// the counts of many visits together, so a process that is killed loses those of some seconds.
func (s *Service) VisitPaymentLink(id string) {
	s.visits.add(models.NewLinkVisits(id, s.now(), 1))
}

// SaveVisits stores the visits that this process counted since the last time. If it fails, they wait for the next
// time. If it is not known whether they were written, they may be counted twice.
func (s *Service) SaveVisits(ctx context.Context) error {
	visits := s.visits.take()
	if len(visits) == 0 {
		return nil
	}
	if err := models.AddLinkVisits(ctx, s.DB.Pool, visits); err != nil {
		for _, counted := range visits {
			s.visits.add(counted)
		}
		return fmt.Errorf("payments: save visits of links: %w", err)
	}
	return nil
}
