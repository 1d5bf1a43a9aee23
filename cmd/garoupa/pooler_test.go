package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// Every command that works on the database ends with one line behind a pooler that shares
// connections between transactions. None hangs.
func TestPooler(t *testing.T) {
	t.Parallel()
	address := faulttest.NewPooler(t, modelstest.NewURL(t), 2)
	for _, args := range [][]string{
		{"serve"}, {"migrate"}, {"check"}, {"demo"}, {"rotate-key"},
		{"simulate", "pay", "chk_00000000000000000000"},
		{"staff", "add", "-email", "ana@example.com", "-name", "Ana", "-role", "REVIEWER"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) { // one after the other, for they share two connections
			p := newProgramOver(t, "DATABASE_URL="+address, "GAROUPA_SECRET_KEY="+strings.Repeat("5a", 32))
			r := p.try(args...)
			if r.status != 1 || strings.Count(r.wrong, "\n") != 1 ||
				!strings.Contains(r.wrong, "pooler in transaction") {
				t.Errorf("%d %s", r.status, r.wrong)
			}
		})
	}
}

// With the direct address the program does all of its work behind such a pooler: it migrates, creates, pays, delivers
// and proves the books.
func TestPooler_Direct(t *testing.T) {
	t.Parallel()
	direct := modelstest.NewURL(t)
	p := newProgramOver(t, "DATABASE_URL="+faulttest.NewPooler(t, direct, 4), "GAROUPA_DATABASE_DIRECT_URL="+direct)
	s := newShopOf(p, 1, func(http.ResponseWriter, *http.Request, parcel, int) {})
	server := s.serve()
	for n := range 5 {
		body := fmt.Sprintf(`{"amount":4990,"description":"Vaso","externalId":"%d"}`, n)
		status, answer := s.call(http.MethodPost, "/v1/checkouts", body, fmt.Sprint(n))
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated {
			t.Fatalf("created: %d %s", status, answer)
		}
		status, answer = s.call(http.MethodPost, "/v1/test/checkouts/"+made.ID+"/pay", "", "")
		if status != http.StatusOK {
			t.Fatalf("paid: %d %s", status, answer)
		}
	}
	for parcel, fate := range s.settled() {
		if fate.status != models.DeliveryDelivered {
			t.Errorf("%v is %s", parcel, fate.status)
		}
	}
	if out := p.run("check"); !strings.Contains(out, "books      ok") {
		t.Errorf("check says %s", out)
	}
	p.stop(server, syscall.SIGTERM)
}
