package dashboard_test

import (
	"bytes"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/webtest"
)

const logoForm = webtest.CheckoutPage + "/logo"

// upload sends a file as a form does, with other fields by names and values.
func upload(c *webtest.Client, path, field string, file []byte, pairs ...string) webtest.Answer {
	c.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(pairs); i += 2 {
		if err := form.WriteField(pairs[i], pairs[i+1]); err != nil {
			c.T.Fatal(err)
		}
	}
	part, err := form.CreateFormFile(field, "logo.png")
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		c.T.Fatal(err)
	}
	return c.Send(http.MethodPost, path, form.FormDataContentType(), &body)
}

// changes lists who changed what about a subject, as the audit log has it.
func changes(t *testing.T, s *webtest.Site, subject string) (changes []string) {
	t.Helper()
	lines, err := models.AuditLines(t.Context(), s.DB.Pool,
		models.AuditFilter{AccountID: s.Account.ID, Subject: subject})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range slices.Backward(lines) {
		for _, name := range slices.Sorted(maps.Keys(l.After)) {
			changes = append(changes, l.Action+" "+name+": "+l.Before[name]+" > "+l.After[name])
		}
	}
	return changes
}

func TestSettings_Company(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Get("/app/configuracoes"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != webtest.CompanyPage {
		t.Errorf("the settings lead to %s", a.Header.Get("Location"))
	}
	a := c.Get(webtest.CompanyPage)
	if a.Status != http.StatusOK || a.Find("#business").AttrOr("value", "") != "Ateliê Aurora" ||
		a.Find("nav a[aria-current=page]").Length() < 2 {
		t.Errorf("%d: %s", a.Status, a.Find("main").Text())
	}
	for _, wrong := range []string{"", " \n", strings.Repeat("é", 201), "Loja\u202e gnidnatsrednu"} {
		a := c.Post(webtest.CompanyPage, "business", wrong)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#business").AttrOr("value", "-") != wrong ||
			a.Find("#business-error").Length() != 1 {
			t.Errorf("%q: %d", wrong, a.Status)
		}
	}
	charge := s.Checkout(t, payments.NewCheckout{})
	if a := c.Post(webtest.CompanyPage, "business", "  Ateliê   Lua "); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get(webtest.CompanyPage).Text(), "Nome da loja salvo") {
		t.Errorf("renamed: %d", a.Status)
	}
	if a := c.Get("/pay/" + charge.ID); !strings.Contains(a.Find("header").Text(), "Ateliê Lua") {
		t.Error("buyers read another name")
	}
	c.Post(webtest.CompanyPage, "business", "Ateliê Lua") // nothing changes
	if got := changes(t, s, "account"); !slices.Equal(got,
		[]string{"account.renamed name: Ateliê Aurora > Ateliê Lua"}) {
		t.Errorf("the audit log says %q", got)
	}

	c.Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	contact := webtest.AccessAnswers("")[13]
	for role, sees := range map[models.Role]bool{models.RoleAdmin: true, models.RoleViewer: false} {
		s.GiveRole(t, role)
		a := c.Get(webtest.CompanyPage)
		if !strings.Contains(a.Text(), webtest.AccessAnswers("")[1]) || strings.Contains(a.Text(), contact) != sees ||
			(a.Find("main #business").Length() > 0) != sees {
			t.Errorf("%s: %s", role, a.Find("main").Text())
		}
		if last := a.Find("main section").Last(); last.Find("form[action='/app/equipe/"+s.Owner.UserID+
			"/remover']").Length() != 1 || strings.Contains(last.Text(), "Transferir") {
			t.Errorf("%s does not leave the account at the end: %q", role, last.Text())
		}
	}
}

func TestSettings_Checkout(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	a := c.Post(webtest.CheckoutPage, "accent", "verde", "support", "nobody")
	if a.Status != http.StatusUnprocessableEntity || a.Find("#accent-error, #support-error").Length() != 2 ||
		a.Find("#accent").AttrOr("value", "") != "verde" || a.Find("#support").AttrOr("value", "") != "nobody" {
		t.Errorf("wrong: %d", a.Status)
	}
	for _, wrong := range []string{"a@b", "https://", "javascript:alert(1)", "12",
		"x@example.com/" + strings.Repeat("x", 250), "a\u202eb@example.com"} {
		if a := c.Post(webtest.CheckoutPage, "support", wrong); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("the contact %q: %d", wrong, a.Status)
		}
	}
	if a := c.Post(webtest.CheckoutPage, "accent", "#FFD400", "support",
		"ajuda@loja.example"); a.Status != http.StatusSeeOther {
		t.Fatalf("saved: %d", a.Status)
	}
	a = c.Get(webtest.CheckoutPage)
	if a.Find("#accent").AttrOr("value", "") != "#ffd400" || !strings.Contains(a.Text(), "Aparência salva") ||
		!strings.Contains(a.Text(), "O texto do botão é preto") {
		t.Errorf("after: %s", a.Find("main").Text())
	}
	if policy := a.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy,
		"frame-ancestors 'none'; frame-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}

	refusesLogos(t, s, c)
	if a := upload(c, logoForm, "logo", webtest.NoisyLogo(t, 64, 64)); a.Status != http.StatusSeeOther ||
		c.Get(webtest.CheckoutPage).Find("main img[src^='/marca/']").Length() != 1 {
		t.Errorf("a logo: %d", a.Status)
	}

	// The preview shows what is typed and right, otherwise what is saved.
	preview := a.Find("iframe").AttrOr("src", "")
	for query, want := range map[string]string{"": "ffd400", "?accent=%23112233&support=": "112233",
		"?accent=nonsense&support=": "ffd400", "?accent=&support=": ""} {
		a := c.Get(preview + query)
		sheet := a.Find("link[rel=stylesheet]").AttrOr("href", "")
		if a.Status != http.StatusOK || want == "" == strings.HasPrefix(sheet, "/marca/") ||
			!strings.Contains(sheet, want) || a.Find("[inert] #code").Length() != 1 {
			t.Errorf("%s: %d %s", query, a.Status, sheet)
		}
		if (a.Find("a[href^=mailto]").Length() == 1) != (query == "") {
			t.Errorf("%s: another contact", query)
		}
		if policy := a.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'self'") ||
			strings.Contains(policy, "'none'; frame-src") {
			t.Errorf("the preview's policy is %s", policy)
		}
	}
	if a := c.Post(logoForm + "/remover"); a.Status != http.StatusSeeOther ||
		c.Get(webtest.CheckoutPage).Find("main img").Length() != 0 {
		t.Errorf("the logo was removed: %d", a.Status)
	}
	got := changes(t, s, "brand")
	slices.Sort(got)
	if len(got) != 4 || got[0] != "brand.changed accent:  > #ffd400" ||
		got[3] != "brand.changed support:  > ajuda@loja.example" {
		t.Errorf("the audit log says %q", got)
	}
}

// refusesLogos sends what is no logo, and more than is read.
func refusesLogos(t *testing.T, s *webtest.Site, c *webtest.Client) {
	t.Helper()
	for name, tc := range map[string]struct {
		file   []byte
		status int
		says   string
	}{
		"nothing": {nil, 422, "Escolha uma imagem"}, "a text": {[]byte("GIF89a, or not"), 422, "Não conseguimos ler"},
		"6 MB":  {make([]byte, 6<<20), 422, "passa de 2\u00a0MB"},
		"a dot": {webtest.NoisyLogo(t, 3, 3), 422, "pelo menos 16"},
	} {
		if a := upload(c, logoForm, "logo", tc.file); a.Status != tc.status ||
			!strings.Contains(a.Find("main").Text(), tc.says) {
			t.Errorf("%s: %d %s", name, a.Status, a.Find("#logo-error").Text())
		}
	}
	if a := c.Post(logoForm, "logo", "no file"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a form without a file: %d", a.Status)
	}
	for path, length := range map[string]string{logoForm: "9000000", webtest.CompanyPage: "2000000"} {
		refused, _ := s.Exchange(t, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: "+length+
			"\r\n\r\n", 1)
		if refused[0].StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s bytes to %s: %d", length, path, refused[0].StatusCode)
		}
	}
}

func TestSettings_Profile(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	a := c.Post(webtest.ProfilePage, "name", "", "lang", "fr", "theme", "dark")
	if a.Status != http.StatusUnprocessableEntity || a.Find("#name-error, #lang-error").Length() != 2 ||
		a.Find("html[data-theme]").Length() != 0 {
		t.Errorf("wrong: %d", a.Status)
	}
	if a := c.Post(webtest.ProfilePage, "name", "Ana Lima Souza", "lang", "en", "theme",
		"dark"); a.Status != http.StatusSeeOther {
		t.Fatalf("saved: %d", a.Status)
	}
	a = c.Get(webtest.ProfilePage)
	if a.Find("html").AttrOr("lang", "") != "en" || a.Find("html").AttrOr("data-theme", "") != "dark" ||
		!strings.Contains(a.Text(), "Profile saved") ||
		a.Find("#lang option[selected]").AttrOr("value", "") != "en" ||
		a.Find("#theme option[selected]").AttrOr("value", "") != "dark" {
		t.Errorf("after: %s", a.Find("main").Text())
	}
	user, err := models.UserByEmail(t.Context(), s.DB, s.Email)
	if err != nil || user.Name != "Ana Lima Souza" || user.Language != "en" {
		t.Errorf("%+v, %v", user, err)
	}
	if got := changes(t, s, "user"); !slices.Equal(got,
		[]string{"user.profile_changed language: pt-BR > en", "user.profile_changed name: Ana Lima > Ana Lima Souza"}) {
		t.Errorf("the audit log says %q", got)
	}
}

// A member turns off what their role gets. What another role of theirs had turned off
// stays, and the rest cannot be turned off.
func TestSettings_Notices(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	boxes := func(selector string) int {
		return c.Get(webtest.NoticesPage).Find("input[name=notices]" + selector).Length()
	}
	if boxes("") != 6 || boxes("[checked]") != 5 || boxes("[value=CHARGE_PAID][checked]") != 0 {
		t.Errorf("an owner is offered %d, %d of them on", boxes(""), boxes("[checked]"))
	}
	if a := c.Post(webtest.NoticesPage, "notices", "ACCESS", "notices", "WEBHOOK_FAILING", "notices",
		"PASSWORD"); a.Status != http.StatusSeeOther {
		t.Fatalf("saved: %d", a.Status)
	}
	moves(t, s, models.RoleFinance)
	if boxes("") != 2 || boxes("[checked]") != 0 {
		t.Errorf("who looks after money is offered %d, %d of them on", boxes(""), boxes("[checked]"))
	}
	c.Post(webtest.NoticesPage, "notices", "WITHDRAWALS", "notices", "CHARGE_PAID")
	muted, err := models.MutedNotices(t.Context(), s.DB.Pool, s.Account.ID, s.Owner.UserID)
	if err != nil || !slices.Equal(muted, []models.Notice{models.NoticeWebhookDisabled, models.NoticeMonthClosed}) {
		t.Errorf("turned off are %q, %v", muted, err)
	}
	if got := changes(t, s, "member"); !slices.Equal(got[len(got)-2:], []string{
		"member.notices_changed muted: CHARGE_PAID > CHARGE_PAID, WEBHOOK_DISABLED, WITHDRAWALS, MONTH_CLOSED",
		"member.notices_changed muted: CHARGE_PAID, WEBHOOK_DISABLED, WITHDRAWALS, MONTH_CLOSED > WEBHOOK_DISABLED, " +
			"MONTH_CLOSED",
	}) {
		t.Errorf("the audit log says %q", got)
	}
	moves(t, s, models.RoleViewer)
	if boxes("") != 1 || boxes("[value=CHARGE_PAID][checked]") != 1 {
		t.Errorf("who only reads is offered %d", boxes(""))
	}
	c.Lang = "en"
	if text := c.Get(webtest.NoticesPage).Find("main form").Text(); !strings.Contains(text, "Live charges only") ||
		!strings.Contains(text, "Up to "+strconv.Itoa(models.PaidMailsAnHour)+" an hour") {
		t.Errorf("nothing says which charges and how many mails: %s", text)
	}
}

// moves gives the person of New another role, in the membership that they have.
func moves(t *testing.T, s *webtest.Site, role models.Role) {
	t.Helper()
	err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if err := models.SetRole(tx, s.Account.ID, s.Owner.UserID, role); err != nil {
			return err
		}
		_, err := tx.Exec(`WITH heir AS (INSERT INTO users (id, email, name, password_hash)
				VALUES ('usr_00000000000000000000', 'somebody@example.com', 'Somebody', '')
				ON CONFLICT DO NOTHING RETURNING id)
			INSERT INTO members (account_id, user_id, role) SELECT $1, id, 'OWNER' FROM heir`, s.Account.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Who may not come in reads what it is and whom to ask, in the dashboard.
func TestNoAccess(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for _, tc := range []struct {
		role     models.Role
		method   string
		path     string
		lang     string
		title    string
		whom     string
		sections int // the section stands in the menu, which is there twice
	}{
		{models.RoleDeveloper, "GET", "/app/saques", "pt-BR", "Você não tem acesso a Saques",
			"Fale com um administrador da conta.", 0},
		{models.RoleFinance, "GET", "/app/requisicoes", "en", "You do not have access to Requests",
			"Contact an administrator of the account.", 0},
		{models.RoleFinance, "GET", "/app/chaves/nova", "pt-BR", "Você não pode fazer isto em Chaves de API",
			"Fale com um administrador da conta.", 2},
		{models.RoleAdmin, "GET", "/app/auditoria.csv", "pt-BR", "Você não tem acesso a Auditoria",
			"Fale com o dono da conta.", 0},
		{models.RoleViewer, "POST", webtest.CompanyPage, "en", "You cannot do this in Settings",
			"Your role here is Viewer.", 2},
		{models.RoleViewer, "POST", webtest.CheckoutPage, "pt-BR", "Você não pode fazer isto em Configurações",
			"Seu papel aqui é Leitura.", 2},
		{models.RoleDeveloper, "POST", logoForm, "pt-BR", "Você não pode fazer isto em Configurações",
			"Fale com um administrador", 2},
		{models.RoleDeveloper, "POST", logoForm + "/remover", "pt-BR", "Você não pode fazer isto em Configurações",
			"Fale com um administrador", 2},
	} {
		s.GiveRole(t, tc.role)
		c.Lang = tc.lang
		a := c.Do(tc.method, tc.path, nil)
		if tc.method == http.MethodPost {
			a = c.Post(tc.path)
		}
		if a.Status != http.StatusForbidden || a.Find("h1").Text() != tc.title ||
			!strings.Contains(a.Find("main").Text(), tc.whom) ||
			a.Find("nav a[aria-current=page]").Length() != tc.sections ||
			a.Find("main a[href='/app/equipe']").Length() != 1 {
			t.Errorf("%s of %s for %s: %d %q", tc.method, tc.path, tc.role, a.Status, a.Find("main").Text())
		}
	}
	c.Lang = "pt-BR"
	for _, path := range []string{webtest.CompanyPage, webtest.CheckoutPage, webtest.CheckoutPage + "/previa",
		webtest.NoticesPage, webtest.ProfilePage} {
		if a := c.Get(path); a.Status != http.StatusOK {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}
