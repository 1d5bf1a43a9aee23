package dashboard_test

import (
	"testing"

	"garoupa/payments"
	"garoupa/web/webtest"
)

// A page of a list has 25 rows, or 50 low ones. Who changes the height of rows in the middle of a list goes on from
// there: each charge is shown once.
func TestListCheckouts_LowRows(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	const all = 25 + 50 + 3
	for range all {
		s.Checkout(t, payments.NewCheckout{})
	}
	c := s.Member(t)
	seen, path := map[string]bool{}, "/app/cobrancas"
	for i, rows := range []int{25, 50, 3} {
		list := c.Get(path)
		shown := 0
		for _, link := range list.Find("main tbody a[href^='/app/cobrancas/chk_']").EachIter() {
			if href := link.AttrOr("href", ""); !seen[href] {
				seen[href], shown = true, shown+1
			}
		}
		if shown != rows {
			t.Errorf("page %d shows %d charges that were not shown before, want %d", i+1, shown, rows)
		}
		path = list.Find("main nav a[href*=cursor]").Last().AttrOr("href", "no next page")
		c.Post("/preferencias", "rows", "low", "next", "/app")
	}
	if len(seen) != all {
		t.Errorf("%d of %d charges are shown", len(seen), all)
	}
}
