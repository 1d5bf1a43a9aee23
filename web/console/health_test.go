package console_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/web"
	"garoupa/web/webtest"
)

// The page of health says what is well, and of the rest what to look at.
func TestOps_Health(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	part := func(id string) string {
		a := c.Get("/ops/saude")
		return strings.Join(strings.Fields(a.Find("section[aria-labelledby=health-"+id+"]").Text()), " ")
	}
	says := func(id string, wants ...string) {
		t.Helper()
		got := part(id)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s says %q, not %q", id, got, want)
			}
		}
	}
	says("test", "Tudo certo", "Simulador", "Pagamentos recebidos0", "Nenhum em 24 horas")
	says("deliveries", "Tudo certo", "Na fila agora0", "Nada na fila")
	says("books", "Primeira conferência em até uma hora", "Nenhuma ainda")
	says("audit", "Primeira conferência em até uma hora", "Nenhuma ainda")
	modelstest.Exec(t, s.DB, "INSERT INTO installation (key_check, created_at) VALUES ('x', $1)",
		s.Clock.Now().Add(-3*time.Hour))
	says("books", "Precisa de atenção", "Nenhuma ainda", "garoupa check")
	says("audit", "Precisa de atenção", "Nenhuma ainda", "garoupa check")
	if got := strings.Join(strings.Fields(c.Get("/ops/saude").Find("section[aria-labelledby=card-endpoints]").Text()),
		" "); !strings.Contains(got, "Nenhum endpoint falha agora.") {
		t.Errorf("of endpoints it says %q", got)
	}

	endpoint, _ := s.Endpoint(t, "https://loja.example/hook?token=secreto")
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 10_00})
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, `UPDATE webhook_endpoints SET failing_since = $1, troubled_at = $2, failed_events = 3
		WHERE id = $3`, s.Clock.Now(), s.Clock.Now(), endpoint.ID)
	modelstest.Exec(t, s.DB, `UPDATE webhook_deliveries SET next_attempt_at = $1 WHERE status = 'PENDING'`,
		s.Clock.Now().Add(-time.Hour))
	for kind, flaw := range map[string]string{
		models.ExaminedBooks: "gift/1: something else",
		models.ExaminedAudit: models.AuditFlaw{What: models.AuditLineMissing, ID: 12}.String(),
	} {
		result := models.Examination{At: new(s.Clock.Now()), Flaws: []string{flaw}}
		if err := models.RecordExamination(t.Context(), s.DB.Pool, kind, result); err != nil {
			t.Fatal(err)
		}
	}
	if err := models.InsertAPIRequests(t.Context(), s.DB.Pool,
		[]models.APIRequest{{ProjectID: s.Test.ProjectID, At: s.Clock.Now(), Status: 503}}); err != nil {
		t.Fatal(err)
	}
	says("test", "Precisa de atenção", "Pagamentos recebidos1", "Requisições não respondidas1", "log do servidor")
	says("deliveries", "Precisa de atenção", "Na fila agora2", "há 1 h", "inicie mais um processo")
	says("books", "Diferença", "gift/1: something else", "docs/operations.md")
	says("audit", "Diferença", "A linha 12 foi apagada.", "docs/operations.md")
	page := c.Get("/ops/saude")
	failing := page.Find("section[aria-labelledby=card-endpoints] a")
	if text := failing.Text(); failing.Length() != 1 || !strings.Contains(text, "loja.example") ||
		strings.Contains(text, "secreto") || !strings.Contains(text, "abandonados: 3") {
		t.Errorf("of endpoints it says %q", text)
	}
}

// The books are well once both of their comparisons are done, say how far each got, and
// want attention when either is late.
func TestOps_HealthOfBooks(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	says := func(wants ...string) {
		t.Helper()
		got := strings.Join(strings.Fields(c.Get("/ops/saude").Find("section[aria-labelledby=health-books]").Text()),
			" ")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("it says %q, not %q", got, want)
			}
		}
	}
	s.Fund(t, models.Test, 10_00)
	check := func() {
		t.Helper()
		if drift, err := s.Gateway.CheckBooks(t.Context()); err != nil || len(drift) > 0 {
			t.Fatal(drift, err)
		}
	}
	modelstest.Exec(t, s.DB, "INSERT INTO installation (key_check, created_at) VALUES ('x', $1)",
		s.Clock.Now().Add(-9*24*time.Hour))
	check()
	says("Precisa de atenção", "Conferido até o lançamento2", "Última conferência completaNenhuma ainda")
	modelstest.Exec(t, s.DB, "UPDATE ledger_pass SET began_at = $1, compared = 1200", s.Clock.Now())
	says("Tudo certo", "em andamento desde", "1.200 itens conferidos")
	if err := s.Gateway.CheckAllBooks(t.Context()); err != nil {
		t.Fatal(err)
	}
	says("Tudo certo", "Última conferência completa1 de mar. de 2026")
	s.Clock.Advance(3 * time.Hour)
	says("Precisa de atenção")
	check()
	says("Tudo certo")
	modelstest.Exec(t, s.DB, "UPDATE examinations SET examined_at = examined_at - interval '8 days' "+
		"WHERE kind = 'books_full'")
	says("Precisa de atenção")
}

// Where /dev/mail shows the mails, those that wait are no problem.
func TestOps_HealthOfShownMails(t *testing.T) {
	t.Parallel()
	for shown, want := range map[bool]string{true: "Aparecem em /dev/mail", false: "Precisa de atenção"} {
		s := webtest.NewWith(t, func(o *web.Options) {
			if !shown {
				o.Mails = nil
			}
		})
		c, _ := s.Console(t, models.StaffReviewer)
		if _, err := s.Merchants.Invite(t.Context(), s.Owner,
			merchants.NewInvite{Email: "bia@example.com", Role: models.RoleViewer}); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Hour)
		got := c.Get("/ops/saude").Find("section[aria-labelledby=health-mails]").Text()
		if !strings.Contains(got, want) {
			t.Errorf("with mails shown (%t) it says %q", shown, got)
		}
	}
}

// silentBank is an institution for live that does not answer.
type silentBank struct{ psp.None }

// unanswered records API calls that an environment's institution did not answer, some hours
// ago each.
func unanswered(t *testing.T, s *webtest.Site, environment models.Environment, hours ...int) {
	t.Helper()
	calls := make([]models.APIRequest, len(hours))
	for i, ago := range hours {
		calls[i] = models.APIRequest{ProjectID: s.Test.ProjectID, Environment: environment, Status: 503,
			At: s.Clock.Now().Add(-time.Duration(ago) * time.Hour)}
	}
	if err := models.InsertAPIRequests(t.Context(), s.DB.Pool, calls); err != nil {
		t.Fatal(err)
	}
}

// The queues count the calls of a day that the institutions of both environments did not
// answer, and have the age of the oldest. Without an institution for live, its calls are no
// problem.
func TestOps_QueueOfInstitutions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		live         psp.Provider
		count, age   string
		environments int
		test, bank   []int // hours ago
	}{
		"all answered":       {psp.None{}, "0", "", 0, nil, nil},
		"one environment":    {psp.None{}, "2", "há 5 h", 1, []int{3, 5, 25}, nil},
		"no bank":            {psp.None{}, "1", "há 3 h", 1, []int{3}, []int{4}},
		"live silent longer": {silentBank{}, "3", "há 7 h", 2, []int{3, 5}, []int{7}},
		"test silent longer": {silentBank{}, "3", "há 5 h", 2, []int{3, 5}, []int{4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := webtest.Serve(t, paymentstest.NewWith(t, tc.live), func(*web.Options) {}, func(*api.Options) {})
			unanswered(t, s, models.Test, tc.test...)
			unanswered(t, s, models.Live, tc.bank...)
			c, _ := s.Console(t, models.StaffReviewer)
			queue := c.Get("/ops").Find("section[aria-labelledby=queue-institutions]")
			count, age := queue.Find("h2 span").Text(), strings.TrimSpace(queue.Find("h2 + span").Text())
			if n := queue.Find("li").Length(); count != tc.count || age != tc.age || n != tc.environments {
				t.Errorf("%s calls, %q, of %d environments, want %s, %q, of %d", count, age, n, tc.count, tc.age,
					tc.environments)
			}
		})
	}
}

// The page of health counts a queue up to ten thousand, and says that there may be more.
func TestOps_HealthOfLongQueue(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	for _, queue := range []struct {
		mails int
		want  string
	}{
		{models.HealthCountsTo - 1, "Na fila agora9.999Item mais antigo"},
		{models.HealthCountsTo, "Na fila agora10.000 ou maisItem mais antigo"},
		{models.HealthCountsTo + 1, "Na fila agora10.000 ou maisItem mais antigo"},
	} {
		modelstest.Exec(t, s.DB, "DELETE FROM mails")
		modelstest.Exec(t, s.DB, `INSERT INTO mails (id, fact, recipient, language, kind, created_at)
			SELECT 'mail_' || lpad(to_hex(n), 20, '0'), n::text, 'ana@example.com', 'en', 'totp_enrolled', $2
			FROM generate_series(1, $1) n`, queue.mails, s.Clock.Now())
		got := c.Get("/ops/saude").Find("section[aria-labelledby=health-mails]").Text()
		if got = strings.Join(strings.Fields(got), " "); !strings.Contains(got, queue.want) {
			t.Errorf("of %d mails it says %q, not %q", queue.mails, got, queue.want)
		}
	}
}

// Where the audit log is streamed, the page says how far the receiver is behind, and why.
func TestOps_HealthOfStream(t *testing.T) {
	t.Parallel()
	without, _ := webtest.New(t).Console(t, models.StaffReviewer)
	if without.Get("/ops/saude").Find("section[aria-labelledby=health-stream]").Length() != 0 {
		t.Error("there is a stream without a receiver")
	}
	s := webtest.NewWith(t, func(o *web.Options) { o.AuditStreamed = true })
	c, _ := s.Console(t, models.StaffReviewer)
	says := func(wants ...string) {
		t.Helper()
		part := c.Get("/ops/saude").Find("section[aria-labelledby=health-stream]")
		got := strings.Join(strings.Fields(part.Text()), " ")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("the page says %q, not %q", got, want)
			}
		}
	}
	says("Envio da auditoria", "Na fila agora")
	s.Clock.Advance(10 * time.Minute)
	if err := s.Merchants.StreamAudit(t.Context(), failingReceiver{}); err != nil {
		t.Fatal(err)
	}
	says("Precisa de atenção", "Falha desde", "Último erroanswered 503", "GAROUPA_AUDIT_STREAM")
	s.Clock.Advance(time.Minute)
	if err := s.Merchants.StreamAudit(t.Context(), workingReceiver{}); err != nil {
		t.Fatal(err)
	}
	says("Tudo certo", "Na fila agora0", "Último envio")
}

type failingReceiver struct{}

func (failingReceiver) Send(context.Context, [][]byte) error { return errors.New("answered 503") }

type workingReceiver struct{}

func (workingReceiver) Send(context.Context, [][]byte) error { return nil }
