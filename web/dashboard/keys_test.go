package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// Members see keys and endpoints by their role.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for role, want := range map[models.Role]int{
		models.RoleAdmin: 200, models.RoleDeveloper: 200, models.RoleFinance: 403, models.RoleViewer: 403,
	} {
		s.GiveRole(t, role)
		if a := c.Get("/app/chaves/nova"); a.Status != want {
			t.Errorf("%s gets %d for a new key", role, a.Status)
		}
		if a := c.Post("/app/webhooks", "url", "https://shop.example/hook", "types",
			"checkout.paid"); (a.Status == 403) != (want == 403) {
			t.Errorf("%s gets %d for a new endpoint", role, a.Status)
		}
		if a := c.Get("/app/chaves"); a.Status != 200 {
			t.Errorf("%s gets %d for the list", role, a.Status)
		}
	}
	s.GiveRole(t, "")
	if a := c.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("a removed member gets %d", a.Status)
	}
}

// A developer is offered, and can make, only keys that see no money.
func TestKeys_Developer(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][2]string{
		"pt-BR": {"Seu papel não inclui saldo nem saques", "Seu papel não permite dar estas permissões"},
		"en":    {"Your role does not include the balance or withdrawals", "Your role cannot give these permissions"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			s.GiveRole(t, models.RoleDeveloper)
			c := s.Member(t)
			c.Lang = lang
			form := c.Get("/app/chaves/nova")
			offered, ticked := form.Find("input[name=permissions]"), form.Find("input[name=permissions][checked]")
			if form.Status != http.StatusOK || offered.Length() != 4 || ticked.Length() != 4 ||
				!strings.Contains(form.Text(), want[0]) {
				t.Errorf("the form has %d boxes, %d of them ticked, %d", offered.Length(), ticked.Length(), form.Status)
			}
			for _, p := range []string{"BALANCE:READ", "WITHDRAWAL:CREATE", "WITHDRAWAL:READ"} {
				a := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ", "permissions", p)
				if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#errors").Text(), want[1]) ||
					a.Find("#name").AttrOr("value", "") != "Loja" ||
					a.Find("input[value='CHECKOUT:READ'][checked]").Length() != 1 {
					t.Errorf("%s: %d %q", p, a.Status, a.Find("#errors").Text())
				}
			}
			if s.KeyCount(t) != 0 {
				t.Errorf("%d keys were made", s.KeyCount(t))
			}
			if a := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ"); a.Status != http.StatusOK ||
				s.KeyCount(t) != 1 {
				t.Errorf("a key for charges: %d", a.Status)
			}
		})
	}
}

// What a page shows once, it shows once; what another environment has, it does not.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	a := c.Post("/app/chaves", "name", "", "permissions", "CHECKOUT:READ")
	if a.Status != http.StatusUnprocessableEntity || a.Find("input[value='CHECKOUT:READ'][checked]").Length() != 1 ||
		a.Find("input[value='CHECKOUT:CREATE'][checked]").Length() != 0 {
		t.Errorf("a key without a name: %d", a.Status)
	}
	form := []string{"name", "Loja", "permissions", "CHECKOUT:READ", "permissions", "CHECKOUT:CREATE", "key",
		a.Find("main input[name=key]").AttrOr("value", "")}
	a = c.Post("/app/chaves", form...)
	secret := regexp.MustCompile(`svc_test_[0-9A-Za-z]{32}`).FindString(a.Body)
	if a.Status != http.StatusOK || secret == "" {
		t.Fatalf("made: %d", a.Status)
	}
	if again := c.Post("/app/chaves", form...); again.Status != http.StatusSeeOther || s.KeyCount(t) != 1 {
		t.Errorf("the answer reloaded: %d, %d keys", again.Status, s.KeyCount(t))
	}
	a = c.Get("/app/chaves")
	if !strings.Contains(a.Find("[role=alert], [role=status]").Text(), "já tinha sido criada") {
		t.Error("it is not told that the key is there already")
	}
	if strings.Contains(a.Body, secret) || !strings.Contains(a.Text(), "svc_test_…"+secret[len(secret)-4:]) ||
		!strings.Contains(a.Text(), "Ana Lima") {
		t.Error("the list shows the secret, or not the key")
	}
	id := regexp.MustCompile(`key_[0-9a-f]{20}`).FindString(a.Body)
	if a := c.Post("/app/chaves/"+id+"/revogar", "confirm", "nope"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("revoked without its last four: %d", a.Status)
	}

	s.ToLive(t, c)
	if a := c.Get("/app/chaves"); strings.Contains(a.Body, id) {
		t.Error("a test key shows in live")
	}
	if a := c.Post("/app/chaves/"+id+"/revogar", "confirm", secret[len(secret)-4:]); a.Status != http.StatusNotFound {
		t.Errorf("a test key revoked from live: %d", a.Status)
	}
	if a := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ"); a.Status != http.StatusSeeOther {
		t.Errorf("a live key before approval: %d", a.Status)
	}
	c.Post("/app/ambiente", "env", "test", "next", "/app/chaves")
	if a := c.Post("/app/chaves/"+id+"/revogar", "confirm", secret[len(secret)-4:]); a.Status != http.StatusSeeOther {
		t.Errorf("revoked: %d", a.Status)
	}
	if a := c.Get("/app/chaves"); !strings.Contains(a.Text(), "Chave revogada") {
		t.Error("the list does not say so")
	}
}

// Of a test key those who develop decide about events, of a live key those who handle money, each after a proof.
func TestKeyEvents(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Approve(t)
	c := s.Member(t)
	s.ToLive(t, c)
	s.Key(t, s.Gateway.Test, models.PermissionCheckoutRead)
	s.Key(t, s.Gateway.Live, models.PermissionCheckoutRead)
	may := func(environment models.Environment) bool {
		return modelstest.One[bool](t, s.DB, "SELECT events FROM api_keys WHERE livemode = $1", environment)
	}
	for _, step := range []struct {
		role        models.Role
		environment string
		do          string
		status      int
		may         bool
	}{
		{models.RoleViewer, "test", "eventos", 403, false}, {models.RoleFinance, "test", "eventos", 403, false},
		{models.RoleDeveloper, "test", "eventos", 303, true}, {models.RoleFinance, "test", "sem-eventos", 403, true},
		{models.RoleAdmin, "test", "sem-eventos", 303, false},
		{models.RoleViewer, "live", "eventos", 403, false}, {models.RoleDeveloper, "live", "eventos", 403, false},
		{models.RoleFinance, "live", "eventos", 303, true}, {models.RoleDeveloper, "live", "sem-eventos", 403, true},
		{models.RoleOwner, "live", "sem-eventos", 303, false},
	} {
		s.GiveRole(t, step.role)
		c.Post("/app/ambiente", "env", step.environment)
		environment := models.Environment(step.environment == "live")
		id := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys WHERE livemode = $1", environment)
		path := "/app/chaves/" + id + "/" + step.do
		if shown := c.Get("/app/chaves").Find(`form[action="`+path+`"]`).Length() == 1; shown != (step.status == 303) {
			t.Errorf("%s in %s sees the form %s: %t", step.role, step.environment, step.do, shown)
		}
		if a := c.Post(path); a.Status != step.status {
			t.Errorf("%s %s in %s: %d", step.role, step.do, step.environment, a.Status)
		}
		if got := may(environment); got != step.may {
			t.Errorf("after %s by %s in %s: %t", step.do, step.role, step.environment, got)
		}
		if says := strings.Contains(c.Get("/app/chaves").Text(), "Pode ler e reenviar eventos"); says != step.may {
			t.Errorf("after %s by %s in %s the page says %t", step.do, step.role, step.environment, says)
		}
	}
	const lines = "SELECT count(*) FROM audit_log WHERE action = 'api_key.events_changed'"
	if n := modelstest.One[int](t, s.DB, lines); n != 4 {
		t.Errorf("%d lines in the log", n)
	}
	s.GiveRole(t, models.RoleOwner)
	if !strings.Contains(c.Get("/app/auditoria").Text(), "Pode ler e reenviar eventos") {
		t.Error("the audit log does not name what changed")
	}
	if a := c.Post("/app/chaves/key_00000000000000000000/eventos"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown key: %d", a.Status)
	}
	s.Clock.Advance(11 * time.Minute)
	id := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys WHERE livemode")
	if a := c.Post("/app/chaves/" + id + "/eventos"); a.Find("input[name="+webtest.ProofField+"]").Length() != 1 ||
		may(models.Live) {
		t.Errorf("without a proof: %d", a.Status)
	}
}

// Only the owner decides, after a proof, whether a live key reads the audit log; a test key never does.
func TestKeyAudit(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Approve(t)
	c := s.Member(t)
	s.Key(t, s.Gateway.Test, models.PermissionCheckoutRead)
	s.Key(t, s.Gateway.Live, models.PermissionCheckoutRead)
	s.ToLive(t, c)
	for _, step := range []struct {
		role        models.Role
		environment string
		do          string
		status      int
		may         bool
	}{
		{models.RoleOwner, "test", "auditoria", 403, false}, {models.RoleFinance, "live", "auditoria", 403, false},
		{models.RoleAdmin, "live", "auditoria", 403, false}, {models.RoleOwner, "live", "auditoria", 303, true},
		{models.RoleAdmin, "live", "sem-auditoria", 403, true}, {models.RoleOwner, "live", "sem-auditoria", 303, false},
	} {
		s.GiveRole(t, step.role)
		c.Post("/app/ambiente", "env", step.environment)
		id := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys WHERE livemode = $1", step.environment == "live")
		path := "/app/chaves/" + id + "/" + step.do
		if shown := c.Get("/app/chaves").Find(`form[action="`+path+`"]`).Length() == 1; shown != (step.status == 303) {
			t.Errorf("%s in %s sees the form %s: %t", step.role, step.environment, step.do, shown)
		}
		if a := c.Post(path); a.Status != step.status {
			t.Errorf("%s %s in %s: %d", step.role, step.do, step.environment, a.Status)
		}
		if may := modelstest.One[bool](t, s.DB, "SELECT bool_or(audit) FROM api_keys"); may != step.may {
			t.Errorf("after %s by %s in %s: %t", step.do, step.role, step.environment, may)
		}
		if says := strings.Contains(c.Get("/app/chaves").Text(), "Pode ler a auditoria"); says != step.may {
			t.Errorf("after %s by %s in %s the page says %t", step.do, step.role, step.environment, says)
		}
	}
	const lines = "SELECT count(*) FROM audit_log WHERE action = 'api_key.audit_changed'"
	if n := modelstest.One[int](t, s.DB, lines); n != 2 {
		t.Errorf("%d lines in the log", n)
	}
	s.Clock.Advance(11 * time.Minute)
	id := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys WHERE livemode")
	if a := c.Post("/app/chaves/" + id + "/auditoria"); a.Find("input[name="+webtest.ProofField+"]").Length() != 1 ||
		modelstest.One[bool](t, s.DB, "SELECT bool_or(audit) FROM api_keys") {
		t.Errorf("without a proof: %d", a.Status)
	}
}
