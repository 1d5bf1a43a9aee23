package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

const (
	// followEvery is how often a process looks for notices that another process received, or could not
	// follow.
	followEvery = 2 * time.Second
	// registerEvery is how often a process looks whether a bank is to be told where to post notices.
	registerEvery = 2 * time.Second
)

// apart begins work for each bank account for which running has none, and does not wait: a bank that hangs
// delays no other.
func (r *Runner) apart(ctx context.Context, what string, running *sync.Map, ids []string,
	do func(ctx context.Context, id string) error) {
	for _, id := range ids {
		if _, runs := running.LoadOrStore(id, true); runs {
			continue
		}
		r.loops.Go(func() {
			_ = guard.Call(what, func() error {
				defer running.Delete(id)
				err := do(ctx, id)
				if err != nil && ctx.Err() == nil {
					r.DB.LogFailure(ctx, what, err)
				}
				return err
			})
		})
	}
}

// NoticeReceived makes this process follow notices now. It does not block.
func (r *Runner) NoticeReceived() {
	select {
	case r.noticed <- struct{}{}:
	default: // it will look anyway
	}
}

// followNotices follows the notices of banks until ctx ends.
func (r *Runner) followNotices(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	var running sync.Map
	for {
		ids, err := models.BankAccountsWithNotices(ctx, r.DB.Pool, r.Now())
		if err != nil {
			r.DB.LogFailure(ctx, "find notices of banks", err)
		}
		r.apart(ctx, "follow notices", &running, ids, r.followNoticesOf)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-r.noticed:
		}
	}
}

// followNoticesOf follows the notices of a bank account until none is due. Then it lets the process look
// once more, for one that was received meanwhile.
func (r *Runner) followNoticesOf(ctx context.Context, id string) error {
	for {
		taken, err := r.Payments.FollowNotices(ctx, id)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if taken == 0 {
			r.NoticeReceived()
			return nil
		}
	}
}

// registerNotices tells banks where to post notices, where that is not done.
func (r *Runner) registerNotices(ctx context.Context) error {
	ids, err := models.UsedBankAccounts(ctx, r.DB.Pool)
	if err != nil {
		return fmt.Errorf("jobs: find bank accounts: %w", err)
	}
	r.apart(ctx, "register notices", &r.registering, ids, r.Banks.RegisterNotices)
	return nil
}
