package dashboard_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

var (
	keyShape   = regexp.MustCompile(`svc_test_[0-9A-Za-z]{32}`)
	keyIDShape = regexp.MustCompile(`key_[0-9a-f]{20}`)
)

// The forms of keys say that no more can work, and keep what was filled in.
func TestKeys_Many(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	modelstest.Exec(t, s.DB, `INSERT INTO api_keys (id, project_id, livemode, name, secret_hash, last4, permissions,
			created_by)
		SELECT 'key_' || lpad(n::text, 20, '0'), $1, false, 'k', sha256(n::text::bytea), '0000', '{CHECKOUT:READ}', $2
		FROM generate_series(1, $3) n`, s.Test.ProjectID, s.Owner.UserID, merchants.MaxKeys)
	for path, form := range map[string][]string{
		"/app/chaves": {"name", "Loja", "permissions", "CHECKOUT:READ"},
		"/app/chaves/key_00000000000000000001/trocar": {"overlap", "hour"},
	} {
		a := c.Post(path, form...)
		if says := a.Find("#errors").Text(); a.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(says, "já tem 100 chaves em uso") {
			t.Errorf("%s: %d %q", path, a.Status, says)
		}
	}
}

// The form of a new key takes its last day and its networks, says what is wrong with them, and the API and the list
// know them.
func TestNewKey_EndAndNetworks(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	day := s.Clock.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	for _, tc := range []struct{ ends, networks, field, text string }{
		{"2020-01-01", "", "ends", "Escolha um dia entre hoje"}, {"amanhã", "", "ends", "Escolha um dia entre hoje"},
		{day, "203.0.113", "networks", "um deles não é um IP"},
		{day, strings.Repeat("10.0.0.0/8\n", 3) + manyAddresses(21), "networks", "no máximo 20"},
	} {
		a := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ", "ends", tc.ends,
			"networks", tc.networks)
		if a.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Find("#"+tc.field+"-error").Text(), tc.text) ||
			a.Find("#ends").AttrOr("value", "") != tc.ends ||
			strings.TrimSpace(a.Find("#networks").Text()) != strings.TrimSpace(tc.networks) {
			t.Errorf("%q, %q: %d %s", tc.ends, tc.networks, a.Status, a.Find("#errors").Text())
		}
	}
	a := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ", "ends", day, "networks",
		"127.0.0.0/8\r\n2001:db8::1")
	elsewhere := c.Post("/app/chaves", "name", "Fora", "permissions", "CHECKOUT:READ", "networks", "198.51.100.7")
	inside, outside := keyShape.FindString(a.Body), keyShape.FindString(elsewhere.Body)
	list := c.Get("/app/chaves").Text()
	for _, want := range []string{"Só destes endereços: 127.0.0.0/8, 2001:db8::1", "Vale até", "23:59"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list does not say %q", want)
		}
	}
	refused, body := s.Call(t, outside, http.MethodGet, "/v1/checkouts", "")
	if refused != http.StatusUnauthorized || strings.Contains(fmt.Sprint(body), "198.51.100") {
		t.Errorf("from another network: %d %v", refused, body)
	}
	if status, _ := s.Call(t, inside, http.MethodGet, "/v1/checkouts", ""); status != http.StatusOK {
		t.Errorf("from its network: %d", status)
	}
	end := modelstest.One[time.Time](t, s.DB, "SELECT ends_at FROM api_keys WHERE ends_at IS NOT NULL")
	s.Clock.Advance(end.Sub(s.Clock.Now()) - time.Second)
	if status, _ := s.Call(t, inside, http.MethodGet, "/v1/checkouts", ""); status != http.StatusOK {
		t.Errorf("a second before its end: %d", status)
	}
	s.Clock.Advance(time.Second)
	if status, _ := s.Call(t, inside, http.MethodGet, "/v1/checkouts", ""); status != http.StatusUnauthorized {
		t.Errorf("after its end: %d", status)
	}
	c = s.Member(t)
	page := c.Get("/app/chaves")
	if !strings.Contains(page.Text(), "Encerrada") || !strings.Contains(page.Text(), "Terminou em") ||
		!strings.HasPrefix(strings.TrimSpace(page.Find("main h2").First().Text()), "Fora") {
		t.Error("the list does not show the ended key, or shows it before the key in use")
	}
}

func manyAddresses(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("203.0.113.%d ", i)
	}
	return text
}

// A member replaces a key after a proof of who they are: the page shows the new secret once, and sent again the form
// replaces nothing.
func TestRollKey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	old := keyShape.FindString(c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ", "ends",
		s.Clock.Now().AddDate(0, 1, 0).Format(time.DateOnly)).Body)
	path := "/app/chaves/" + keyIDShape.FindString(c.Get("/app/chaves").Body) + "/trocar"
	if c.Get("/app/chaves").Find(`a[href="`+path+`"]`).Length() != 1 {
		t.Error("the list does not lead to the form")
	}
	form := c.Get(path)
	if form.Find("input[name=overlap][value=day][checked]").Length() != 1 ||
		form.Find("#ends").AttrOr("value", "") == "" {
		t.Error("the form proposes neither a day of overlap nor an end like the key's")
	}
	wrong := c.Post(path, "overlap", "month", "ends", "2020-01-01")
	if wrong.Status != http.StatusUnprocessableEntity || wrong.Find("#errors li").Length() != 2 || s.KeyCount(t) != 1 {
		t.Errorf("a wrong form: %d %s", wrong.Status, wrong.Find("#errors").Text())
	}
	fields := append(webtest.HiddenFields(form), "overlap", "hour", "ends", "")
	a := c.Post(path, fields...)
	secret := keyShape.FindString(a.Body)
	if a.Status != http.StatusOK || secret == "" || secret == old ||
		!strings.Contains(a.Text(), "A chave antiga funciona até") {
		t.Fatalf("replaced: %d %s", a.Status, a.Find("main").Text())
	}
	if again := c.Post(path, fields...); again.Status != http.StatusSeeOther || s.KeyCount(t) != 2 {
		t.Errorf("the answer reloaded: %d, %d keys", again.Status, s.KeyCount(t))
	}
	list := c.Get("/app/chaves")
	if !strings.Contains(list.Find("[role=alert], [role=status]").Text(), "já tinha sido trocada") ||
		strings.Contains(list.Body, secret) {
		t.Error("it is not told that the key was replaced already, or the list shows the secret")
	}
	for key, want := range map[string]int{old: 200, secret: 200} {
		if status, _ := s.Call(t, key, http.MethodGet, "/v1/checkouts", ""); status != want {
			t.Errorf("beside the new key: %d", status)
		}
	}
	log := c.Get("/app/auditoria").Text()
	for _, want := range []string{"Chave de API trocada", "Termina em", "Substituída pela chave", "Substitui a chave"} {
		if !strings.Contains(log, want) {
			t.Errorf("the audit log does not say %q", want)
		}
	}
	s.Clock.Advance(time.Hour)
	if status, _ := s.Call(t, old, http.MethodGet, "/v1/checkouts", ""); status != http.StatusUnauthorized {
		t.Errorf("the old key after an hour: %d", status)
	}
	if a := c.Post(path, "overlap", "now"); a.Find("input[name="+webtest.ProofField+"]").Length() != 1 ||
		s.KeyCount(t) != 2 {
		t.Errorf("without a proof: %d", a.Status)
	}
	c = s.Member(t)
	if a := c.Post(path, "overlap", "now"); a.Status != http.StatusSeeOther || s.KeyCount(t) != 2 ||
		!strings.Contains(c.Get("/app/chaves").Text(), "Esta chave não funciona mais") {
		t.Errorf("an ended key: %d", a.Status)
	}
	if a := c.Get(path); a.Status != http.StatusSeeOther {
		t.Errorf("the form of an ended key: %d", a.Status)
	}
}

// Roles see the way to replace a key, and get its form, if they could give the key its rights.
func TestRollKey_Roles(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for permission, roles := range map[models.Permission]map[models.Role]bool{
		models.PermissionCheckoutRead: {models.RoleOwner: true, models.RoleAdmin: true, models.RoleDeveloper: true},
		models.PermissionBalanceRead:  {models.RoleOwner: true, models.RoleAdmin: true},
	} {
		s.GiveRole(t, models.RoleOwner)
		secret := s.Key(t, s.Gateway.Test, permission)
		id := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys WHERE last4 = $1", secret[len(secret)-4:])
		path := "/app/chaves/" + id + "/trocar"
		for _, role := range []models.Role{models.RoleOwner, models.RoleAdmin, models.RoleDeveloper, models.RoleFinance,
			models.RoleViewer} {
			s.GiveRole(t, role)
			status, shown := c.Get(path).Status, c.Get("/app/chaves").Find(`a[href="`+path+`"]`).Length() == 1
			before := s.KeyCount(t)
			sent := c.Post(path, "overlap", "month").Status
			may, want, wantSent := roles[role], 403, 403
			if may {
				want, wantSent = 200, 422
			}
			if status != want || sent != wantSent || shown != may || s.KeyCount(t) != before {
				t.Errorf("%s, %s: the form %d, sent %d, shown %t", permission, role, status, sent, shown)
			}
		}
	}
	s.GiveRole(t, models.RoleOwner)
	if a := c.Get("/app/chaves/key_00000000000000000000/trocar"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown key: %d", a.Status)
	}
}
