package banks

import (
	"context"
	"sync"
	"time"

	"garoupa/models"
)

// countsEvery is how often counts of refused requests are written.
const countsEvery = 10 * time.Second

// noticeCounts are requests that this process refused since it wrote their number last.
type noticeCounts struct {
	mu sync.Mutex
	n  map[models.NoticeCount]int64
}

// add counts a request of an account, "" for none.
func (c *noticeCounts) add(accountID string, what models.NoticeRefusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[models.NoticeCount]int64{}
	}
	c.n[models.NoticeCount{BankAccountID: accountID, What: what}]++
}

func (c *noticeCounts) take() map[models.NoticeCount]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = nil
	return n
}

// KeepCounts writes from time to time how many requests were refused and why, until ctx ends.
func (r *Receiver) KeepCounts(ctx context.Context) {
	tick := time.NewTicker(countsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.WriteCounts(ctx)
		}
	}
}

// WriteCounts writes, and logs, how many requests were refused since the last call, and why.
func (r *Receiver) WriteCounts(ctx context.Context) {
	counts := r.counts.take()
	if len(counts) == 0 {
		return
	}
	for c, n := range counts {
		r.banks.Log.WarnContext(ctx, "requests to the address for notices were refused", "bank_account",
			c.BankAccountID, "why", string(c.What), "n", n)
	}
	if err := models.AddNoticeCounts(ctx, r.banks.DB.Pool, r.banks.now(), counts); err != nil {
		r.banks.DB.LogFailure(ctx, "count refused notices", err)
	}
}
