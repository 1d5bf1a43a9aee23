package jobs

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"time"

	"garoupa/models"
	"garoupa/ratelimit"
)

const (
	// shareEvery is how often, at least, an instance tells what it gave out; a key
	// that takes many tokens is told of at once. Until then others may give out what
	// is gone already; the debt is made up for after.
	shareEvery = 100 * time.Millisecond
	// shareKeys bounds a message, of which PostgreSQL takes 8000 bytes.
	shareKeys = 60
)

// usage is what one instance tells the others: tokens taken, by limiter and key.
type usage struct {
	From string                    `json:"from"`
	Used map[string]map[string]int `json:"used"`
}

// sharing makes limiters of several instances count as one. Each counts by itself,
// so a request costs no database; a few times a second, if there was traffic, each
// tells the others by one NOTIFY, which writes no row.
type sharing struct {
	db       *models.DB
	self     string
	limiters map[string]*ratelimit.Limiter
}

// ShareLimits shares the limiters until ctx ends.
func ShareLimits(ctx context.Context, db *models.DB, limiters map[string]*ratelimit.Limiter) {
	if len(limiters) == 0 {
		return
	}
	s := &sharing{db: db, self: rand.Text(), limiters: limiters}
	go s.listen(ctx)
	hot := make(chan struct{}, 1)
	for _, limiter := range limiters {
		go forward(ctx, limiter.Hot(), hot)
	}
	go s.tell(ctx, hot)
}

// forward passes signals on; one that finds another waiting is as good as heard.
func forward(ctx context.Context, from <-chan struct{}, to chan<- struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-from:
		}
		select {
		case to <- struct{}{}:
		default:
		}
	}
}

func (s *sharing) tell(ctx context.Context, hot <-chan struct{}) {
	tick := time.NewTicker(shareEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-hot:
		}
		if err := s.publish(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "telling other instances of rate limits failed", "err", err)
		}
	}
}

// publish tells what was taken since the last time, in as many messages as it needs.
func (s *sharing) publish(ctx context.Context) error {
	message, keys := usage{From: s.self, Used: map[string]map[string]int{}}, 0
	send := func() error {
		if keys == 0 {
			return nil
		}
		text, err := json.Marshal(message)
		if err != nil {
			return err
		}
		message.Used, keys = map[string]map[string]int{}, 0
		return models.Notify(ctx, s.db.Pool, models.UsageChannel, string(text))
	}
	for name, limiter := range s.limiters {
		for key, tokens := range limiter.Used() {
			if message.Used[name] == nil {
				message.Used[name] = map[string]int{}
			}
			message.Used[name][key] = tokens
			if keys++; keys == shareKeys {
				if err := send(); err != nil {
					return err
				}
			}
		}
	}
	return send()
}

func (s *sharing) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.listenFor(ctx, func() {}, func(payload string) { s.hear(payload, time.Now()) })
		if ctx.Err() != nil {
			return
		}
		slog.WarnContext(ctx, "lost the connection that hears of rate limits; this instance counts alone", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (s *sharing) listenFor(ctx context.Context, listening func(), heard func(payload string)) error {
	return models.Listen(ctx, s.db, models.UsageChannel, listening, heard)
}

// hear takes what another instance gave out from the buckets here.
func (s *sharing) hear(payload string, now time.Time) {
	var u usage
	if err := json.Unmarshal([]byte(payload), &u); err != nil || u.From == s.self {
		return
	}
	for name, used := range u.Used {
		limiter := s.limiters[name]
		if limiter == nil {
			continue
		}
		for key, tokens := range used {
			limiter.Spend(key, tokens, now)
		}
	}
}
