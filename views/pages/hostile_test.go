package pages_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"garoupa/views/i18n"
	"garoupa/views/pages"
	"garoupa/views/pages/account"
	"garoupa/views/pages/dashboard"
	"garoupa/views/pages/docs"
	"garoupa/views/pages/hosted"
)

// hostile breaks out of text, of attributes, and of addresses.
const hostile = `javascript:alert(1)//"'><script>alert(1)</script><img src=x onerror=alert(1)>%s%!d **`

// Whatever merchants, buyers and strangers' servers write, it stays text.
func TestHostileText(t *testing.T) {
	t.Parallel()
	for _, all := range []map[string]templ.Component{hostilePublic(t), hostileDashboard(t)} {
		for name, component := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, lang := range languages {
					checkHarmless(t, render(t, lang, component))
				}
			})
		}
	}
}

// hostilePublic are the pages for buyers and those about a person and their team.
func hostilePublic(t *testing.T) map[string]templ.Component {
	t.Helper()
	return map[string]templ.Component{
		"pay": hosted.Pay(filled[hosted.PayProps](t, nil)),
		"pay pending": hosted.Pay(filled(t, func(p *hosted.PayProps) {
			p.Status,
				p.ProviderError = pages.StatusPending, false
		})),
		"pay unavailable": hosted.Pay(filled(t, func(p *hosted.PayProps) { p.Status = pages.StatusPending })),
		"pay paid":        hosted.Pay(filled(t, func(p *hosted.PayProps) { p.Status = pages.StatusPaid })),
		"pay expired":     hosted.Pay(filled(t, func(p *hosted.PayProps) { p.Status = pages.StatusExpired })),
		"pay cancelled":   hosted.Pay(filled(t, func(p *hosted.PayProps) { p.Status = pages.StatusCancelled })),
		"pay unrenewed": hosted.Pay(filled(t, func(p *hosted.PayProps) {
			p.Status,
				p.FromLink = pages.StatusExpired, true
		})),
		"error":          pages.Error(filled[pages.ErrorProps](t, nil)),
		"pay not found":  pages.PayNotFound(filled[pages.ErrorProps](t, nil)),
		"not found":      dashboard.NotFound(filled[dashboard.NotFoundProps](t, nil)),
		"link not found": pages.LinkNotFound(filled[pages.ErrorProps](t, nil)),
		"sign up":        account.SignUp(filled[account.SignUpProps](t, nil)),
		"log in":         account.LogIn(filled[account.LogInProps](t, nil)),
		"step up":        pages.StepUp(filled(t, func(p *pages.StepUpProps) { p.Action = "/app/chaves" })),
		"kept": pages.Kept(filled(t, func(p *pages.KeptProps) {
			p.Reason, p.Action,
				p.Section = pages.KeptAccount, "/app/chaves", "/app"
		})),
		"code": account.Code(filled[account.CodeProps](t, nil)),
		"totp": account.TOTP(filled[account.TOTPProps](t,
			func(p *account.TOTPProps) { p.Next, p.URL = "/app", "otpauth://totp/x" })),
		"recovery codes": account.RecoveryCodes(filled(t, func(p *account.RecoveryCodesProps) { p.Next = "/app" })),
		"forgot":         account.Forgot(filled[account.ForgotProps](t, nil)),
		"reset":          account.Reset(filled[account.ResetProps](t, nil)),
		"unverified":     account.UnverifiedEmail(filled[account.UnverifiedEmailProps](t, nil)),
		"company":        dashboard.SettingsCompany(filled[dashboard.SettingsCompanyProps](t, nil)),
		"company seen": dashboard.SettingsCompany(filled(t,
			func(p *dashboard.SettingsCompanyProps) { p.CanChange = false })),
		"look": dashboard.SettingsCheckout(filled(t,
			func(p *dashboard.SettingsCheckoutProps) { p.Preview = "/app" })),
		"look seen": dashboard.SettingsCheckout(filled(t,
			func(p *dashboard.SettingsCheckoutProps) { p.Preview, p.CanChange = "/app", false })),
		"buyer": dashboard.SettingsBuyer(filled(t,
			func(p *dashboard.SettingsBuyerProps) { p.Charges, p.Kept = 3, 1 })),
		"preview": hosted.PayPreview(filled(t, func(p *hosted.PayProps) { p.Status = pages.StatusPending })),
		"profile": dashboard.SettingsProfile(filled[dashboard.SettingsProfileProps](t, nil)),
		"notices": dashboard.SettingsNotices(filled[dashboard.SettingsNoticesProps](t, nil)),
		"no access": dashboard.NoAccess(filled[dashboard.NoAccessProps](t,
			func(p *dashboard.NoAccessProps) { p.Section = "" })),
		"security": account.Security(filled[account.SecurityProps](t, nil)),
		"team": dashboard.Team(filled[dashboard.TeamProps](t,
			func(p *dashboard.TeamProps) { p.Duties = nil })),
		"invite form":   dashboard.InviteForm(filled[dashboard.InviteFormProps](t, nil)),
		"team member":   dashboard.Member(filled[dashboard.MemberProps](t, nil)),
		"accounts":      account.Accounts(filled[account.AccountsProps](t, nil)),
		"invite":        account.Invite(filled(t, func(p *account.InviteProps) { p.State = account.InviteNew })),
		"invite closed": account.Invite(filled(t, func(p *account.InviteProps) { p.State = account.InviteClosed })),
		"invite others": account.Invite(filled(t, func(p *account.InviteProps) { p.State = account.InviteOthers })),
	}
}

// hostileDashboard are the pages about what a merchant sells and builds.
func hostileDashboard(t *testing.T) map[string]templ.Component {
	t.Helper()
	return map[string]templ.Component{
		"dev mails": docs.DevMails(filled[docs.DevMailsProps](t, nil)),
		"dev mail": docs.DevMail(filled(t,
			func(p *docs.DevMailProps) { p.Link = "https://app.example/convite/x" })),
		"home":            dashboard.Home(filled[dashboard.HomeProps](t, nil)),
		"home empty":      dashboard.Home(filled(t, func(p *dashboard.HomeProps) { p.Checkouts = nil })),
		"keys":            dashboard.Keys(filled[dashboard.KeysProps](t, nil)),
		"new key":         dashboard.NewKey(filled[dashboard.NewKeyProps](t, nil)),
		"key created":     dashboard.KeyCreated(filled(t, func(p *dashboard.KeyCreatedProps) { p.Shell.Live = false })),
		"revoke":          dashboard.RevokeKey(filled[dashboard.RevokeKeyProps](t, nil)),
		"webhooks":        dashboard.Webhooks(filled[dashboard.WebhooksProps](t, nil)),
		"new webhook":     dashboard.WebhookForm(filled[dashboard.WebhookFormProps](t, nil)),
		"webhook created": dashboard.WebhookCreated(filled[dashboard.WebhookCreatedProps](t, nil)),
		"webhook":         dashboard.Webhook(filled(t, func(p *dashboard.WebhookProps) { p.Enabled = false })),
		"webhook replay":  dashboard.Replay(filled[dashboard.ReplayProps](t, nil)),
		"webhook secret":  dashboard.WebhookSecret(filled[dashboard.WebhookSecretProps](t, nil)),
		"delivery":        dashboard.Delivery(filled[dashboard.DeliveryProps](t, nil)),
		"events":          dashboard.Events(filled[dashboard.EventsProps](t, nil)),
		"event":           dashboard.Event(filled[dashboard.EventProps](t, nil)),
		"link":            hosted.Link(filled[hosted.LinkProps](t, nil)),
		"link inactive":   hosted.LinkInactive(filled[hosted.LinkInactiveProps](t, nil)),
		"links":           dashboard.Links(filled[dashboard.LinksProps](t, nil)),
		"new link":        dashboard.NewLink(filled[dashboard.NewLinkProps](t, nil)),
		"link detail":     dashboard.LinkDetail(filled[dashboard.LinkDetailProps](t, nil)),
		"products":        dashboard.Products(filled[dashboard.ProductsProps](t, nil)),
		"new product":     dashboard.NewProduct(filled[dashboard.NewProductProps](t, nil)),
		"product":         dashboard.Product(filled[dashboard.ProductProps](t, nil)),
		"product seen":    dashboard.Product(filled(t, func(p *dashboard.ProductProps) { p.CanEdit = false })),
		"checkouts":       dashboard.Checkouts(filled[dashboard.CheckoutsProps](t, nil)),
		"checkout": dashboard.Checkout(filled(t,
			func(p *dashboard.CheckoutProps) { p.Status = pages.StatusPending })),
	}
}

func checkHarmless(t *testing.T, doc *goquery.Document) {
	t.Helper()
	if !strings.Contains(doc.Text(), "<script>alert(1)</script>") {
		t.Error("the hostile text does not stand on the page at all")
	}
	if doc.Find("script:not([src^='/static/']), img:not([src^='/marca/']):not([src^='/fotos/'])").Length() > 0 {
		t.Error("a tag was let through")
	}
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, attribute := range s.Nodes[0].Attr {
			if strings.HasPrefix(attribute.Key, "on") {
				t.Errorf("%s has %s", goquery.NodeName(s), attribute.Key)
			}
		}
	})
	doc.Find("[href], [src], [action]").Each(func(_ int, s *goquery.Selection) {
		for _, name := range []string{"href", "src", "action"} {
			if strings.HasPrefix(strings.TrimSpace(s.AttrOr(name, "")), "javascript:") {
				t.Errorf("%s of %s runs a script", name, goquery.NodeName(s))
			}
		}
	})
}

// filled is props with every text hostile, every flag set, and two of each list.
func filled[P any](t *testing.T, change func(*P)) P {
	t.Helper()
	var p P
	fill(reflect.ValueOf(&p).Elem())
	if change != nil {
		change(&p)
	}
	return p
}

func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(now))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(21)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// Forms keep what was typed, except secrets.
func TestFormsKeepValues(t *testing.T) {
	t.Parallel()
	p := account.SignUpProps{Name: "Marina", Business: "Ateliê <b>", Email: "m@", Errors: problem("email")}
	doc := render(t, i18n.Portuguese, account.SignUp(p))
	for name, want := range map[string]string{"name": "Marina", "business": "Ateliê <b>", "email": "m@"} {
		if got := doc.Find(`input[name="`+name+`"]`).AttrOr("value", ""); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if _, kept := doc.Find("input[type=password]").Attr("value"); kept {
		t.Error("the password was sent back")
	}
	email := doc.Find("input#email")
	if email.AttrOr("aria-invalid", "") != "true" ||
		!strings.Contains(text(doc.Find("#"+strings.TrimSpace(email.AttrOr("aria-describedby", "")))),
			"Confira: email") {
		t.Error("the error is not tied to its field")
	}
	if got := text(doc.Find(`#errors a[href="#email"]`)); got != "Confira: email" {
		t.Errorf("the summary links to %q", got)
	}
	if !strings.HasPrefix(doc.Find("title").Text(), "Erro: ") {
		t.Error("the title does not begin with the error")
	}
}
