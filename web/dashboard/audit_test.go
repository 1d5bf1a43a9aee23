package dashboard_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/views/i18n"
	"garoupa/web/webtest"
)

// acts writes some lines of the audit log: two of the owner's, one of staff's.
func acts(t *testing.T, s *webtest.Site) (key string) {
	t.Helper()
	made, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Test,
		merchants.NewKey{Name: "=cmd()", Permissions: merchants.CheckoutIntegration})
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(24 * time.Hour)
	by := s.AddStaff(t, "eva@example.com", models.StaffReviewer)
	by.IP, by.RequestID = "198.51.100.9", "req_of_staff"
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
		merchants.SwitchTurn{Switch: models.SwitchLiveBlocked, On: true, Reason: "Ordem judicial 12."}); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// The owner sees what was done to the account, when and from where, but not who of
// staff did it; other members see nothing of it.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	key := acts(t, s)
	c := s.Member(t)
	a := c.Get("/app/auditoria")
	text := a.Find("main ul").Text()
	for _, want := range []string{"Trava ligada", "Operação", "Ordem judicial 12.",
		"Bloqueio das operações de produção", "Chave de API criada", "Ana Lima", key, "127.0.0.1", "Criar cobranças"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not show %q", want)
		}
	}
	for _, secret := range []string{"Eva", "eva@example.com", "198.51.100.9", "req_of_staff"} {
		if strings.Contains(a.Body, secret) {
			t.Errorf("the merchant learns %q of staff", secret)
		}
	}
	if a.Find(`nav a[href="/app/auditoria"]`).Length() == 0 {
		t.Error("the menu does not lead to the log")
	}
	if a.Find(`main li a[href="/app/chaves"]:contains("`+key+`")`).Length() != 1 ||
		a.Find(`main li a[href="/app/configuracoes"]:contains("`+s.Account.ID+`")`).Length() == 0 {
		t.Error("the log does not lead to what it names")
	}
	keepsStaffUnknown(t, s, c)
	c.Lang = "en"
	if text := c.Get("/app/auditoria").Find("main ul").Text(); !strings.Contains(text, "Switch turned on") ||
		!strings.Contains(text, "by Operations") {
		t.Errorf("in English: %s", text)
	}
	c.Lang = "pt-BR"
	s.GiveRole(t, models.RoleAdmin)
	for _, path := range []string{"/app/auditoria", "/app/auditoria.csv"} {
		if a := c.Get(path); a.Status != http.StatusForbidden {
			t.Errorf("%s as an administrator: %d", path, a.Status)
		}
	}
	if a := c.Get("/app"); a.Find(`nav a[href="/app/auditoria"]`).Length() != 0 {
		t.Error("the menu leads where the member may not go")
	}
}

// keepsStaffUnknown looks for who of staff acted by asking for them, and again once they
// work elsewhere, or with the merchant.
func keepsStaffUnknown(t *testing.T, s *webtest.Site, c *webtest.Client) {
	t.Helper()
	eva := modelstest.One[string](t, s.DB, "SELECT id FROM users WHERE email = 'eva@example.com'")
	for _, sql := range []string{
		"SELECT", "UPDATE users SET staff_role = NULL WHERE id = '" + eva + "'",
		"INSERT INTO members (account_id, user_id, role, created_at) VALUES ('" + s.Account.ID + "', '" + eva +
			"', 'VIEWER', now())",
	} {
		modelstest.Exec(t, s.DB, sql)
		for query, want := range map[string]int{"actor=eva@example.com": 0, "actor=" + eva: 0,
			"request=req_of_staff": 0, "actor=staff": 1, "": 5} {
			page, file := c.Get("/app/auditoria?"+query), c.Get("/app/auditoria.csv?"+query)
			if lines := page.Find("main section ul > li").Length(); lines != want ||
				strings.Count(file.Body, "\n") != 1+want {
				t.Errorf("%s: with %q the merchant is shown %d lines, and the file %q", sql, query, lines, file.Body)
			}
			for _, secret := range []string{"Eva Reis", "198.51.100.9", "REVIEWER", eva} {
				if strings.Contains(page.Find("main section ul").Text(), secret) ||
					strings.Contains(file.Body, secret) {
					t.Errorf("%s: with %q the merchant learns %q of staff", sql, query, secret)
				}
			}
		}
	}
}

// Each filter narrows the log, and pages of it neither repeat nor leave out a line.
func TestAudit_Filter(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	key := acts(t, s)
	c := s.Member(t)
	for query, want := range map[string]int{
		"": 5, "subject=switch": 1, "subject=api_key": 1, "subject=withdrawal": 0, "subject=nonsense": 5,
		"actor=ANA@example.com":   4,
		"actor=" + s.Owner.UserID: 4, "object=" + key: 1, "from=2026-03-01&until=2026-03-01": 2, "from=2026-03-02": 3,
		"until=2026-02-28": 0, "subject=session": 2, // the log-in, and its new device
		"actor=%00%ff": 5, "account=acc_00000000000000000000": 5, "subject=api_key&actor=nobody": 0,
	} {
		if a := c.Get("/app/auditoria?" + query); a.Find("main section ul > li").Length() != want {
			t.Errorf("%s: %d lines, want %d", query, a.Find("main section ul > li").Length(), want)
		}
	}
	if a := c.Get("/app/auditoria.csv?from=ontem"); a.Header.Get("Location") != "/app/auditoria?from=ontem" {
		t.Errorf("a file of a day that is none: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := c.Get("/app/auditoria?from=ontem"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#from-error").Length() != 1 || a.Find("#from").AttrOr("value", "") != "ontem" {
		t.Error("a day that is none is not told")
	}
	for range 60 {
		if _, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Test,
			merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration}); err != nil {
			t.Fatal(err)
		}
	}
	seen, path := map[string]bool{}, "/app/auditoria?subject=api_key"
	for page := 0; path != ""; page++ {
		a := c.Get(path)
		for _, object := range a.Find("main section ul > li").EachIter() {
			id := regexp.MustCompile(`key_[0-9a-f]{20}`).FindString(object.Text())
			if id == "" || seen[id] {
				t.Fatalf("%s: %q again", path, id)
			}
			seen[id] = true
		}
		path = a.Find("main a[rel=next]").AttrOr("href", "")
		if page == 0 { // a line that is written meanwhile shifts nothing
			if _, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Test,
				merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 61 {
		t.Errorf("%d keys were seen", len(seen))
	}
}

// The file has what the page has, as one line each, and nothing in it runs in a
// spreadsheet.
func TestAudit_File(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	acts(t, s)
	for n := range 510 { // more than one batch
		if n%merchants.MaxKeys == merchants.MaxKeys/2 {
			modelstest.Exec(t, s.DB, "UPDATE api_keys SET revoked_at = now()")
		}
		if _, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Test,
			merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration}); err != nil {
			t.Fatal(err)
		}
	}
	modelstest.Exec(t, s.DB, "UPDATE users SET name = '=HYPERLINK(1)' WHERE id = $1", s.Owner.UserID)
	read := func(c *webtest.Client, path string) (webtest.Answer, [][]string) {
		t.Helper()
		a := c.Get(path)
		return a, records(t, c.Lang, a.Body)
	}
	a, rows := read(s.Member(t), "/app/auditoria.csv")
	if a.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		a.Header.Get("Content-Disposition") != `attachment; filename="auditoria-2026-03-02.csv"` {
		t.Errorf("headers %v", a.Header)
	}
	if len(rows) != 1+5+510 || rows[0][2] != "Ação" || !strings.HasPrefix(a.Body, "\uFEFF") {
		t.Fatalf("%d records, %v", len(rows), rows[0])
	}
	if !slices.IsSortedFunc(rows[1:], func(a, b []string) int { return strings.Compare(b[1], a[1]) }) {
		t.Error("not the newest first")
	}
	for _, record := range rows[1:] {
		if record[2] == "Trava ligada" && (record[5] != "staff" || record[6] != "Operação" || record[11] != "") {
			t.Errorf("the merchant's file tells of staff: %v", record)
		}
		if strings.HasPrefix(record[6], "=") || record[2] == "Conta criada" && record[6] != "'=HYPERLINK(1)" {
			t.Errorf("a spreadsheet would run %v", record)
		}
	}
	for lang, want := range map[string][]string{
		"pt-BR": {"Papel", "Data (horário de Brasília)", "Trava ligada", "02/03/2026 09:00:00"},
		"en":    {"actor_role", "at_brasilia", "switch.turned_on", "2026-03-02 09:00:00"},
	} {
		member := s.Member(t)
		member.Lang = lang
		_, rows := read(member, "/app/auditoria.csv?subject=switch")
		if len(rows) != 2 || !slices.Equal([]string{rows[0][13], rows[0][14], rows[1][2], rows[1][14]}, want) {
			t.Errorf("%s: with a filter: %v", lang, rows)
		}
	}

	c, _ := s.Console(t, models.StaffSupervisor)
	if _, rows := read(c, "/ops/auditoria.csv?subject=switch&account="+s.Account.ID); len(rows) != 2 ||
		rows[1][7] != "eva@example.com" || rows[1][12] != "req_of_staff" {
		t.Errorf("staff read %v", rows)
	}
	if _, rows := read(c, "/ops/auditoria.csv?subject=staff"); len(rows) != 3 {
		t.Errorf("acts on no account: %v", rows)
	}
	if a := c.Get("/ops/auditoria?subject=switch&account=" + s.Account.ID); !strings.Contains(a.Find("main").Text(),
		"Eva Reis") || a.Find("main a[download]").AttrOr("href", "") != "/ops/auditoria.csv?account="+s.Account.ID+
		"&subject=switch" {
		t.Error("the console's log lacks the account's acts")
	}
}

// Supervisors see how far the log is sealed, that it agrees, and which line does not.
func TestAudit_Seal(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	acts(t, s)
	c, _ := s.Console(t, models.StaffSupervisor)
	says := func(wants ...string) {
		t.Helper()
		got := strings.Join(strings.Fields(c.Get("/ops/auditoria").Find("section[aria-labelledby=seal]").Text()), " ")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("of its seals the page says %q, not %q", got, want)
			}
		}
	}
	says("Ainda sem lacre")
	if _, err := s.Merchants.SealAudit(t.Context()); err != nil {
		t.Fatal(err)
	}
	sealed, err := models.AuditSealed(t.Context(), s.DB.Pool)
	if err != nil {
		t.Fatal(err)
	}
	says("Cadeia de lacres íntegra", fmt.Sprintf("%d linhas", sealed.Lines), fmt.Sprintf("sha256 %x", sealed.Hash),
		"Conferido em")
	for _, sql := range []string{"ALTER TABLE audit_log DISABLE TRIGGER audit_log_final",
		"UPDATE audit_log SET actor = 'system' WHERE action = 'switch.turned_on'"} {
		modelstest.Exec(t, s.DB, sql)
	}
	if _, err := s.Merchants.SealAudit(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id int64
	if err := s.DB.Pool.QueryRow(t.Context(),
		"SELECT id FROM audit_log WHERE action = 'switch.turned_on'").Scan(&id); err != nil {
		t.Fatal(err)
	}
	says("A cadeia de lacres não confere", fmt.Sprintf("A linha %d foi alterada depois de lacrada.", id))

	line := strings.Join(strings.Fields(c.Get("/ops/auditoria?subject=api_key").Find("main ul").Text()), " ")
	for _, want := range []string{"UTC", "Dono", "127.0.0.1"} {
		if !strings.Contains(line, want) {
			t.Errorf("a line says %q, not %q", line, want)
		}
	}
}

// Every act that is written down has words in both languages, and a subject in the
// filter.
func TestAudit_Words(t *testing.T) {
	t.Parallel()
	offered := offeredSubjects(t)
	act := regexp.MustCompile(`"((?:access|account|amount|api_key|brand|destination|exception|invite|member|` +
		`payment|payment_link|product|project|session|staff|switch|user|webhook_endpoint|withdrawal)\.[a-z_]+)"`)
	found := 0
	for _, folder := range []string{"../../merchants", "../../payments", "../../models", "../../cmd/garoupa"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range act.FindAllStringSubmatch(string(source), -1) {
				if strings.HasSuffix(file, "_test.go") || m[1] == "withdrawal.created" { // an event and no act
					continue
				}
				found++
				key := "audit.action_" + strings.ReplaceAll(m[1], ".", "_")
				for _, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
					if i18n.In(lang, key) == key {
						t.Errorf("%s: no %s words for %s", file, lang, m[1])
					}
				}
				if subject, _, _ := strings.Cut(m[1], "."); !slices.Contains(offered, subject) {
					t.Errorf("%s: the filter does not offer %s", file, subject)
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("%d acts found", found)
	}
}

// offeredSubjects are the subjects that the filter offers.
func offeredSubjects(t *testing.T) (offered []string) {
	t.Helper()
	for _, option := range webtest.New(t).Member(t).Get("/app/auditoria").Find("#subject option").EachIter() {
		offered = append(offered, option.AttrOr("value", ""))
	}
	return offered
}
