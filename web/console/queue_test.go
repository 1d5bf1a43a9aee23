package console_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/pix/psp"
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
			path, _, _ := strings.Cut(row.AttrOr("data-key", ""), "?")
			return path
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

// A list by amount is worked off by amount: the order stays in the address through the form, its
// preview and the decision.
func TestOps_NextInOrder(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	asked := map[money.Cents]string{}
	for _, amount := range []money.Cents{20_00, 50_00, 30_00} {
		s.Clock.Advance(time.Second)
		asked[amount] = "/ops/saques/" + s.Withdraw(t, amount).ID
	}
	const order = "?order=amount"
	first := c.Get("/ops/saques?tab=review&order=amount").Find("main li[data-key] a").AttrOr("href", "")
	if want := asked[50_00] + "?order=amount&tab=review"; first != want {
		t.Fatalf("the first is %s, want %s", first, want)
	}
	page := c.Get(asked[50_00] + order)
	form := page.Find("form:has(input[name=version])")
	if next := page.Find("a[data-hot=n]").AttrOr("href", ""); next != asked[30_00]+order ||
		form.AttrOr("action", "") != asked[50_00]+order {
		t.Errorf("the next is %s; the form goes to %s", next, form.AttrOr("action", ""))
	}
	fields := []string{"version", form.Find("input[name=version]").AttrOr("value", ""), "outcome", "APPROVE"}
	if to := c.Post(asked[50_00]+order, fields...).Find("form:has([value=send])").AttrOr("action", ""); to !=
		asked[50_00]+order {
		t.Errorf("the preview goes to %s", to)
	}
	done := c.Post(asked[50_00]+order, append(fields, "do", "send")...)
	if to := done.Header.Get("Location"); to != asked[50_00]+order {
		t.Fatalf("the decision is %d and leads to %s", done.Status, to)
	}
	if next := c.Get(asked[50_00]+order).Find("a[data-hot=n]").AttrOr("href", ""); next != asked[30_00]+order {
		t.Errorf("after the decision the next is %s", next)
	}
	if next := c.Get(asked[50_00]).Find("a[data-hot=n]").AttrOr("href", ""); next != asked[20_00] {
		t.Errorf("without an order the next is %s", next)
	}
}

// Who skips cases with N comes to each of the list, and from the last one to the first.
func TestOps_NextOfAll(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	var asked []string
	for range 3 {
		s.Clock.Advance(time.Second)
		asked = append(asked, "/ops/saques/"+s.Withdraw(t, 20_00).ID)
	}
	for i, path := range asked {
		if next := c.Get(path).Find("a[data-hot=n]").AttrOr("href", ""); next != asked[(i+1)%3] {
			t.Errorf("from case %d the next is %s", i, next)
		}
	}
}

// Who begins with the payouts of the first page goes on among payouts.
func TestOps_NextFromHome(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	s.Gateway.Service.Live = psp.None{} // no provider: staff pay withdrawals out
	c, _ := s.Console(t, models.StaffReviewer)
	var asked []string
	for i := range 3 {
		s.Clock.Advance(time.Second)
		path := "/ops/saques/" + s.Withdraw(t, 20_00).ID
		if asked = append(asked, path); i > 0 {
			carryOut(t, c, path, "outcome", "APPROVE")
		}
	}
	first := c.Get("/ops").Find(`[aria-labelledby=queue-payouts] li a`).First().AttrOr("href", "")
	if want := asked[1] + "?tab=payout"; first != want {
		t.Fatalf("the first payout leads to %q, want %q", first, want)
	}
	if next := c.Get(first).Find("a[data-hot=n]").AttrOr("href", ""); next != asked[2]+"?tab=payout" {
		t.Errorf("the next payout is %s", next)
	}
}
