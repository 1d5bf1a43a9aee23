package metrics_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"garoupa/internal/metrics"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// watched returns metrics of a process that has done one of everything.
func watched(t *testing.T, db *models.DB) *metrics.Metrics {
	t.Helper()
	clock, err := models.NewClock(t.Context(), db, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	m := metrics.New()
	m.Watch(metrics.Options{
		Version: "1.2.3", Schema: 99, DB: db, Clock: clock, Listening: func() bool { return true },
		Streams: func() int { return 3 }, Leases: func() int { return 2 },
		Batches: func() map[string]models.BatchState {
			return map[string]models.BatchState{"checkouts": {Commits: 4, Values: 9, Waiting: 1}}
		},
	})
	m.Request(http.MethodGet, "/v1/checkouts/:id", http.StatusOK, 3*time.Millisecond)
	m.Attempt("")
	m.Attempt("timeout")
	m.BankCall("put charge", "ok", 200*time.Millisecond)
	return m
}

func read(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%d %v %s", answer.Code, err, body)
	}
	return string(body)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	now := time.Now()
	result := models.Examination{At: &now, Flaws: []string{"x"}}
	if err := models.RecordExamination(t.Context(), db.Pool, models.ExaminedBooks, result); err != nil {
		t.Fatal(err)
	}
	text := read(t, watched(t, db))
	for _, line := range []string{
		`garoupa_http_requests_total{method="GET",route="/v1/checkouts/:id",status="200"} 1`,
		`garoupa_http_request_duration_seconds_bucket{method="GET",route="/v1/checkouts/:id",le="0.0025"} 0`,
		`garoupa_http_request_duration_seconds_bucket{method="GET",route="/v1/checkouts/:id",le="0.005"} 1`,
		`garoupa_webhook_attempts_total{outcome="ok"} 1`, `garoupa_webhook_attempts_total{outcome="timeout"} 1`,
		`garoupa_bank_calls_total{operation="put charge",outcome="ok"} 1`,
		`garoupa_listening 1`, `garoupa_streams_open 3`, `garoupa_webhook_leases_held 2`, `garoupa_database_up 1`,
		`garoupa_batch_commits_total{batch="checkouts"} 4`, `garoupa_batch_values_total{batch="checkouts"} 9`,
		`garoupa_batch_waiting{batch="checkouts"} 1`, `garoupa_oldest_due_seconds{kind="delivery"} 0`,
		`garoupa_oldest_due_seconds{kind="settlement"} 0`, `garoupa_examination_flaws{kind="books"} 1`,
		`garoupa_examined_timestamp_seconds{kind="audit"} 0`, `garoupa_db_pool_connections_max{pool="reserved"} 2`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	if !strings.Contains(text, `garoupa_build_info{go="go`) ||
		!strings.Contains(text, `schema="99",version="1.2.3"} 1`) {
		t.Error("the build is missing")
	}
}

// The age of what is due is that of the oldest row.
func TestMetrics_Due(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if _, err := db.Pool.Exec(t.Context(), `INSERT INTO mails (id, fact, kind, language, recipient, created_at)
		SELECT 'mail_' || repeat(n::text, 20), n, 'x', 'en', 'a@b', now() - n * interval '1 hour'
		FROM generate_series(1, 2) n`,
	); err != nil {
		t.Fatal(err)
	}
	age := regexp.MustCompile(`garoupa_oldest_due_seconds\{kind="mail"\} 7[2-9]\d\d`)
	if text := read(t, watched(t, db)); !age.MatchString(text) {
		t.Errorf("the oldest mail waits for two hours:\n%s", text)
	}
}

// Without the database the process still tells of itself, and nothing that could be mistaken for zero.
func TestMetrics_DatabaseLost(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	m := watched(t, db)
	db.Close()
	text := read(t, m)
	if !strings.Contains(text, "garoupa_database_up 0\n") || strings.Contains(text, "garoupa_oldest_due_seconds{") ||
		!strings.Contains(text, "garoupa_streams_open 3\n") {
		t.Errorf("without the database:\n%s", text)
	}
}

// Nil counts nothing, and breaks nothing.
func TestMetrics_None(t *testing.T) {
	t.Parallel()
	var m *metrics.Metrics
	m.Request("", "", 0, 0)
	m.Attempt("")
	m.BankCall("", "", 0)
}

// Dashboards, rules and runbooks name metrics that are served, and records that a rule makes.
func TestDeploy(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if err := db.ReadFrom(t.Context(), db.Pool.Config().ConnString()); err != nil { // it is no standby
		t.Fatal(err)
	}
	text := read(t, watched(t, db))
	series := regexp.MustCompile(`\b(?:garoupa_|process_)[a-z_]+\b|\bgaroupa:[a-z0-9_:]+\b`)
	rules := content(t, "../../deploy/prometheus/garoupa.rules.yml")
	found := 0
	for _, file := range []string{"../../deploy/prometheus/garoupa.rules.yml",
		"../../deploy/prometheus/garoupa.test.yml", "../../deploy/grafana/garoupa.json"} {
		for _, name := range series.FindAllString(content(t, file), -1) {
			found++
			served := strings.Contains(text, "\n"+name+"{") || strings.Contains(text, "\n"+name+" ")
			if !served && !strings.Contains(rules, "- record: "+name+"\n") {
				t.Errorf("%s names %s, which is not served", file, name)
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d names were found", found)
	}
	for _, alert := range regexp.MustCompile(`alert: (\w+)[\s\S]*?runbook: (\S+)`).FindAllStringSubmatch(rules, -1) {
		if page := content(t, "../../"+alert[2]); !strings.HasPrefix(page, "# "+alert[1]+"\n") {
			t.Errorf("%s is not about %s", alert[2], alert[1])
		}
		if !strings.Contains(content(t, "../../deploy/prometheus/garoupa.test.yml"), "alertname: "+alert[1]+"\n") {
			t.Errorf("no test lets %s fire", alert[1])
		}
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
