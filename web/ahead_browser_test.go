package web_test

import (
	"slices"
	"testing"

	"garoupa/models"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// The page behind an entry of the menu is fetched while the pointer rests on the entry, and that page is shown when the
// entry is clicked: nothing is asked for again.
func TestAhead_Menu(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := browsertest.Open(t, s.URL+"/app", browsertest.Options{
		Viewport: browsertest.Desktop, Cookies: s.Member(t).Cookies(),
	})
	ahead(page, "nav[data-menu] a[href='/app/links']", s.URL+"/app/links")

	s.AddStaff(t, "eva@example.com", models.StaffSupervisor)
	console := browsertest.Open(t, s.URL+"/entrar?next=/ops", browsertest.Options{Viewport: browsertest.Desktop})
	enterConsole(t, s, console, "eva@example.com")
	ahead(console, "nav[data-current] a[href='/ops/contas']", s.URL+"/ops/contas")
}

// ahead goes to an address by the entry of a menu that was fetched before.
func ahead(page *browsertest.Page, entry, address string) {
	page.WaitVisible(entry)
	page.Point(entry)
	for !slices.ContainsFunc(page.Requests(), func(r browsertest.Request) bool {
		return r.URL == address && r.Type == "Prefetch" && r.Status == 200
	}) {
		continue // the browser waits until the pointer has rested for a moment
	}
	page.Click(entry)
	page.WaitTrue(`location.href == "` + address + `" &&
		performance.getEntriesByType("navigation")[0].deliveryType == "navigational-prefetch"`)
}
