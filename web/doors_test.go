package web_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/simulator"
	"garoupa/web"
	"garoupa/web/webtest"
)

// visitors are the people who may come to a route, in the order of the columns of audiences.
var visitors = [8]string{"stranger", "OWNER", "ADMIN", "DEVELOPER", "FINANCE", "VIEWER", "REVIEWER", "SUPERVISOR"}

// What visitors get from a route.
const (
	in    = "in"      // the route does its work, or says what is wrong with what was sent
	no    = "403"     // the page says that the role does not include it
	none  = "404"     // as for a path that does not exist
	ask   = "log in"  // the page of logging in, or for the API 401
	toOps = "console" // staff who are members of no account are led to their own pages
)

// audiences are the groups of visitors for which routes are made.
var audiences = map[string][8]string{
	//             stranger OWNER ADMIN DEVELOPER FINANCE VIEWER REVIEWER SUPERVISOR
	"everyone":    {in, in, in, in, in, in, in, in},
	"persons":     {ask, in, in, in, in, in, in, in},
	"keys":        {ask, ask, ask, ask, ask, ask, ask, ask},
	"members":     {ask, in, in, in, in, in, toOps, toOps},
	"sellers":     {ask, in, in, in, no, no, toOps, toOps},
	"developers":  {ask, in, in, in, no, no, toOps, toOps},
	"treasurers":  {ask, in, in, no, in, no, toOps, toOps},
	"managers":    {ask, in, in, no, no, no, toOps, toOps},
	"the owner":   {ask, in, no, no, no, no, toOps, toOps},
	"staff":       {none, none, none, none, none, none, in, in},
	"supervisors": {none, none, none, none, none, none, no, in},
}

// Every route of the gateway has a line in doors, which says for whom it is made, and every visitor gets from it
// what the line says (docs/rules.md, "Roles" and "Staff"). Below /v1, doors_keys_test.go says which keys.
func TestDoors(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	b := newBuilding(t, s)
	routes := map[string]bool{}
	for _, r := range s.App.GetRoutes(true) {
		if r.Method == http.MethodHead {
			continue
		}
		route := r.Method + " " + r.Path
		routes[route] = true
		if _, known := audiences[doors[route]]; !known {
			t.Errorf("doors does not say for whom %s is made", route)
		}
	}
	for route := range doors {
		if !routes[route] {
			t.Errorf("doors has %s, which is no route", route)
		}
	}
	order := slices.Sorted(maps.Keys(routes))
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(ending(a), ending(b)) })
	for i, name := range visitors {
		by := b.enter(t, name)
		for _, route := range order {
			if want, known := audiences[doors[route]]; known {
				b.try(t, by, name, route, want[i])
			}
		}
	}
}

// ending orders routes: what changes the environment or takes the second factor away comes late, and the end of the
// session last.
func ending(route string) int {
	return strings.Count(route, "/ambiente") + strings.Count(route, "/desativar") + 2*strings.Count(route, " /sair")
}

// try sends a request to a route, and compares what comes back. What changes something is sent about a thing that
// does not exist if the visitor is let in.
func (b *building) try(t *testing.T, by *webtest.Client, name, route, want string) {
	t.Helper()
	method, pattern, _ := strings.Cut(route, " ")
	path, known := b.fill(pattern)
	if method != http.MethodGet && want == in {
		path = param.ReplaceAllString(pattern, "x")
	}
	request, err := http.NewRequestWithContext(t.Context(), method, by.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if method != http.MethodGet {
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		if !strings.HasPrefix(pattern, "/v1/") {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	}
	response, err := by.HTTP.Do(request)
	if err != nil {
		t.Fatalf("%s: %s: %v", name, route, err)
	}
	response.Body.Close() // some are streams
	got := answer(response, pattern)
	// A member's and a colleague's refusal is 403: where they get 404, the handler looked for a thing. What is known
	// to be there must be seen by those who may, so that a 404 for other people does not come from its absence.
	inside := strings.HasPrefix(pattern, "/app/") || strings.HasPrefix(pattern, "/ops/")
	if want == in && got == none && (method != http.MethodGet || !inside || !known) {
		got = in
	}
	if got != want || response.StatusCode >= 500 {
		t.Errorf("%s gets from %s (%s) %d: %s, want %s", name, route, path, response.StatusCode, got, want)
	}
}

// answer names what a visitor got.
func answer(r *http.Response, pattern string) string {
	to, err := url.Parse(r.Header.Get("Location"))
	switch {
	case r.StatusCode == http.StatusUnauthorized, err == nil && to.Path == "/entrar" && to.Query().Has("next"):
		return ask
	case r.StatusCode == http.StatusForbidden:
		return no
	case r.StatusCode == http.StatusNotFound:
		return none
	case err == nil && strings.HasPrefix(to.Path, "/ops") && strings.HasPrefix(pattern, "/app"):
		return toOps
	}
	return in
}

var param = regexp.MustCompile(`:\w+`)

// building is a gateway that has one of everything that a path names.
type building struct {
	*desk
	things map[string]string // by the beginning of a route, the parameter included
}

func newBuilding(t *testing.T, s *webtest.Site) *building {
	t.Helper()
	s.Clock.Advance(time.Since(s.Clock.Now())) // the certificate of the bank is valid now
	b := &building{desk: &desk{Site: s}, things: map[string]string{}}
	s.Member(t).Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	s.DecideAccess(t, s.AddStaff(t, "eva@staff.example", models.StaffSupervisor), models.AccessRequestApproved)
	s.FundLive(t, 1_000_00) // days go by, so sessions begin afterwards
	var by models.Actor
	b.reviewer, _ = s.Console(t, models.StaffReviewer)
	b.supervisor, by = s.Console(t, models.StaffSupervisor)
	thing := func(route, id string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b.things[route] = id
	}
	paid := s.Fund(t, models.Live, 50_00)
	sale := s.SaleIn(t, s.Gateway.Live, nil, payments.NewPaymentLink{})
	dispute := s.Contested(t, "MED-1")
	destination := modelstest.One[string](t, s.DB, "SELECT id FROM destinations")
	withdrawal := s.Withdraw(t, 10_00)
	endpoint, _, err := s.Merchants.CreateEndpoint(t.Context(), s.Owner, s.Gateway.Live,
		merchants.NewEndpoint{URL: "https://loja.example/pix", Types: models.EventTypes})
	thing("/app/webhooks/:id", endpoint.ID, err)
	key, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Gateway.Live,
		merchants.NewKey{Name: "Loja", Permissions: []models.Permission{models.PermissionCheckoutRead}})
	thing("/app/chaves/:id", key.ID, err)
	stray := simulator.Pay("desconhecido0000000000000000", 10_00, s.Clock.Now())
	thing("/ops/excecoes/:id", "", s.ConfirmPayment(t.Context(), models.Live, stray))
	b.things["/ops/excecoes/:id"] = modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE end_to_end_id = $1",
		stray.EndToEndID)
	other, err := s.Merchants.SignUp(t.Context(), webtest.Bruno, "")
	thing("/app/equipe/:id", other.UserID, err)
	b.things["/ops/nomes/:id"] = s.NewName(t)
	from, path, form := b.proposes(t)
	b.things["/ops/tarifas/:id"] = strings.TrimPrefix(from.Post(path, form...).Header.Get("Location"), "/ops/tarifas/")
	for route, id := range map[string]string{
		"/app/cobrancas/:id": paid.ID, "/ops/cobrancas/:id": paid.ID, "/pay/:id": paid.ID,
		"/app/produtos/:slug": sale.Product.Slug, "/app/links/:id": sale.Link, "/l/:id": sale.Link,
		"/app/disputas/:id": dispute.ID, "/ops/disputas/:id": dispute.ID,
		"/app/saques/destinos/:id": destination, "/ops/destinos/:id": destination,
		"/app/saques/:id": withdrawal.ID, "/ops/saques/:id": withdrawal.ID,
		"/ops/operadores/:id": by.UserID,
		"/ops/contas/:id":     s.Account.ID, "/ops/contas/:id/travas/:switch": string(models.SwitchSuspended),
		"/ops/webhooks/:id": endpoint.ID,
		"/ops/acessos/:id":  s.AskForAccess(t, "Padaria da Bia", "bia@example.com", "11222333000181").ID,
		"/ops/bancos/:id": proposedBank(t, s, by, banktest.Serve(t, "generic"), 20*24*time.Hour,
			func(*banks.NewAccount) {}),
	} {
		b.things[route] = id
	}
	return b
}

// enter returns a client of the visitor.
func (b *building) enter(t *testing.T, name string) *webtest.Client {
	t.Helper()
	switch name {
	case "stranger":
		return b.Client(t)
	case string(models.StaffReviewer):
		return b.reviewer
	case string(models.StaffSupervisor):
		return b.supervisor
	}
	b.GiveRole(t, models.Role(name)) // which removes all others
	modelstest.Exec(t, b.DB, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')", b.Account.ID,
		b.things["/app/equipe/:id"])
	c := b.Member(t)
	b.ToLive(t, c)
	return c
}

// fill replaces the parameters of a route's path by ids of things that exist. A parameter without such a thing
// becomes x, and known is then false.
func (b *building) fill(pattern string) (path string, known bool) {
	known = true
	for segment := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		path += "/" + segment
		if !strings.HasPrefix(segment, ":") {
			continue
		}
		end := strings.Count(path, "/")
		prefix := "/" + strings.Join(strings.Split(pattern, "/")[1:end+1], "/")
		path = strings.TrimSuffix(path, segment) + cmp.Or(b.things[prefix], "x")
		known = known && b.things[prefix] != ""
	}
	return path, known
}
