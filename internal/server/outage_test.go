package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/faulttest"
	"garoupa/internal/requestid"
	"garoupa/internal/server"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// newSiteThrough returns the root app, whose services reach g's database through url.
func newSiteThrough(t *testing.T, g *paymentstest.Gateway, url string, change func(*server.Options)) *fiber.App {
	t.Helper()
	db, err := models.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	money, people := g.Service.Options, g.Merchants.Options
	money.DB, people.DB = db, db
	o := optionsOf(t, db, payments.New(money), merchants.New(people), g, together)
	change(&o)
	return server.New(o)
}

// address returns the direct address of g's database.
func address(g *paymentstest.Gateway) string { return g.DB.Pool.Config().ConnString() }

// answered is an answer of the API over the network; its status is 0 if there was none.
type answered struct {
	status int
	header http.Header
	body   string
}

// call calls the API at base: GET if body is empty, otherwise POST.
func call(base, key, idempotencyKey, path, body string) answered {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		return answered{body: err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Idempotency-Key", idempotencyKey)
	client := http.Client{Timeout: time.Minute}
	response, err := client.Do(request)
	if err != nil {
		return answered{body: err.Error()}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answered{body: err.Error()}
	}
	return answered{response.StatusCode, response.Header, string(text)}
}

// isOutage reports whether an answer says that the server cannot work now, and that the
// same request may be sent again.
func (a answered) isOutage() bool {
	var envelope struct {
		Error struct{ Type, Code, Message, RequestID string }
	}
	err := json.Unmarshal([]byte(a.body), &envelope)
	wait, numeric := strconv.Atoi(a.header.Get("Retry-After"))
	e := envelope.Error
	return err == nil && numeric == nil && wait >= 1 && a.status == 503 && e.Type == "internal_error" &&
		e.Code == "internal_error" &&
		strings.Contains(strings.ToLower(e.Message), "repeat") && e.RequestID == a.header.Get("Request-Id") &&
		a.header.Get("Content-Type") == "application/json"
}

func newCheckout(i int) (idempotencyKey, body string) {
	return fmt.Sprintf("k-%d", i), fmt.Sprintf(`{"amount":100,"description":"Vaso","externalId":"order-%d"}`, i)
}

// While a table is locked, all creations are answered in time with a request to try again,
// and requests that do not need the table work. Afterwards the same requests create one
// checkout each.
func TestOutage_LockedTable(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSiteThrough(t, g, address(g), func(o *server.Options) { o.RequestTimeout = time.Second })
	base, key := "http://"+listen(t, app), g.Key(t, g.Test, models.Permissions...)
	release := faulttest.Hold(t, address(g), "LOCK TABLE checkouts")

	const clients = 100
	var waiting sync.WaitGroup
	for i := range clients {
		waiting.Go(func() {
			idempotencyKey, body := newCheckout(i)
			if a := call(base, key, idempotencyKey, "/v1/checkouts", body); !a.isOutage() ||
				!strings.Contains(a.body, "same Idempotency-Key") {
				t.Errorf("client %d: %d %v %s", i, a.status, a.header, a.body)
			}
		})
	}
	if a := call(base, key, "", "/v1/balance", ""); a.status != 200 && !a.isOutage() {
		t.Errorf("the balance meanwhile: %d %s", a.status, a.body)
	}
	waiting.Wait()
	if a := call(base, key, "", "/v1/balance", ""); a.status != 200 {
		t.Errorf("the balance: %d %s", a.status, a.body)
	}

	release()
	ids := map[string]bool{}
	for i := range clients {
		idempotencyKey, body := newCheckout(i)
		a := call(base, key, idempotencyKey, "/v1/checkouts", body)
		for tries := 0; a.isOutage() && tries < 100; tries++ {
			a = call(base, key, idempotencyKey, "/v1/checkouts", body)
		}
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != 200 && a.status != 201 {
			t.Fatalf("client %d afterwards: %d %s", i, a.status, a.body)
		}
		ids[made.ID] = true
	}
	var count int
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM checkouts").Scan(&count); err != nil ||
		count != clients || len(ids) != clients {
		t.Errorf("%d checkouts, %d with an event, %v; want %d", count, len(ids), err, clients)
	}
}

// A database that refuses connections, or breaks them during requests, is reported as an
// outage on each surface, logs one short line for each request, and is over when the
// database is back.
func TestOutage_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	proxy := faulttest.NewProxy(t, address(g))
	app := newSiteThrough(t, g, proxy.URL(), func(*server.Options) {})
	key, id := g.Key(t, g.Test, models.Permissions...), g.Checkout(t, payments.NewCheckout{}).ID
	proxy.Refuse()
	for _, path := range []string{"/v1/balance", "/v1/checkouts", "/v1/checkouts/" + id} {
		name := requestid.New()
		response, body := get(t, app, together.base, path, "Authorization", "Bearer "+key, "Request-Id", name)
		if a := (answered{response.StatusCode, response.Header, body}); !a.isOutage() {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		told := strings.Join(logged.of(name), "\n")
		if strings.Count(told, "WARN") != 1 || strings.Contains(told, "ERROR") || strings.Contains(told, "user=") ||
			strings.Count(told, "\n") != 1 {
			t.Errorf("%s is logged as %s", path, told)
		}
	}
	for language, title := range map[string]string{
		"pt-BR": "Não conseguimos responder agora", "en": "We cannot answer right now",
	} {
		response, body := get(t, app, together.base, "/pay/"+id, "Accept-Language", language)
		if response.StatusCode != 503 || response.Header.Get("Retry-After") == "" || !strings.Contains(body, title) {
			t.Errorf("a page in %s: %d, Retry-After %q: %.300s", language, response.StatusCode,
				response.Header.Get("Retry-After"), body)
		}
	}
	for path, want := range map[string]int{"/readyz": 503, "/livez": 200, "/v1/health": 200, "/ajuda": 200} {
		if response, body := get(t, app, together.base, path); response.StatusCode != want {
			t.Errorf("%s: %d %.200s, want %d", path, response.StatusCode, body, want)
		}
	}
	proxy.Restore()
	if response, body := get(t, app, together.base, "/v1/balance", "Authorization",
		"Bearer "+key); response.StatusCode != 200 {
		t.Errorf("afterwards: %d %s", response.StatusCode, body)
	}
}

// While the database is read-only, reads work, even after notes of use are overdue; writes
// are refused as an outage.
func TestOutage_ReadOnly(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSite(t, g, together)
	key := g.Key(t, g.Test, models.Permissions...)
	restore := faulttest.ReadOnly(t, address(g))
	reads := func() bool {
		response, _ := get(t, app, together.base, "/v1/balance", "Authorization", "Bearer "+key)
		return response.StatusCode == 200
	}
	await(t, "nothing can be read", reads) // the existing connections are gone
	idempotencyKey, body := newCheckout(1)
	for range 3 {
		for _, path := range []string{"/v1/checkouts", "/v1/balance"} {
			if response, body := get(t, app, together.base, path, "Authorization",
				"Bearer "+key); response.StatusCode != 200 {
				t.Errorf("%s: %d %s", path, response.StatusCode, body)
			}
		}
		a := post(t, app, key, idempotencyKey, body)
		if !a.isOutage() {
			t.Errorf("a creation: %d %s", a.status, a.body)
		}
		if response, body := get(t, app, together.base, "/readyz"); response.StatusCode != 503 ||
			body != "the database is read-only\n" {
			t.Errorf("ready: %d %q", response.StatusCode, body)
		}
		g.Clock.Advance(65 * time.Second)
	}
	restore()
	await(t, "afterwards nothing can be read", reads)
	await(t, "afterwards nothing is made", func() bool { return post(t, app, key, idempotencyKey, body).status == 201 })
}

// Requests beyond the limit of a process are refused at once, and those within it are
// answered.
func TestOverload(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSite(t, g, together)
	base, key := "http://"+listen(t, app), g.Key(t, g.Test, models.Permissions...)
	release := faulttest.Hold(t, address(g), "LOCK TABLE checkouts")
	const over = 20
	answers := make(chan answered)
	for range server.AtOnce + over {
		go func() { answers <- call(base, key, "", "/v1/checkouts", "") }()
	}
	refused := 0
	judge := func(a answered) {
		if a.status != 200 && !a.isOutage() {
			t.Errorf("%d %s", a.status, a.body)
		}
		if strings.Contains(strings.Join(logged.of(a.header.Get("Request-Id")), "\n"), "reason=overloaded") {
			refused++
		}
	}
	for range over {
		judge(<-answers) // the others wait for the table
	}
	if response, _ := get(t, app, together.base, "/livez"); response.StatusCode != 200 {
		t.Errorf("alive: %d", response.StatusCode)
	}
	release()
	for range server.AtOnce {
		judge(<-answers)
	}
	if refused < over {
		t.Errorf("%d of %d were refused at once, want %d", refused, server.AtOnce+over, over)
	}
	if a := call(base, key, "", "/v1/checkouts", ""); a.status != 200 {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
}

// Readiness lists every reason at once, and a stopping process asks clients to close their
// connections.
func TestReadiness_Reasons(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	began0, ended0 := clockLines() // from an earlier run of this test
	ahead := 17 * time.Hour
	clock, err := models.NewClock(t.Context(), g.DB, func() time.Time { return time.Now().Add(ahead) })
	if err != nil {
		t.Fatal(err)
	}
	health := server.NewHealth(server.HealthOptions{
		DB: g.DB, Clock: clock, Listening: func() bool { return false }, Timeout: time.Minute,
	})
	app := newSiteThrough(t, g, address(g), func(o *server.Options) { o.Health = health })
	var held []func()
	for range g.DB.Pool.Config().MaxConns {
		conn, err := g.DB.Pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn.Release)
	}
	health.Drain()
	response, body := get(t, app, together.base, "/readyz")
	for _, reason := range []string{"is stopping", "no database connection was free", "hears of changes",
		"ahead of the database's"} {
		if response.StatusCode != 503 || !strings.Contains(body, reason) {
			t.Errorf("%d without %q: %s", response.StatusCode, reason, body)
		}
	}
	if !response.Close {
		t.Errorf("clients may stay: %v", response.Header)
	}
	for _, release := range held {
		release()
	}
	if _, body := get(t, app, together.base, "/readyz"); strings.Contains(body, "was free") ||
		!strings.Contains(body, "is stopping") {
		t.Errorf("with a free connection: %s", body)
	}
	ahead = 0
	if err := clock.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, body := get(t, app, together.base, "/readyz"); strings.Contains(body, "clock") {
		t.Errorf("with the clock set right: %s", body)
	}
	if began, ended := clockLines(); began-began0 != 1 || ended-ended0 != 1 {
		t.Errorf("the log says %d times that the clock is wrong and %d times that it is right", began-began0,
			ended-ended0)
	}
}

// clockLines counts the log lines about the clock error of the test above, and about its
// end.
func clockLines() (began, ended int) {
	told := strings.Join(logged.of(""), "\n")
	off := regexp.MustCompile(`differs from the database's, whose time counts ahead=1[67]h`)
	return len(off.FindAllString(told, -1)),
		strings.Count(told, "agrees with the database's again")
}

// While the pool has no free connection, requests are answered at once.
func TestStarved(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	health := server.NewHealth(server.HealthOptions{DB: g.DB, Timeout: time.Minute})
	app := newSiteThrough(t, g, address(g), func(o *server.Options) { o.Health = health })
	key := g.Key(t, g.Test, models.Permissions...)
	var held []func()
	for range g.DB.Pool.Config().MaxConns {
		conn, err := g.DB.Pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn.Release)
	}
	go health.Watch(t.Context())
	await(t, "starvation is not noticed", func() bool {
		response, body := get(t, app, together.base, "/v1/balance", "Authorization", "Bearer "+key)
		return answered{response.StatusCode, response.Header, body}.isOutage()
	})
	for _, release := range held {
		release()
	}
	await(t, "requests are refused for ever", func() bool {
		response, _ := get(t, app, together.base, "/v1/balance", "Authorization", "Bearer "+key)
		return response.StatusCode == 200
	})
}

// await waits until holds returns true.
func await(t *testing.T, otherwise string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(time.Minute); !holds(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal(otherwise)
		}
	}
}

func post(t *testing.T, app *fiber.App, key, idempotencyKey, body string) answered {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, together.base+"/v1/checkouts", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, text := send(t, app, request, "Authorization", "Bearer "+key, "Idempotency-Key", idempotencyKey)
	return answered{response.StatusCode, response.Header, text}
}
