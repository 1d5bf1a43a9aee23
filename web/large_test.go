//go:build large

package web_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

const (
	// measured is how often each question is asked of each shop, in turn.
	measured = 15
	// slower is how much longer the large shop may take than the small one, and atLeast the difference below which a
	// person or a program does not notice it.
	slower  = 1.10
	atLeast = 2 * time.Millisecond
)

// A shop with ten million charges (LARGE_CHARGES) answers as fast as one with ten thousand, and no job reads all.
func TestLarge(t *testing.T) {
	small, large := admit(t, openShop(t, 1)), admit(t, openShop(t, largeCopies(t)))
	asked := questions()
	for _, name := range slices.Sorted(maps.Keys(small.jobs())) {
		asked = append(asked, question{name: "job: " + name, before: (*largeShop).live,
			ask: func(t *testing.T, s *largeShop) {
				t.Helper()
				if err := s.jobs()[name](t.Context()); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}})
	}
	var lines []string
	for _, q := range asked {
		lines = append(lines, q.compare(t, [2]*largeShop{small, large}))
	}
	reportLarge(t, fmt.Sprintf("%s\n\n%s", large.size(t), table(lines)))
}

func largeCopies(t *testing.T) int {
	t.Helper()
	charges, err := strconv.Atoi(cmp.Or(os.Getenv("LARGE_CHARGES"), "10000000"))
	if err != nil || charges < 2*modelCharges {
		t.Fatalf("LARGE_CHARGES is a number of charges, at least %d", 2*modelCharges)
	}
	return charges / modelCharges
}

// largeShop is a site with sales of a year, and who asks it.
type largeShop struct {
	*webtest.Site
	owner, staff, buyer, program *webtest.Client
	// an old charge, its external id and buyer, an event, an endpoint and a link
	charge, externalID, email, event, endpoint, link string
	sold                                             int
}

// admit logs in who asks the shop, and chooses what they ask for.
func admit(t *testing.T, s *largeShop) *largeShop {
	t.Helper()
	s.owner, s.buyer, s.program = s.Member(t), s.Client(t), s.Client(t)
	s.staff = s.Client(t)
	email := strings.ToLower(rand.Text()) + "@staff.example"
	s.AddStaff(t, email, models.StaffSupervisor)
	s.staff.Post("/entrar", "email", email, "password", paymentstest.Password)
	s.Enroll(t, s.staff, s.staff.Get("/ops").Header.Get("Location"))
	s.program.Header = http.Header{"Authorization": {"Bearer " + s.Key(t, s.Test, models.Permissions...)}}
	modelstest.Exec(t, s.DB, "UPDATE api_keys SET events = true")
	one := func(sql string) (value string) {
		t.Helper()
		if err := s.DB.Background.QueryRow(t.Context(), sql).Scan(&value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	of := " WHERE project_id = '" + s.Test.ProjectID + "' AND NOT livemode "
	s.charge = one("SELECT id FROM checkouts" + of + `AND external_id LIKE 'pedido-%' AND status = 'PAID'
		ORDER BY created_at, id LIMIT 1 OFFSET 1000`)
	s.externalID = one("SELECT external_id FROM checkouts WHERE id = '" + s.charge + "'")
	s.email = one("SELECT customer_email FROM checkouts WHERE id = '" + s.charge + "'")
	s.event = one("SELECT id FROM events" + of + "ORDER BY created_at, id LIMIT 1 OFFSET 1000")
	s.endpoint, s.link = one("SELECT id FROM webhook_endpoints"), one("SELECT id FROM payment_links LIMIT 1")
	return s
}

// sell creates a charge and pays it, so that jobs have something to do.
func (s *largeShop) sell(t *testing.T) {
	t.Helper()
	s.sold++
	a := s.program.Send(http.MethodPost, "/v1/checkouts", "application/json", strings.NewReader(fmt.Sprintf(
		`{"amount": 1990, "description": "Vaso Lua Nova", "externalId": "sold-%d"}`, s.sold)))
	id, _, ok := strings.Cut(strings.TrimPrefix(a.Body, `{"id":"`), `"`)
	if a.Status != http.StatusCreated || !ok {
		t.Fatalf("sell: %d %.200s", a.Status, a.Body)
	}
	if a := s.buyer.Post("/pay/" + id + "/simulate"); a.Status >= http.StatusBadRequest {
		t.Fatalf("pay: %d %.200s", a.Status, a.Body)
	}
}

// live lets a minute pass in which a charge is paid, which is when most jobs run again.
func (s *largeShop) live(t *testing.T) {
	t.Helper()
	s.sell(t)
	s.Clock.Advance(time.Minute)
}

// jobs are the works that run without a request, by name.
func (s *largeShop) jobs() map[string]func(ctx context.Context) error {
	count := func(do func(context.Context) (int, error)) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := do(ctx)
			return err
		}
	}
	rollUp := func(do func(*models.Tx, time.Time) (bool, error)) func(context.Context) error {
		return func(ctx context.Context) error {
			for more := true; more; {
				if err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
					more, err = do(tx, s.Clock.Now())
					return err
				}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return map[string]func(context.Context) error{
		"expire charges":   count(s.ExpireDue),
		"settle payments":  count(s.SettleDue),
		"complete charges": count(s.CoverDue),
		"figures by hour":  rollUp(models.RollUpHours),
		"figures of links": rollUp(models.RollUpLinkDays),
		"words of charges": func(ctx context.Context) error {
			return jobs.WriteWords(ctx, s.DB, s.Clock.Now())
		},
		"customers":                s.GatherCustomers,
		"snapshot of the books":    s.SnapshotLedger,
		"check of the new books":   s.check,
		"seals of the audit log":   s.seal,
		"counts in the audit log":  s.Merchants.RecordCounts,
		"mails about paid charges": s.TellPaid,
		"deliveries":               s.deliver,
		"what ends": func(ctx context.Context) error {
			return jobs.Forget(ctx, s.DB.Pool, s.Clock.Now(), 90*24*time.Hour)
		},
		"buyers who end": func(ctx context.Context) error {
			return jobs.ForgetBuyers(ctx, s.DB, s.Clock.Now(), 5*365*24*time.Hour)
		},
	}
}

func (s *largeShop) check(ctx context.Context) error {
	drift, err := s.CheckBooks(ctx)
	if err == nil && len(drift) > 0 {
		err = fmt.Errorf("the books do not agree: %q", drift[:min(len(drift), 3)])
	}
	return err
}

func (s *largeShop) seal(ctx context.Context) error {
	flaws, err := s.Merchants.SealAudit(ctx)
	if err == nil && len(flaws) > 0 {
		err = fmt.Errorf("the audit log does not agree: %v", flaws[0])
	}
	return err
}

// deliver takes what is due for the endpoint and records that it answered.
func (s *largeShop) deliver(ctx context.Context) error {
	busy, err := models.BusyEndpoints(ctx, s.DB.Queue, s.Clock.Now())
	if err != nil || len(busy) == 0 {
		return err
	}
	due, err := models.TakeDeliveries(ctx, s.DB.Queue, s.Clock.Now(),
		[]models.EndpointRoom{{BusyEndpoint: busy[0], Room: 100}})
	for _, d := range due {
		done := models.Attempt{StartedAt: s.Clock.Now(), StatusCode: http.StatusNoContent}
		err = errors.Join(err, s.RecordAttempt(ctx, &d.Delivery, nil, done))
	}
	return err
}

// size describes what the shop has.
func (s *largeShop) size(t *testing.T) string {
	t.Helper()
	var size string
	err := s.DB.Background.QueryRow(t.Context(), `SELECT format('%s charges, %s payments, %s lines in the books, '
		|| '%s customers, %s events with a delivery each, %s calls and %s lines of the audit log; %s on disk.',
		(SELECT count(*) FROM checkouts), (SELECT count(*) FROM payments), (SELECT count(*) FROM ledger_transfers),
		(SELECT count(*) FROM customers), (SELECT count(*) FROM events), (SELECT count(*) FROM api_requests),
		(SELECT count(*) FROM audit_log), pg_size_pretty(pg_database_size(current_database())))`).Scan(&size)
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// took are the durations of one question.
type took []time.Duration

func (d took) median() time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }

// compare asks both shops in turn, returns a line of the report, and fails the test if the large shop is slower.
func (q question) compare(t *testing.T, of [2]*largeShop) string {
	t.Helper()
	times := [2]took{}
	for range measured {
		for i, s := range of {
			if q.before != nil {
				q.before(s, t)
			}
			began := time.Now()
			q.ask(t, s)
			times[i] = append(times[i], time.Since(began))
		}
	}
	small, large := times[0].median(), times[1].median()
	ratio := float64(large) / float64(small)
	mark := ""
	if q.bounded() {
		mark = " bounded"
	} else if ratio > slower && large-small > atLeast {
		mark = " **slower**"
		t.Errorf("%s: %s, and %s in the large shop", q.name, small, large)
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("| %s | %.1f | %.1f | %.2f%s |", q.name, ms(small), ms(large), ratio, mark)
}

func table(lines []string) string {
	return "| What | 10,000 charges: ms | Large: ms | Ratio |\n|---|--:|--:|--:|\n" + strings.Join(lines, "\n")
}

const (
	largeBegins = "<!-- make bench-large writes from here -->\n"
	largeEnds   = "<!-- bench-large: to here -->\n"
)

// reportLarge writes the figures into the file that GAROUPA_LARGE_REPORT names.
func reportLarge(t *testing.T, text string) {
	t.Helper()
	t.Log("\n" + text)
	name := os.Getenv("GAROUPA_LARGE_REPORT")
	if name == "" {
		return
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(content), largeBegins)
	_, after, ends := strings.Cut(rest, largeEnds)
	if !begins || !ends {
		t.Fatalf("%s has no place for the report", name)
	}
	if err := os.WriteFile(name, []byte(before+largeBegins+"\n"+text+"\n\n"+largeEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
