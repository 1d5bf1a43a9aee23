package pages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/views/i18n"
	"garoupa/views/pages/dashboard"
)

// The days of two months are below the chart, each month where it begins.
func TestHome_ChartMonths(t *testing.T) {
	t.Parallel()
	o := overview()
	o.Slots = o.Slots[:4]
	for i := range o.Slots {
		o.Slots[i].Start = time.Date(2026, 2, 27+i, 2, 0, 0, 0, time.UTC) // a day earlier in Brasília
	}
	for lang, want := range map[i18n.Lang]string{i18n.Portuguese: "26 fev. 27 28 1 mar.",
		i18n.English: "26 Feb 27 28 1 Mar"} {
		doc := render(t, lang, dashboard.Home(dashboard.HomeProps{Shell: shell(true), Overview: o}))
		labels := doc.Find("figure[aria-labelledby=volume] > div[aria-hidden] > span").Map(func(_ int,
			label *goquery.Selection) string {
			return text(label)
		})
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
}
