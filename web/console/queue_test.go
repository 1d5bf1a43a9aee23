package console_test

import (
	"slices"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/web/webtest"
)

// A queue of money shows the oldest first, or the largest; the address keeps which.
func TestOps_QueueByAmount(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	var asked []string
	for _, amount := range []money.Cents{20_00, 50_00, 30_00} {
		s.Clock.Advance(time.Second)
		asked = append(asked, "/ops/saques/"+s.Withdraw(t, amount).ID)
	}
	rows := func(path string) []string {
		return c.Get(path).Find("main li[data-key]").Map(func(_ int, row *goquery.Selection) string {
			return row.AttrOr("data-key", "")
		})
	}
	byAmount := []string{asked[1], asked[2], asked[0]}
	for path, want := range map[string][]string{
		"/ops/saques": asked, "/ops/saques?tab=review": asked, "/ops/saques?order=x": asked,
		"/ops/saques?order=amount": byAmount, "/ops/saques?tab=review&order=amount": byAmount,
		"/ops/saques?tab=all&order=amount": {asked[2], asked[1], asked[0]}, // decided ones have one order
	} {
		if got := rows(path); !slices.Equal(got, want) {
			t.Errorf("%s shows %v, want %v", path, got, want)
		}
	}
	if a := c.Get("/ops/saques"); a.Find(`main a[href="/ops/saques?tab=review&order=amount"]`).Length() != 1 {
		t.Error("nothing leads to the largest")
	}
	if a := c.Get("/ops/saques?tab=all"); a.Find(`main a[href*="order="]`).Length() != 0 {
		t.Error("the list of all offers an order")
	}
}
