package jobs

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"garoupa/internal/guard"
	"garoupa/internal/ratelimit"
	"garoupa/models"
)

const (
	// shareEvery is the longest interval between two reports of an instance. A key that takes
	// many tokens is reported at once. Until then other instances may hand out the same
	// tokens; their buckets pay them back later.
	shareEvery = 100 * time.Millisecond
	// shareKeys limits a message, because PostgreSQL allows 8000 bytes.
	shareKeys = 60
)

// usage is the message of one instance to the others: tokens taken, by limiter and key.
type usage struct {
	From string                    `json:"from"`
	Used map[string]map[string]int `json:"used"`
}

// sharing makes the limiters of several instances count as one. Each instance counts in
// memory, so a request needs no database. Each reports its tokens to the others a few times a
// second, if there was traffic, by one NOTIFY, which writes no row.
type sharing struct {
	db       *models.DB
	self     string
	limiters func() map[string]*ratelimit.Limiter // by name, those that exist now
	now      func() time.Time
}

// ShareLimits shares the limiters that limiters returns, by their names, until ctx ends. It asks for them
// again and again, since some begin later, as those of a bank account. now must be the clock of the
// limiters.
func ShareLimits(ctx context.Context, db *models.DB, limiters func() map[string]*ratelimit.Limiter,
	now func() time.Time) {
	s := &sharing{db: db, self: rand.Text(), limiters: limiters, now: now}
	s.listen(ctx, func() {}, func(payload string) { s.hear(payload, s.now()) })
	hot := make(chan struct{}, 1)
	for _, limiter := range limiters() {
		guard.Go("forward a limiter's signal", func() { forward(ctx, limiter.Hot(), hot) })
	}
	guard.Go("send rate limits", func() {
		guard.Keep(ctx, "send rate limits", func(ctx context.Context) { s.tell(ctx, hot) })
	})
}

// forward passes signals on. It drops a signal if one is already waiting.
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
		if err := s.publish(ctx); err != nil {
			s.db.LogFailure(ctx, "sending rate limits to other instances failed", err)
		}
	}
}

// publish reports what was taken since the last report, in as many messages as necessary.
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
	for name, limiter := range s.limiters() {
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

// listen hears what other instances report until ctx ends.
func (s *sharing) listen(ctx context.Context, listening func(), heard func(payload string)) {
	s.db.Hear(ctx, models.Hearer{Channel: models.UsageChannel, Listening: listening, Heard: heard})
}

// hear takes the tokens that another instance handed out from the buckets of this instance.
func (s *sharing) hear(payload string, now time.Time) {
	var u usage
	if err := json.Unmarshal([]byte(payload), &u); err != nil || u.From == s.self {
		return
	}
	limiters := s.limiters()
	for name, used := range u.Used {
		limiter := limiters[name]
		if limiter == nil {
			continue
		}
		for key, tokens := range used {
			limiter.Spend(key, tokens, now)
		}
	}
}
