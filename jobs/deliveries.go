package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

const (
	// lookForDeliveriesEvery is how often a process looks for deliveries without a
	// notification: those that waited for their time, or for a place.
	lookForDeliveriesEvery = 250 * time.Millisecond
	// lookAgainAfter is the shortest pause between two looks. A look that takes longer is
	// followed by a pause of its own length.
	lookAgainAfter = 2 * time.Millisecond
	// lookWithin limits a look.
	lookWithin = 10 * time.Second
	// renewEvery is how often leases are renewed.
	renewEvery = models.LeaseFor / 4
	// restFor is how long a delivery rests after an error of our own, such as a lost database
	// connection.
	restFor = 30 * time.Second
	// recordAgainAfter is the pause before an attempt is recorded again that the database did
	// not take.
	recordAgainAfter = time.Second
	// finishWithin is how long a stop waits for attempts in progress.
	finishWithin = 2 * time.Second
)

// deliveries makes the due attempts of webhook deliveries: it takes deliveries, posts each at
// once in a goroutine of its own, and records the results. Attempts are counted in the
// deliveries: if the process dies during an attempt, another process repeats the attempt when
// the lease is over, and it does not count.
type deliveries struct {
	Options
	places *places
	looks  chan struct{} // full: look at once

	mu    sync.Mutex
	held  map[*models.DueDelivery]time.Time // when the lease was last renewed, by the process's clock
	begun map[string]bool                   // deliveries whose attempts are not over
	over  map[string]bool                   // those whose attempts ended since the look began

	working sync.WaitGroup // attempts and their records
}

func newDeliveries(o Options) *deliveries {
	return &deliveries{Options: o, places: newPlaces(), looks: make(chan struct{}, 1),
		held: map[*models.DueDelivery]time.Time{}, begun: map[string]bool{}, over: map[string]bool{}}
}

// look makes the process look for deliveries now. It does not block.
func (w *deliveries) look() {
	select {
	case w.looks <- struct{}{}:
	default: // a look is to follow anyway
	}
}

// run takes deliveries until ctx ends. Their attempts end when posting ends.
func (w *deliveries) run(ctx, posting context.Context) {
	tick := time.NewTicker(lookForDeliveriesEvery)
	defer tick.Stop()
	for {
		start := time.Now()
		if err := w.takeDue(ctx, posting); err != nil {
			w.DB.LogFailure(ctx, "taking deliveries failed", err)
			wait(ctx, lookForDeliveriesEvery)
		}
		wait(ctx, max(time.Since(start), lookAgainAfter))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-w.looks:
		}
	}
}

// takeDue takes the deliveries that are due and that have places, and begins their attempts.
func (w *deliveries) takeDue(ctx, posting context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	now := w.Now()
	busy, err := models.BusyEndpoints(ctx, w.DB.Queue, now)
	if err != nil || len(busy) == 0 {
		return wrap("find busy endpoints", err)
	}
	if err := w.skip(ctx, busy, now); err != nil {
		return err
	}
	rooms := w.places.share(busy)
	if len(rooms) == 0 {
		return nil
	}
	asked := w.begin()
	taken, err := models.TakeDeliveries(ctx, w.DB.Queue, now, rooms)
	taken, over := w.hold(taken, asked)
	if len(over) > 0 {
		err = errors.Join(err, models.EndLeases(ctx, w.DB.Queue, over))
	}
	w.places.take(rooms, taken)
	for _, d := range taken {
		w.working.Go(func() {
			_ = guard.Call("deliver a webhook", func() error {
				w.deliver(posting, d)
				return nil
			})
		})
	}
	return wrap("take deliveries", err)
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("jobs: %s: %w", what, err)
	}
	return nil
}

// skip ends the deliveries to endpoints that are off.
func (w *deliveries) skip(ctx context.Context, busy []models.BusyEndpoint, now time.Time) error {
	var off []string
	for _, e := range busy {
		if e.Off {
			off = append(off, e.ID)
		}
	}
	if len(off) == 0 {
		return nil
	}
	return wrap("skip deliveries", models.SkipDeliveries(ctx, w.DB.Queue, off, now))
}

// begin begins a look, and returns its time.
func (w *deliveries) begin() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.over)
	return time.Now()
}

// hold remembers the leases of deliveries, which were renewed at some time after asked, and returns the
// deliveries whose attempts are to begin. An attempt of this process whose lease was lost is not made again
// while it is being recorded. It may also be over since the database took the delivery; then the next look shows
// whether another attempt is due.
func (w *deliveries) hold(taken []*models.DueDelivery, asked time.Time) (begin, over []*models.DueDelivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range taken {
		key := d.ID + string(d.Resend)
		switch {
		case w.begun[key]:
		case w.over[key]:
			over = append(over, d)
		default:
			w.begun[key], w.held[d] = true, asked
			begin = append(begin, d)
		}
	}
	return begin, over
}

// holds returns the number of deliveries that the process has.
func (w *deliveries) holds() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.held)
}

// leave forgets a delivery, whose record has ended its lease, or whose lease lapses.
func (w *deliveries) leave(d *models.DueDelivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := d.ID + string(d.Resend)
	delete(w.held, d)
	delete(w.begun, key)
	w.over[key] = true
}

// leased reports whether the process surely has the delivery still.
func (w *deliveries) leased(d *models.DueDelivery) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.held[d]
	return ok && time.Since(at) < models.LeaseFor
}

// leases returns the deliveries that the process surely has still, and forgets the others.
func (w *deliveries) leases() (held []*models.DueDelivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for d, at := range w.held {
		if time.Since(at) < models.LeaseFor {
			held = append(held, d)
		} else {
			delete(w.held, d)
		}
	}
	return held
}

// renew renews the leases of deliveries in progress until ctx ends.
func (w *deliveries) renew(ctx context.Context) {
	for wait(ctx, renewEvery); ctx.Err() == nil; wait(ctx, renewEvery) {
		held, asked := w.leases(), time.Now()
		if len(held) == 0 {
			continue
		}
		within, cancel := context.WithTimeout(ctx, renewEvery)
		err := models.RenewLeases(within, w.DB.Queue, held)
		cancel()
		if err != nil {
			w.DB.LogFailure(ctx, "renewing leases of deliveries failed", err)
			continue
		}
		w.mu.Lock()
		for _, d := range held {
			if _, still := w.held[d]; still {
				w.held[d] = asked
			}
		}
		w.mu.Unlock()
	}
}

// release lets other processes take what this process has.
func (w *deliveries) release(ctx context.Context) {
	held := w.leases()
	if len(held) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, finishWithin)
	defer cancel()
	if err := models.EndLeases(ctx, w.DB.Queue, held); err != nil {
		w.DB.LogFailure(ctx, "ending leases of deliveries failed; they lapse", err)
	}
}

// wait returns after length, or when ctx ends.
func wait(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// rest keeps a delivery for restFor, so that no process posts it again and again while its
// result cannot be written.
func (w *deliveries) rest(d *models.DueDelivery) {
	time.AfterFunc(restFor, func() { guard.Go("end a delivery's rest", func() { w.leave(d) }) })
}
