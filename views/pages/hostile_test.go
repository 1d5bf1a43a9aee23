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
		"pay":             pages.Pay(filled[pages.PayProps](t, nil)),
		"pay pending":     pages.Pay(filled(t, func(p *pages.PayProps) { p.Status, p.ProviderError = pages.StatusPending, false })),
		"pay unavailable": pages.Pay(filled(t, func(p *pages.PayProps) { p.Status = pages.StatusPending })),
		"pay paid":        pages.Pay(filled(t, func(p *pages.PayProps) { p.Status = pages.StatusPaid })),
		"pay expired":     pages.Pay(filled(t, func(p *pages.PayProps) { p.Status = pages.StatusExpired })),
		"pay cancelled":   pages.Pay(filled(t, func(p *pages.PayProps) { p.Status = pages.StatusCancelled })),
		"pay unrenewed":   pages.Pay(filled(t, func(p *pages.PayProps) { p.Status, p.FromLink = pages.StatusExpired, true })),
		"error":           pages.Error(filled[pages.ErrorProps](t, nil)),
		"pay not found":   pages.PayNotFound(filled[pages.ErrorProps](t, nil)),
		"not found":       pages.NotFound(filled[pages.NotFoundProps](t, nil)),
		"link not found":  pages.LinkNotFound(filled[pages.ErrorProps](t, nil)),
		"sign up":         pages.SignUp(filled[pages.SignUpProps](t, nil)),
		"log in":          pages.LogIn(filled[pages.LogInProps](t, nil)),
		"step up":         pages.StepUp(filled(t, func(p *pages.StepUpProps) { p.Action = "/app/chaves" })),
		"kept":            pages.Kept(filled(t, func(p *pages.KeptProps) { p.Reason, p.Action, p.Section = pages.KeptAccount, "/app/chaves", "/app" })),
		"code":            pages.Code(filled[pages.CodeProps](t, nil)),
		"totp":            pages.TOTP(filled[pages.TOTPProps](t, func(p *pages.TOTPProps) { p.Next, p.URL = "/app", "otpauth://totp/x" })),
		"recovery codes":  pages.RecoveryCodes(filled(t, func(p *pages.RecoveryCodesProps) { p.Next = "/app" })),
		"forgot":          pages.Forgot(filled[pages.ForgotProps](t, nil)),
		"reset":           pages.Reset(filled[pages.ResetProps](t, nil)),
		"unverified":      pages.UnverifiedEmail(filled[pages.UnverifiedEmailProps](t, nil)),
		"company":         pages.SettingsCompany(filled[pages.SettingsCompanyProps](t, nil)),
		"company seen":    pages.SettingsCompany(filled(t, func(p *pages.SettingsCompanyProps) { p.CanChange = false })),
		"look":            pages.SettingsCheckout(filled(t, func(p *pages.SettingsCheckoutProps) { p.Preview = "/app" })),
		"look seen":       pages.SettingsCheckout(filled(t, func(p *pages.SettingsCheckoutProps) { p.Preview, p.CanChange = "/app", false })),
		"preview":         pages.PayPreview(filled(t, func(p *pages.PayProps) { p.Status = pages.StatusPending })),
		"profile":         pages.SettingsProfile(filled[pages.SettingsProfileProps](t, nil)),
		"notices":         pages.SettingsNotices(filled[pages.SettingsNoticesProps](t, nil)),
		"no access":       pages.NoAccess(filled[pages.NoAccessProps](t, func(p *pages.NoAccessProps) { p.Section = "" })),
		"security":        pages.Security(filled[pages.SecurityProps](t, nil)),
		"team":            pages.Team(filled[pages.TeamProps](t, func(p *pages.TeamProps) { p.Duties = nil })),
		"invite form":     pages.InviteForm(filled[pages.InviteFormProps](t, nil)),
		"team member":     pages.Member(filled[pages.MemberProps](t, nil)),
		"accounts":        pages.Accounts(filled[pages.AccountsProps](t, nil)),
		"invite":          pages.Invite(filled(t, func(p *pages.InviteProps) { p.State = pages.InviteNew })),
		"invite others":   pages.Invite(filled(t, func(p *pages.InviteProps) { p.State = pages.InviteOthers })),
	}
}

// hostileDashboard are the pages about what a merchant sells and builds.
func hostileDashboard(t *testing.T) map[string]templ.Component {
	t.Helper()
	return map[string]templ.Component{
		"dev mails":       pages.DevMails(filled[pages.DevMailsProps](t, nil)),
		"dev mail":        pages.DevMail(filled(t, func(p *pages.DevMailProps) { p.Link = "https://app.example/convite/x" })),
		"home":            pages.Home(filled[pages.HomeProps](t, nil)),
		"home empty":      pages.Home(filled(t, func(p *pages.HomeProps) { p.Checkouts = nil })),
		"keys":            pages.Keys(filled[pages.KeysProps](t, nil)),
		"new key":         pages.NewKey(filled[pages.NewKeyProps](t, nil)),
		"key created":     pages.KeyCreated(filled(t, func(p *pages.KeyCreatedProps) { p.Shell.Livemode = false })),
		"revoke":          pages.RevokeKey(filled[pages.RevokeKeyProps](t, nil)),
		"webhooks":        pages.Webhooks(filled[pages.WebhooksProps](t, nil)),
		"new webhook":     pages.WebhookForm(filled[pages.WebhookFormProps](t, nil)),
		"webhook created": pages.WebhookCreated(filled[pages.WebhookCreatedProps](t, nil)),
		"webhook":         pages.Webhook(filled(t, func(p *pages.WebhookProps) { p.Enabled = false })),
		"webhook replay":  pages.Replay(filled[pages.ReplayProps](t, nil)),
		"webhook secret":  pages.WebhookSecret(filled[pages.WebhookSecretProps](t, nil)),
		"delivery":        pages.Delivery(filled[pages.DeliveryProps](t, nil)),
		"events":          pages.Events(filled[pages.EventsProps](t, nil)),
		"event":           pages.Event(filled[pages.EventProps](t, nil)),
		"link":            pages.Link(filled[pages.LinkProps](t, nil)),
		"link inactive":   pages.LinkInactive(filled[pages.LinkInactiveProps](t, nil)),
		"links":           pages.Links(filled[pages.LinksProps](t, nil)),
		"new link":        pages.NewLink(filled[pages.NewLinkProps](t, nil)),
		"link detail":     pages.LinkDetail(filled[pages.LinkDetailProps](t, nil)),
		"products":        pages.Products(filled[pages.ProductsProps](t, nil)),
		"new product":     pages.NewProduct(filled[pages.NewProductProps](t, nil)),
		"product":         pages.Product(filled[pages.ProductProps](t, nil)),
		"product seen":    pages.Product(filled(t, func(p *pages.ProductProps) { p.CanEdit = false })),
		"checkouts":       pages.Checkouts(filled[pages.CheckoutsProps](t, nil)),
		"checkout":        pages.Checkout(filled(t, func(p *pages.CheckoutProps) { p.Status = pages.StatusPending })),
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
	p := pages.SignUpProps{Name: "Marina", Business: "Ateliê <b>", Email: "m@", Errors: problem("email")}
	doc := render(t, i18n.Portuguese, pages.SignUp(p))
	for name, want := range map[string]string{"name": "Marina", "business": "Ateliê <b>", "email": "m@"} {
		if got := doc.Find(`input[name="`+name+`"]`).AttrOr("value", ""); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if _, kept := doc.Find("input[type=password]").Attr("value"); kept {
		t.Error("the password was sent back")
	}
	email := doc.Find("input#email")
	if email.AttrOr("aria-invalid", "") != "true" || !strings.Contains(text(doc.Find("#"+strings.TrimSpace(email.AttrOr("aria-describedby", "")))), "Confira: email") {
		t.Error("the error is not tied to its field")
	}
	if got := text(doc.Find(`#errors a[href="#email"]`)); got != "Confira: email" {
		t.Errorf("the summary links to %q", got)
	}
	if !strings.HasPrefix(doc.Find("title").Text(), "Erro: ") {
		t.Error("the title does not begin with the error")
	}
}
