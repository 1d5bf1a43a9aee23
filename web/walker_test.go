package web_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/views/i18n"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walk is one scene in one language.
type walk struct {
	scene  string
	lang   i18n.Lang
	seen   *routes         // of all scenes
	frames map[string]bool // those seen in both themes, by the first part of their pages' paths
	looks  int             // how many pages were looked at
}

// walker is a tab in which a page, once loaded, is seen in every way.
type walker struct {
	*browsertest.Page
	*walk
	t    *testing.T
	site *webtest.Site
}

// phone is one whose pixels are quick to paint.
var phone = browsertest.Viewport{Width: browsertest.Phone.Width, Height: browsertest.Phone.Height, Scale: 1,
	Mobile: true}

// small is the narrowest screen that pages must fit (WCAG 2.2, 1.4.10).
var small = browsertest.Viewport{Width: 320, Height: 640, Scale: 1, Mobile: true}

// pictures reports whether pictures of the pages are saved.
var pictures = os.Getenv(browsertest.ScreenshotVariable) != ""

// open opens a page of s, to be logged in from, or to look at.
func (w *walk) open(t *testing.T, s *webtest.Site, path string) *walker {
	t.Helper()
	return w.openWith(t, s, path)
}

// openWith is open in a browser that has cookies.
func (w *walk) openWith(t *testing.T, s *webtest.Site, path string, cookies ...*http.Cookie) *walker {
	t.Helper()
	page := browsertest.Open(t, s.URL+path, browsertest.Options{Viewport: phone, Lang: w.accepts(), Cookies: cookies})
	page.AllowConsole("status of 422") // a form with errors
	return &walker{Page: page, walk: w, t: t, site: s}
}

// accepts is the language that the browser asks for.
func (w *walk) accepts() string {
	if w.lang == i18n.English {
		return "en-US"
	}
	return "pt-BR"
}

// enter opens the dashboard as the owner, who logged in before: another scene does that
// by hand.
func (w *walk) enter(t *testing.T, s *webtest.Site) *walker {
	t.Helper()
	return w.openWith(t, s, "/app", s.Member(t).Cookies()...)
}

// enterLive opens the dashboard as the owner, in live.
func (w *walk) enterLive(t *testing.T, s *webtest.Site) *walker {
	t.Helper()
	c := s.Member(t)
	s.ToLive(t, c)
	return w.openWith(t, s, "/app", c.Cookies()...)
}

// logIn fills in the page of logging in, which leads to a path.
func (w *walker) logIn(email, path string) {
	w.t.Helper()
	w.Type("#email", email)
	w.Type("#password", paymentstest.Password)
	w.Press("Enter")
	w.WaitTrue(`location.pathname == "` + path + `"`)
}

func (w *walker) toLive() {
	w.t.Helper()
	w.Click("button[value=live]")
	w.WaitTrue(`document.querySelector("button[value=live]").getAttribute("aria-pressed") == "true"`)
}

// visit opens a page by its address and looks at it.
func (w *walker) visit(picture, path string) {
	w.t.Helper()
	w.arrive(path, http.StatusOK)
	w.seen.walk(w.site.App, path)
	w.translated()
	w.look(picture)
}

// visits visits several pages, by the names of their pictures.
func (w *walker) visits(paths map[string]string) {
	w.t.Helper()
	for _, picture := range slices.Sorted(maps.Keys(paths)) {
		w.visit(picture, paths[picture])
	}
}

// refused is visit for a page that is answered with a status of refusal.
func (w *walker) refused(picture, path string, status int) {
	w.t.Helper()
	w.AllowConsole("(" + w.site.URL + path + ")")
	w.arrive(path, status)
	w.translated()
	w.look(picture)
}

func (w *walker) arrive(path string, status int) {
	w.t.Helper()
	w.Goto(w.site.URL + path)
	place, _, _ := strings.Cut(path, "?")
	place, _, _ = strings.Cut(place, "#")
	there := browsertest.Eval[string](w.Page,
		`location.pathname + " " + performance.getEntriesByType("navigation")[0].responseStatus`)
	if want := fmt.Sprint(place, " ", status); there != want {
		w.t.Errorf("%s leads to %s, want %s", path, there, want)
	}
}

// fails sends the page's form as it stands, and looks at it with its errors.
func (w *walker) fails(picture string) {
	w.t.Helper()
	w.failsBy(picture, "main form button.btn-primary")
}

// failsBy is fails for one form of several, by its button.
func (w *walker) failsBy(picture, button string) {
	w.t.Helper()
	w.Click(button)
	w.WaitFocused("#errors")
	w.look(picture)
}

// look checks the page as it stands. What a person could not read or use is looked for on a phone, light, and at a
// desk, dark, since the pairs of colors are sound in both themes (npm run contrast). make test takes one of these in
// turn, and make walk both. The first page of each frame is looked at in both themes, and the colors of its header and
// menu are not looked at again. A language changes no structure and no color, so of the English scenes, whose words are
// shorter, only words and width are checked. With pictures asked for, look looks in all eight ways.
func (w *walker) look(picture string) {
	w.t.Helper()
	w.words()
	w.NoSidewaysScroll()
	if w.lang == i18n.English && !pictures {
		return
	}
	known := w.knowsFrame()
	w.looks++
	every, desk := thorough || pictures || !known, w.looks%2 == 0
	if every || !desk {
		w.inspect(picture, "phone", known, true, !known)
	}
	if every || desk {
		w.Resize(browsertest.Desktop)
		w.NoSidewaysScroll()
		w.inspect(picture, "desktop", known, !known, true)
		w.sizes()
		w.Resize(phone)
	}
}

// knowsFrame reports whether the scene has seen a page with the header and menu of this one.
func (w *walker) knowsFrame() bool {
	w.t.Helper()
	frame := strings.SplitN(strings.TrimPrefix(w.URL(), w.site.URL+"/"), "/", 2)[0]
	if w.frames == nil {
		w.frames = map[string]bool{}
	}
	known := w.frames[frame]
	w.frames[frame] = true
	return known
}

// sizes checks the page at the sizes of text that readers choose, on a desk and on a small phone: no amount of money
// is broken or cut, and nothing is wider than the screen, but for texts of more than the usual size on a small phone.
// The console is a desk's.
func (w *walker) sizes() {
	w.t.Helper()
	w.MoneyWhole()
	w.SetTextSize(200)
	w.NoSidewaysScroll()
	w.MoneyWhole()
	w.Resize(small)
	percents := []int64{200, 150, 100}
	if strings.Contains(w.URL(), "/ops") {
		percents = percents[2:]
	}
	for _, percent := range percents {
		w.SetTextSize(percent)
		w.MoneyWhole()
	}
	w.NoSidewaysScroll()
}

// inspect looks at one screen in the themes that are due: by all rules in the first of them,
// and then by those about colors.
func (w *walker) inspect(picture, screen string, known, light, dark bool) {
	w.t.Helper()
	light, dark = light || pictures, dark || pictures
	check := w.Axe
	if known {
		check = w.AxeFramed
	}
	if light {
		check()
		w.keep(picture, screen, "light")
		check = w.AxeColors
	}
	if dark {
		w.SetDark(true)
		check()
		w.keep(picture, screen, "dark")
		w.SetDark(false)
	}
}

// see checks a page of a journey as it stands, and keeps a picture of it.
func see(page *browsertest.Page, picture string) {
	page.NoSidewaysScroll()
	page.Axe()
	page.Keep(picture)
}

// keep makes a picture if the environment names a folder for them.
func (w *walker) keep(picture, screen, theme string) {
	name := strings.Join([]string{w.scene, picture, screen, theme, string(w.lang)}, "-")
	w.Keep(strings.ReplaceAll(name, "/", "-"))
}

//go:embed testdata/walk.js
var wordsScript string

// words fails the test with what the page says wrong or leaves out.
func (w *walker) words() {
	w.t.Helper()
	w.report(w.lang, wordsIn(w.lang, "document"))
}

// translated is words for the page at this address as the server writes it in English, so that its words are known
// without the scene in English. That scene is walked by make walk. A mail is in the language of its reader.
func (w *walker) translated() {
	w.t.Helper()
	if len(languages) > 1 || strings.Contains(w.URL(), "/dev/mail") {
		return
	}
	w.report(i18n.English, `fetch(location.href, {headers: {"Accept-Language": "en-US"}})
		.then((answer) => answer.text())
		.then((text) => `+wordsIn(i18n.English, `new DOMParser().parseFromString(text, "text/html")`)+`)`)
}

func (w *walker) report(lang i18n.Lang, expression string) {
	w.t.Helper()
	for _, problem := range browsertest.Eval[[]string](w.Page, expression) {
		w.t.Errorf("%s, in %s: %s", w.URL(), lang, problem)
	}
}

// wordsIn is the expression that lists what a document says wrong in a language.
func wordsIn(lang i18n.Lang, document string) string {
	return strings.TrimSpace(wordsScript) + "(" + catalogGroups() + `, "` + string(lang) + `", ` + document + ")"
}

// catalogGroups are those of the catalogs, and the names that are no keys, as JSON.
var catalogGroups = sync.OnceValue(func() string {
	raw, err := os.ReadFile("../views/i18n/pt-BR.json")
	if err != nil {
		panic(err)
	}
	var catalog map[string]any
	if err := json.Unmarshal(raw, &catalog); err != nil {
		panic(err)
	}
	names := []string{}
	for name := range catalog {
		names = append(names, name)
	}
	lists, err := json.Marshal([][]string{names, slices.Concat(models.EventTypes, models.OptionalEventTypes)})
	if err != nil {
		panic(err)
	}
	return "..." + string(lists)
})
