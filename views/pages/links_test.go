package pages_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
	"garoupa/views/pages/dashboard"
	"garoupa/views/pages/hosted"
)

var cycles = []string{"ONE_TIME", "WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUALLY", "ANNUALLY"}

func hostedLink() hosted.LinkProps {
	return hosted.LinkProps{
		Action: "/l/plink_0123456789abcdef", Token: "T0K3N", Live: true, MerchantName: "Ateliê Aurora",
		MerchantDocument: "12.345.678/0001-90",
		Name:             "Vaso Lua Nova", Description: "Cerâmica de alta temperatura.", Amount: 124990,
		PaymentCycle: pages.OneTime,
	}
}

// vase is higher than wide.
var vase = pages.ProductPicture{Small: "5f2d-pagina.jpg", Large: "5f2d.jpg", Width: 900, Height: 1200}

// linkStates are the hosted page of a link in each of its states.
func linkStates() map[string]hosted.LinkProps {
	states := map[string]hosted.LinkProps{}
	add := func(name string, change func(*hosted.LinkProps)) {
		p := hostedLink()
		change(&p)
		states[name] = p
	}
	add("plain", func(*hosted.LinkProps) {})
	add("bare", func(p *hosted.LinkProps) { p.MerchantDocument, p.Description = "", "" })
	add("cpf", func(p *hosted.LinkProps) { p.MerchantDocument = "123.456.789-09" })
	add("test", func(p *hosted.LinkProps) { p.Live = false })
	add("demo", func(p *hosted.LinkProps) { p.Live, p.Demo = false, true })
	add("image", func(p *hosted.LinkProps) { p.PreviewImage = "https://loja.test/vaso.jpg" })
	add("picture", func(p *hosted.LinkProps) { p.Picture, p.PreviewImage = vase, "https://pix.test/fotos/5f2d.jpg" })
	add("wrong", func(p *hosted.LinkProps) {
		p.BuyerName, p.BuyerEmail, p.Errors = "Carla", "carla@", problem("name", "email")
	})
	add("unavailable", func(p *hosted.LinkProps) {
		p.ProviderError, p.RequestID, p.BuyerName = true,
			"req_4f0e", "Carla"
	})
	add("many", func(p *hosted.LinkProps) { p.Quantity, p.MaxQuantity, p.Left, p.EndsAt = 2, 5, 7, now })
	add("many wrong", func(p *hosted.LinkProps) { p.MaxQuantity, p.Errors = 5, problem("quantity") })
	add("open", func(p *hosted.LinkProps) { p.Open, p.Least, p.Most = true, 1_00, 500_00 })
	add("open wrong", func(p *hosted.LinkProps) {
		p.Open, p.Least, p.Most, p.TypedAmount, p.Errors = true, 1_00, 500_00, "0,50", problem("amount")
	})
	add("buyer needed", func(p *hosted.LinkProps) { p.BuyerData, p.Errors = "REQUIRED", problem("name") })
	add("buyer off", func(p *hosted.LinkProps) { p.BuyerData = "OFF" })
	for _, cycle := range cycles {
		add(cycle, func(p *hosted.LinkProps) { p.PaymentCycle = cycle })
	}
	return states
}

func linkPages() []page {
	var all []page
	for name, p := range linkStates() {
		all = append(all, page{"link " + name, hosted.Link(p)})
	}
	for name, p := range map[string]hosted.LinkInactiveProps{
		"sold out": {SoldOut: true}, "held": {SoldOut: true, Held: true, OpenPath: "/pay/chk_1"},
		"ended": {EndedAt: now},
	} {
		p.MerchantName, p.Name = "Ateliê Aurora", "Vaso"
		all = append(all, page{"link " + name, hosted.LinkInactive(p)})
	}
	row := dashboard.LinkRow{ID: "plink_1", Product: "Vaso", Amount: 124990, Active: true, ProductActive: true,
		Uses: 1284, Paid: 1, CreatedAt: now}
	off, unsold := row, row
	off.Active, unsold.ProductActive, unsold.Uses, unsold.Paid = false, false, 1, 0
	products := []dashboard.ProductRow{{Slug: "vaso", Name: "Vaso", Amount: 124990, PaymentCycle: "MONTHLY",
		Active: true, Picture: vase}, {Slug: "xicara", Name: "Xícara", Amount: 1, PaymentCycle: "ONE_TIME"}}
	form := dashboard.NewLinkProps{Key: "K3Y", Products: products, ProductID: "xicara", Form: linkForm(true)}
	wrong, none := form, form
	wrong.Form.Shell, wrong.Form.Fields.SuccessURL, wrong.Form.Fields.ReturnURL = shell(false), "x", "y"
	wrong.Form.Errors = problem("productId", "expiresInSeconds", "successUrl", "returnUrl", "buyerData", "openMin",
		"maxQuantity", "stock", "endsAt", "")
	none.Products = nil
	edit := dashboard.EditLinkProps{ID: "plink_1", Product: "Vaso", Form: linkForm(false)}
	edit.Form.Unfolded, edit.Form.Fields.Open, edit.Form.Fields.Stock = true, true, "7"
	poster := dashboard.PosterProps{ID: "plink_1", URL: "https://pix.loja.test/l/plink_1", Merchant: "Ateliê Aurora",
		Product: "Vaso", Amount: 124990, QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 29}}
	open := poster
	open.Small, open.Terms.Open, open.Brand.Logo = true, true, "logo.png"
	all = append(all, page{"edit link", dashboard.EditLink(edit)}, page{"poster", dashboard.Poster(poster)},
		page{"poster open", dashboard.Poster(open)})
	all = append(all,
		page{"link inactive", hosted.LinkInactive(hosted.LinkInactiveProps{MerchantName: "Ateliê Aurora"})},
		page{"link inactive demo",
			hosted.LinkInactive(hosted.LinkInactiveProps{MerchantName: "Ateliê Aurora", Demo: true})},
		page{"new link", dashboard.NewLink(form)}, page{"new link wrong", dashboard.NewLink(wrong)},
		page{"new link none", dashboard.NewLink(none)},
	)
	for _, live := range []bool{false, true} {
		all = append(all,
			page{"links", dashboard.Links(dashboard.LinksProps{Shell: shell(live), CanCreate: true,
				Links: []dashboard.LinkRow{row, off, unsold}, Pager: components.PagerProps{Next: "?cursor=x"}})},
			page{"links before",
				dashboard.Links(dashboard.LinksProps{Shell: shell(live), NeedsAccess: true,
					Links: []dashboard.LinkRow{row}})},
			page{"links empty", dashboard.Links(dashboard.LinksProps{Shell: shell(live), CanCreate: true})},
			page{"links waiting", dashboard.Links(dashboard.LinksProps{Shell: shell(live), NeedsAccess: true})},
			page{"links locked", dashboard.Links(dashboard.LinksProps{Shell: shell(live)})},
		)
	}
	return slices.Concat(all, linkDetails(), productPages(products), analyticsPages())
}

func linkForm(live bool) dashboard.LinkFormProps {
	return dashboard.LinkFormProps{Shell: shell(live), Expiries: []int{900, 3600, 86400},
		Kinds:  []string{"OFF", "OPTIONAL", "REQUIRED"},
		Fields: dashboard.LinkFields{ExpiresIn: 3600, BuyerData: "OPTIONAL", MaxQuantity: "1"}}
}

// sellingLinks are links of which some are not shown, and which sold a part of all.
func sellingLinks() dashboard.LinksFigures {
	return dashboard.LinksFigures{Others: 2, Volume: 800_00, Most: []dashboard.LinkFigures{
		{Name: "Vaso", Href: "/app/links/plink_1", Visits: 9, Created: 3, Pending: 1, Paid: 2,
			Volume: 500_00, Sales: 2},
		{ID: "plink_00112233445566aa", Name: "Vaso", Href: "/app/links/plink_2",
			Visits: 1, Created: 1, Paid: 1, Volume: 100_00, Sales: 1},
	}}
}

func analyticsPages() []page {
	return []page{
		{"analytics", dashboard.Analytics(dashboard.AnalyticsProps{Shell: shell(true),
			Filter: dashboard.FiguresFilter{Key: dashboard.PeriodWeek}, Hours: make([]dashboard.Figures, 24),
			Weekdays: []dashboard.Figures{overview().Now, overview().Before, {}, {}, {}, {}, {}},
			Volume:   1_000_00, Links: sellingLinks(), Products: sellingLinks()})},
		{"analytics bare", dashboard.Analytics(dashboard.AnalyticsProps{Shell: shell(false), NoLinks: true,
			Filter: dashboard.FiguresFilter{Key: dashboard.PeriodWeek}})},
	}
}

func linkDetails() []page {
	detail := dashboard.LinkDetailProps{
		Shell: shell(false), ID: "plink_1", URL: "https://pix.loja.test/l/plink_1",
		QR:      components.QRProps{Path: "M0 0h7v1h-7z", Modules: 29},
		Product: "Vaso", ProductID: "vaso", ProductActive: true, Amount: 124990, Active: true, ExpiresIn: 1800,
		SuccessURL: "https://loja.test/obrigado?c={CHECKOUT_ID}", ReturnURL: "https://loja.test/", CreatedAt: now,
		Figures: dashboard.LinkFigures{Visits: 9, Created: 3, Pending: 1, Paid: 2,
			Volume: 249980, Sales: 2},
		Filter: dashboard.FiguresFilter{Key: dashboard.PeriodWeek}, CanEdit: true,
		Terms: dashboard.LinkTerms{BuyerData: "OPTIONAL", MaxQuantity: 1},
		Checkouts: []dashboard.CheckoutRow{{ID: "chk_8f2b7a103c1c4f0e9d7a", Status: pages.StatusPaid, Amount: 1,
			CreatedAt: now.Add(-time.Minute)}},
	}
	off, unsold, seen := detail, detail, detail
	off.Active, off.Shell = false, shell(true)
	unsold.ProductActive, unsold.ExpiresIn = false, 7200
	seen.CanEdit, seen.Checkouts, seen.Figures = false, nil, dashboard.LinkFigures{Created: 1, Pending: 1}
	seen.ExpiresIn, seen.SuccessURL, seen.ReturnURL = 901, "", ""
	over := detail
	over.Terms = dashboard.LinkTerms{BuyerData: "OFF", MaxQuantity: 1, Open: true, Least: 1, Most: 99, Stocked: true,
		Oversold: 1, EndsAt: now, Ended: true}
	return []page{
		{"link detail over", dashboard.LinkDetail(over)},
		{"link detail", dashboard.LinkDetail(detail)}, {"link detail off", dashboard.LinkDetail(off)},
		{"link detail unsold", dashboard.LinkDetail(unsold)}, {"link detail seen", dashboard.LinkDetail(seen)},
	}
}

func productPages(rows []dashboard.ProductRow) []page {
	fields := dashboard.ProductFields{Name: "Vaso", Slug: "vaso", Amount: "1.249,90", Description: "Azul",
		PaymentCycle: "MONTHLY", Active: true}
	edit := dashboard.ProductProps{Shell: shell(true), Title: "Vaso", Active: true, Fields: fields, Cycles: cycles,
		CanEdit: true, CanLink: true}
	edit.Picture = vase
	wrong, seen, elsewhere := edit, edit, edit
	elsewhere.Picture, elsewhere.Elsewhere = pages.ProductPicture{}, "https://loja.test/vaso.jpg"
	wrong.Active, wrong.CanLink, wrong.Errors = false, false, problem("name", "amount", "paymentCycle",
		"description", "picture")
	seen.CanEdit, seen.CanLink = false, false
	archived := edit
	archived.Active, archived.CanLink, archived.Archived = false, false, true
	return []page{
		{"products", dashboard.Products(dashboard.ProductsProps{Shell: shell(true), Products: rows, CanEdit: true,
			Pager: components.PagerProps{Previous: "/app/produtos"}})},
		{"products archived", dashboard.Products(dashboard.ProductsProps{Shell: shell(false), Archived: true})},
		{"product archived", dashboard.Product(archived)},
		{"products empty", dashboard.Products(dashboard.ProductsProps{Shell: shell(false), CanEdit: true})},
		{"products locked", dashboard.Products(dashboard.ProductsProps{Shell: shell(false)})},
		{"new product", dashboard.NewProduct(dashboard.NewProductProps{Shell: shell(false),
			Fields: dashboard.ProductFields{PaymentCycle: "ONE_TIME"}, Cycles: cycles})},
		{"new product wrong",
			dashboard.NewProduct(dashboard.NewProductProps{Shell: shell(true), Fields: fields, Cycles: cycles,
				Errors: problem("name", "slug", "amount", "paymentCycle", "description", "picture")})},
		{"product", dashboard.Product(edit)}, {"product elsewhere", dashboard.Product(elsewhere)},
		{"product wrong", dashboard.Product(wrong)}, {"product seen", dashboard.Product(seen)},
	}
}

// What each state of the hosted link says and lets the buyer do.
func TestLink(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Title, Heading, Price, Once, Problem, Test, Name string
		Fields                                           int
	}
	title := "Vaso Lua Nova · R$ 1.249,90 · Ateliê Aurora"
	plain := outcome{Title: title, Heading: "Vaso Lua Nova", Price: "R$ 1.249,90", Fields: 3}
	for name, change := range map[string]func(*outcome){
		"plain": func(*outcome) {},
		"test": func(o *outcome) {
			o.Test = "Modo de teste. Nenhum dinheiro é movimentado. O código não funciona em bancos."
		},
		"MONTHLY": func(o *outcome) {
			o.Once = "Cobrança única: você paga uma vez, e nada é cobrado depois."
		},
		"wrong": func(o *outcome) {
			o.Title, o.Name, o.Problem = "Erro: "+
				title, "Carla", "Há 2 problemas para corrigir Confira: name Confira: email"
		},
		"unavailable": func(o *outcome) {
			o.Title, o.Name = "Erro: "+title, "Carla"
			o.Problem = "Não foi possível gerar o Pix agora O problema é nosso, não seu. Nada foi cobrado. Tente de " +
				"novo em alguns instantes. Referência req_4f0e"
		},
	} {
		want := plain
		change(&want)
		doc := render(t, i18n.Portuguese, hosted.Link(linkStates()[name]))
		doc.Find("[role=alert] > *, [role=alert] p, [role=alert] li").AppendHtml(" ")
		got := outcome{
			Title: text(doc.Find("title")), Heading: text(doc.Find("h1")), Price: text(doc.Find("dd")),
			Once:    text(doc.Find("dl + p")),
			Problem: text(doc.Find("[role=alert]")), Test: text(doc.Find("aside")),
			Name:   doc.Find("#name").AttrOr("value", ""),
			Fields: doc.Find(`form[action="/l/plink_0123456789abcdef"][method=post] input`).Length(),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if doc.Find("script, img").Length() != 0 {
			t.Errorf("%s: a script or a picture", name)
		}
	}
}

// Messengers show a link by its name, its price and, if there is one, its picture.
func TestLink_Preview(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]string{
		"plain": {"og:title": "Vaso Lua Nova · R$ 1.249,90", "og:description": "Cerâmica de alta temperatura."},
		"bare":  {"og:title": "Vaso Lua Nova · R$ 1.249,90", "og:description": "Pagar com Pix: Ateliê Aurora"},
		"image": {"og:title": "Vaso Lua Nova · R$ 1.249,90", "og:description": "Cerâmica de alta temperatura.",
			"og:image": "https://loja.test/vaso.jpg"},
	} {
		got := map[string]string{}
		render(t, i18n.Portuguese, hosted.Link(linkStates()[name])).Find("head meta[property]").Each(func(_ int,
			s *goquery.Selection) {
			got[s.AttrOr("property", "")] = strings.ReplaceAll(s.AttrOr("content", ""), "\u00a0", " ")
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	charge := pending()
	charge.Description, charge.ExternalID = "Consulta", "PED-77"
	render(t, i18n.Portuguese, hosted.Pay(charge)).Find("meta[property]").Each(func(_ int, s *goquery.Selection) {
		if text := s.AttrOr("content", ""); strings.Contains(text, "Consulta") || strings.Contains(text, "PED-77") {
			t.Errorf("the preview of a charge, which is one buyer's, tells what was ordered: %q", text)
		}
	})
}

// The forms choose what was chosen.
func TestForms_Chosen(t *testing.T) {
	t.Parallel()
	for _, p := range linkPages() {
		doc := render(t, i18n.English, p.component)
		doc.Find("select").Each(func(_ int, s *goquery.Selection) {
			if s.Find("option[selected]").Length() != 1 || s.Find("option").Length() < 2 {
				t.Errorf("%s: %s offers %d and has %d chosen", p.name, s.AttrOr("id", ""), s.Find("option").Length(),
					s.Find("option[selected]").Length())
			}
		})
	}
	form := dashboard.NewLinkProps{Form: linkForm(false), ProductID: "b",
		Products: []dashboard.ProductRow{{Slug: "a"}, {Slug: "b", Name: "Xícara", Amount: 1}}}
	doc := render(t, i18n.Portuguese, dashboard.NewLink(form))
	if got := text(doc.Find("#productId option[selected]")) + ", " +
		text(doc.Find("#expiresInSeconds option[selected]")); got != "Xícara · R$ 0,01, 1 hora" {
		t.Errorf("chosen: %s", got)
	}
}
