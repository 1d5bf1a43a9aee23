package hosted_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/web/webtest"
)

// A visit is a view by a person's browser, half an hour after the last at the earliest. Previews of messengers,
// pages fetched ahead, refusals and what the form answers are none.
func TestLink_Visits(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	since := s.Clock.Now().Add(-24 * time.Hour)
	check := func(when string, want int) {
		t.Helper()
		if err := s.Service.SaveVisits(t.Context()); err != nil {
			t.Fatal(err)
		}
		f, err := models.FiguresOfLink(t.Context(), s.DB.Pool, s.Test, s.Link, since, since.Add(48*time.Hour))
		if err != nil || f.Visits != want {
			t.Errorf("%s: %d visits, %v; want %d", when, f.Visits, err, want)
		}
	}
	preview := s.Client(t)
	if cookies := preview.Get(s.Path()).Header.Get("Set-Cookie"); cookies != "" {
		t.Errorf("a messenger gets %q", cookies)
	}
	check("a preview", 0)
	ahead := s.Client(t)
	ahead.Header = http.Header{"Sec-Fetch-Mode": {"navigate"}, "Sec-Purpose": {"prefetch;prerender"}}
	ahead.Get(s.Path())
	check("ahead of the person", 0)
	buyer := s.Client(t)
	buyer.Header = http.Header{"Sec-Fetch-Mode": {"navigate"}}
	buyer.Get("/l/plink_0000000000000000")
	check("no link", 0)
	buyer.Get(s.Path())
	buyer.Get(s.Path())
	buyer.Post(s.Path(), "step", "more")
	s.Buy(t, buyer)
	check("one browser", 1)
	other := s.Client(t)
	other.Header = buyer.Header
	other.Get(s.Path())
	check("two browsers", 2)
	if err := s.Merchants.SwitchPaymentLink(t.Context(), s.Owner, s.Test, s.Link, false); err != nil {
		t.Fatal(err)
	}
	third := s.Client(t)
	third.Header = buyer.Header
	third.Get(s.Path())
	check("turned off", 2)
}
