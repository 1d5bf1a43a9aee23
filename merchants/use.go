package merchants

import (
	"context"
	"log/slog"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

const (
	// usesAtOnce limits the connections of the pool that record uses, and addressesAtOnce those that
	// record the addresses of keys.
	usesAtOnce, addressesAtOnce = 2, 1
	// useWithin limits the time for recording one use.
	useWithin = 5 * time.Second
)

// noteUse records when something was last used. The request neither waits for this nor fails
// with it, so reading works while the database is read-only. If the record finds no slot, or
// fails, a later use makes up for it.
func (s *Service) noteUse(ctx context.Context, write func(ctx context.Context) error) {
	note(ctx, s.uses, write)
}

// note is noteUse with the slots to choose from, and reports whether one was free.
func note(ctx context.Context, slots chan struct{}, write func(ctx context.Context) error) (started bool) {
	select {
	case slots <- struct{}{}:
	default:
		return false
	}
	ctx = context.WithoutCancel(ctx) // recording continues after the request
	guard.Go("record a use", func() {
		defer func() { <-slots }()
		ctx, cancel := context.WithTimeout(ctx, useWithin)
		defer cancel()
		if err := write(ctx); err != nil && !models.Unavailable(err) {
			slog.WarnContext(ctx, "recording a use failed", "err", err)
		}
	})
	return true
}
