package main

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"garoupa/internal/localpg"
	"garoupa/models"
)

// What a paid live charge with one endpoint may cost: its creation by the API and the record of that call, the
// payment, both events, their deliveries and attempts, with all indexes. Either number only ever falls: the goal is
// 6,000 and 9,000 (docs/decisions/0077).
const (
	budgetOfDisk = 11_000 // bytes
	budgetOfLog  = 14_600 // bytes of write-ahead log, without the images of pages that follow a checkpoint
)

// A paid charge stays within its budget of disk and log.
func TestBudget(t *testing.T) {
	t.Parallel()
	const rounds, each, atOnce = 4, 250, 16
	// A server of its own, because the log is that of all of its databases.
	server, err := localpg.Start(t.Context(), localpg.Options{Bin: os.Getenv("GAROUPA_POSTGRES_BIN"), Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	p := newProgramOver(t, "DATABASE_URL="+server.URL(), "GAROUPA_LIVE_PROVIDER=simulator", "GAROUPA_DEMO=true")
	p.run("migrate")
	s := newShopOf(p, 0, func(http.ResponseWriter, *http.Request, parcel, int) {})
	s.scope.Environment, s.key = models.Live, s.liveKey
	s.register(1)
	s.serve()
	s.sell("first", 100, atOnce) // so that what is made once is made
	before := s.spent()
	after, log := before, math.MaxInt
	for round := range rounds {
		began := after.log
		s.sell(strconv.Itoa(round), each, atOnce)
		after = s.spent()
		// What jobs write meanwhile is in the log, too, and a slow machine gives them more time.
		log = min(log, (after.log-began)/each)
	}
	disk, report := after.disk(before, rounds*each)
	if disk > budgetOfDisk || log > budgetOfLog {
		t.Errorf("a paid charge takes %d bytes of disk and %d of log, more than %d and %d:\n%s",
			disk, log, budgetOfDisk, budgetOfLog, report)
	} else {
		t.Logf("a paid charge takes %d bytes of disk and %d of log:\n%s", disk, log, report)
	}
}

// sell creates charges by the API, with a name of their own, pays them, and returns when all of their events are
// delivered and all of the calls are logged.
func (s *shop) sell(name string, charges, atOnce int) {
	s.t.Helper()
	var sold sync.WaitGroup
	for worker := range atOnce {
		sold.Go(func() {
			for n := worker; n < charges; n += atOnce {
				status, id := s.create(s.key, fmt.Sprintf("order-%s-%d", name, n))
				if status != http.StatusCreated {
					s.t.Errorf("create: %d", status)
					return
				}
				paid, err := http.Post(s.url+"/pay/"+id+"/simulate", "", http.NoBody)
				if err != nil {
					s.t.Error(err)
					return
				}
				paid.Body.Close()
			}
		})
	}
	sold.Wait()
	s.until("every charge is paid and every event delivered", func() bool {
		var left, unlogged int
		err := s.db.Pool.QueryRow(s.t.Context(), `SELECT (SELECT count(*) FROM checkouts WHERE status <> 'PAID') +
			(SELECT count(*) FROM webhook_deliveries WHERE status <> 'DELIVERED'),
			(SELECT count(*) FROM checkouts) - (SELECT count(*) FROM api_requests)`).Scan(&left, &unlogged)
		return err == nil && left == 0 && unlogged == 0
	})
}

// spending is what the database has used.
type spending struct {
	log   int
	table map[string]int // bytes on disk with indexes, by table and index
}

func (s *shop) spent() spending {
	s.t.Helper()
	used := spending{table: map[string]int{}}
	rows, err := s.db.Pool.Query(s.t.Context(), `SELECT relname, pg_table_size(oid),
		pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint
		FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var bytes int
		if err := rows.Scan(&name, &bytes, &used.log); err != nil {
			s.t.Fatal(err)
		}
		used.table[name] = bytes
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return used
}

// disk returns the bytes of one charge, and the relations that they lie in.
func (s spending) disk(before spending, charges int) (each int, report string) {
	var b strings.Builder
	for name, bytes := range s.table {
		if more := (bytes - before.table[name]) / charges; more > 0 {
			fmt.Fprintf(&b, "%6d %s\n", more, name)
			each += more
		}
	}
	return each, b.String()
}
