package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"garoupa/models"
)

const (
	// readEvery is how long what was read is told again, so that many monitors cost one reading.
	readEvery = 5 * time.Second
	// readWithin bounds a reading.
	readWithin = 5 * time.Second
)

// installation collects what the database knows. If it does not answer, only databaseUp is told: what is
// missing cannot be mistaken for zero.
type installation struct {
	Options

	mu   sync.Mutex
	at   time.Time // of state, zero if there is none
	last *state
}

// state is what a reading found.
type state struct {
	at       time.Time // by the database's clock
	due      models.Backlog
	examined map[string]models.Examination
	behind   int64 // bytes that the read database has not replayed
	unread   error // why the read database cannot be used, or nil
}

var (
	databaseUp = prometheus.NewDesc("garoupa_database_up",
		"1 if the database answered the questions below, otherwise 0.", nil, nil)
	dueSince = prometheus.NewDesc("garoupa_oldest_due_seconds",
		"For how long the oldest work of a kind is due, 0 if none is.", []string{"kind"}, nil)
	examinedAt = prometheus.NewDesc("garoupa_examined_timestamp_seconds",
		"When books and audit log were last examined (Unix time), 0 if never.", []string{"kind"}, nil)
	flaws = prometheus.NewDesc("garoupa_examination_flaws",
		"What the last examination of books or audit log found wrong.", []string{"kind"}, nil)
	readUp = prometheus.NewDesc("garoupa_read_database_up",
		"1 if the read database answers and is a standby of the primary, otherwise 0. Absent without one.", nil, nil)
	readBehind = prometheus.NewDesc("garoupa_read_database_behind_bytes",
		"How much of the primary's log the read database has not replayed.", nil, nil)
)

func (i *installation) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{databaseUp, dueSince, examinedAt, flaws, readUp, readBehind} {
		to <- d
	}
}

func (i *installation) Collect(to chan<- prometheus.Metric) {
	s := i.state()
	gauge(to, databaseUp, number(s != nil))
	if s == nil {
		return
	}
	for kind, since := range map[string]*time.Time{"delivery": s.due.Delivery, "expiry": s.due.Expiry,
		"settlement": s.due.Settlement, "mail": s.due.Mail} {
		var age float64
		if since != nil {
			age = max(0, s.at.Sub(*since).Seconds())
		}
		gauge(to, dueSince, age, kind)
	}
	if i.DB.Reads() != nil {
		gauge(to, readUp, number(s.unread == nil))
		gauge(to, readBehind, float64(s.behind))
	}
	for kind, e := range s.examined {
		var at float64
		if e.At != nil {
			at = float64(e.At.UnixMilli()) / 1000
		}
		gauge(to, examinedAt, at, kind)
		gauge(to, flaws, float64(len(e.Flaws)), kind)
	}
}

// state returns what was read at most readEvery ago, nil if the database does not answer.
func (i *installation) state() *state {
	i.mu.Lock()
	defer i.mu.Unlock()
	if now := time.Now(); now.Sub(i.at) > readEvery {
		ctx, cancel := context.WithTimeout(context.Background(), readWithin)
		defer cancel()
		var err error
		if i.last, err = i.read(ctx); err != nil {
			i.last = nil
			slog.WarnContext(ctx, "reading the state of the installation for a monitor failed", "err", err)
		}
		i.at = now
	}
	return i.last
}

func (i *installation) read(ctx context.Context) (*state, error) {
	s := &state{at: i.Clock.Now(), examined: map[string]models.Examination{}}
	var err error
	if s.due, err = models.WorkDue(ctx, i.DB.Reserved, s.at); err != nil {
		return nil, err
	}
	for kind, name := range map[string]string{"books": models.ExaminedBooks, "all_books": models.ExaminedAllBooks,
		"audit": models.ExaminedAudit} {
		if s.examined[kind], err = models.LastExamination(ctx, i.DB.Reserved, name); err != nil {
			return nil, err
		}
	}
	if i.DB.Reads() != nil {
		s.behind, s.unread = i.DB.ReadBehind(ctx)
	}
	return s, nil
}
