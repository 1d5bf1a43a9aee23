package main

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/internal/auth/totp"
	"garoupa/merchants"
	"garoupa/models"
)

// opsHealth is the part of the page of health that is about the house's bank account, for opsSees.
func (h *house) opsHealth() string { return "/ops/saude#health-" + h.accountID }

// opsBank is a part of the page of the house's bank account, for opsSees: card-watch for its state, card-calls for
// the counts of its calls, card-bank for the account with its notices.
func (h *house) opsBank(part string) string { return "/ops/bancos/" + h.accountID + "#" + part }

// opsSees waits until a page of the console shows staff these texts, in Portuguese. The part of where after "#" is
// the id of the heading of the section that shows them.
func (h *house) opsSees(where string, texts ...string) {
	h.t.Helper()
	path, part, _ := strings.Cut(where, "#")
	var text string
	defer func() {
		if h.t.Failed() {
			h.t.Logf("%s shows %s", where, text)
		}
	}()
	h.until(where+" shows "+strings.Join(texts, " and "), func() bool {
		text = h.opsReads(path, part)
		for _, want := range texts {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return true
	})
}

// opsReads returns the text of a page of the console, or of the section with this heading.
func (h *house) opsReads(path, part string) string {
	h.t.Helper()
	if h.staff == nil {
		h.staff = h.signIn()
	}
	page, _ := h.browse(http.MethodGet, path, nil)
	shown := page.Find("main")
	if part != "" {
		shown = page.Find("section[aria-labelledby=" + part + "]")
	}
	return strings.Join(strings.Fields(shown.Text()), " ")
}

// signIn adds a member of staff, who signs in over HTTP with a second factor, and returns the browser.
func (h *house) signIn() *http.Client {
	h.t.Helper()
	const email = "revisora@staff.example"
	password := demoPassword()
	if _, err := h.merchants.AddStaff(h.t.Context(), merchants.NewStaff{Name: "Eva Reis", Email: email,
		Password: password, Role: models.StaffReviewer}); err != nil {
		h.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.staff = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	h.browse(http.MethodPost, "/entrar", url.Values{"email": {email}, "password": {password}})
	_, enroll := h.browse(http.MethodGet, "/ops", nil)
	form, _ := h.browse(http.MethodGet, enroll, nil)
	secret := strings.ReplaceAll(form.Find("#totp-secret").Text(), " ", "")
	done, _ := h.browse(http.MethodPost, "/2fa/ativar", url.Values{"code": {totp.Code(secret, totp.Step(time.Now()))}})
	if done.Find("#recovery-codes").Length() != 1 {
		h.t.Fatalf("staff cannot sign in: %s", done.Find("main").Text())
	}
	return h.staff
}

// browse requests a page as staff, with a form unless it is nil, and returns where it leads if it redirects.
func (h *house) browse(method, path string, form url.Values) (page *goquery.Document, location string) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Accept-Language", "pt-BR")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	response, err := h.staff.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	if page, err = goquery.NewDocumentFromReader(response.Body); err != nil || response.StatusCode >= 400 {
		h.t.Fatalf("%s is %d, %v", path, response.StatusCode, err)
	}
	return page, response.Header.Get("Location")
}
