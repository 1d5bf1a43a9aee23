package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/api"
	"garoupa/payments/paymentstest"
)

// A connection to the database that is cut after a commit changes no answer: creating a
// checkout is 201, paying, expiring or canceling it 200, and each happens once.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	s := newSiteOver(t, g, api.Limits{})
	auth := []string{"Authorization", "Bearer " + s.key, "Content-Type", "application/json"}
	for i, keyed := range []bool{false, true} {
		proxy.LoseAnswers(2, "insert into checkouts")
		const clients = 32
		var group errgroup.Group
		for n := range clients {
			group.Go(func() error {
				headers := auth
				if keyed {
					headers = append([]string{"Idempotency-Key", fmt.Sprint("key-", n)}, auth...)
				}
				a := s.send(t, http.MethodPost, "/v1/checkouts", with(), headers...)
				if a.status != http.StatusCreated {
					return fmt.Errorf("created, keyed %t: %d %s", keyed, a.status, a.body)
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		if n := s.checkouts(t); n != (i+1)*clients {
			t.Errorf("keyed %t: %d checkouts, want %d", keyed, n, (i+1)*clients)
		}
	}
	lost := proxy.Lost()
	for act, status := range map[string]string{"pay": "PAID", "expire": "EXPIRED", "cancel": "CANCELLED"} {
		c := s.pending(t)
		proxy.LoseAnswers(1, "commit")
		a := s.send(t, http.MethodPost, "/v1/test/checkouts/"+c.ID+"/"+act, "", auth...)
		if a.status != http.StatusOK || a.id(t) != c.ID {
			t.Errorf("%s: %d %s", act, a.status, a.body)
		}
		a = s.send(t, http.MethodPost, "/v1/test/checkouts/"+c.ID+"/"+act, "", auth...)
		if !a.refused(t, http.StatusConflict, "checkout_not_pending") {
			t.Errorf("%s of one that is %s: %d %s", act, status, a.status, a.body)
		}
	}
	if lost == 0 || proxy.Lost() != lost+3 {
		t.Errorf("%d answers were lost, then %d", lost, proxy.Lost())
	}
}
