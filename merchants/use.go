package merchants

import (
	"context"
	"log/slog"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

const (
	// usesAtOnce limits the connections of the pool that record uses.
	usesAtOnce = 2
	// useWithin limits the time for recording one use.
	useWithin = 5 * time.Second
)

// noteUse records when something was last used. The request neither waits for this nor fails
// with it, so reading works while the database is read-only. If the record finds no slot, or
// fails, a later use makes up for it.
func (s *Service) noteUse(ctx context.Context, write func(ctx context.Context) error) {
	select {
	case s.uses <- struct{}{}:
	default:
		return
	}
	ctx = context.WithoutCancel(ctx) // recording continues after the request
	guard.Go("record a use", func() {
		defer func() { <-s.uses }()
		ctx, cancel := context.WithTimeout(ctx, useWithin)
		defer cancel()
		if err := write(ctx); err != nil && !models.Unavailable(err) {
			slog.WarnContext(ctx, "recording a use failed", "err", err)
		}
	})
}
