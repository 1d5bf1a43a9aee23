package pages_test

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/layouts"
	"garoupa/views/pages"
	"garoupa/views/pages/account"
	"garoupa/views/pages/dashboard"
	"garoupa/views/pages/hosted"
)

var (
	now   = time.Date(2026, 11, 21, 0, 47, 0, 0, time.UTC) // 20 November, 21:47 in Brasília
	hence = func(d time.Duration) *time.Time { t := now.Add(d); return &t }
)

// legal is of a company that has both notices.
var legal = layouts.Legal{TermsURL: "https://empresa.test/termos", PrivacyURL: "https://empresa.test/privacidade"}

// page is one page in one state.
type page struct {
	name      string
	component templ.Component
}

// everyPage is all pages, in every state that looks different.
func everyPage() []page {
	var all []page
	for name, p := range payStates() {
		all = append(all, page{"pay " + name, hosted.Pay(p)})
	}
	for _, status := range []int{403, 404, 418, 429, 500, 503} {
		all = append(all,
			page{"error", pages.Error(pages.ErrorProps{Status: status, RequestID: "req_1", HomeURL: "/app",
				Again: status >= 429, Dashboard: true})})
	}
	all = append(all,
		page{"not found", dashboard.NotFound(dashboard.NotFoundProps{Shell: shell(true), Section: layouts.NavCheckouts,
			SectionHref: "/app/cobrancas", Charge: true})},
		page{"not found in test",
			dashboard.NotFound(dashboard.NotFoundProps{Shell: shell(false), Section: layouts.NavCheckouts,
				SectionHref: "/app/cobrancas", Charge: true, Elsewhere: true})},
		page{"not found of no section", dashboard.NotFound(dashboard.NotFoundProps{Shell: shell(false)})},
	)
	all = append(all, page{"outage", pages.Error(pages.ErrorProps{
		Status: 503, RequestID: "req_1", Again: true, Outage: true,
	})},
		page{"outage after a form", pages.Error(pages.ErrorProps{Status: 503, Outage: true, Unsure: true})},
		page{"outage with a form", pages.Error(pages.ErrorProps{Status: 503, RequestID: "req_1", HomeURL: "/app",
			Dashboard: true, Outage: true, Unsure: true,
			Action: "/app/produtos", Fields: []pages.HiddenField{{Name: "name", Value: "Vaso"}}, Files: true})})
	all = append(all, page{"link not found", pages.LinkNotFound(pages.ErrorProps{Status: 404})},
		page{"pay not found", pages.PayNotFound(pages.ErrorProps{Status: 404, Demo: true})})
	all = append(all, page{"help", hosted.Help(hosted.HelpProps{Demo: true, Legal: legal})},
		page{"help bare", hosted.Help(hosted.HelpProps{})})
	all = append(all, authPages()...)
	all = append(all, keyPages()...)
	all = append(all, webhookPages()...)
	all = append(all, linkPages()...)
	all = append(all, securityPages()...)
	all = append(all, settingsPages()...)
	all = append(all, customerPages()...)
	all = append(all, balancePages()...)
	all = append(all, salePages()...)
	all = append(all, disputePages()...)
	all = append(all, withdrawalPages()...)
	all = append(all, withdrawPages()...)
	all = append(all, destinationPages()...)
	all = append(all, gallery())
	return slices.Concat(all, homePages(), requestPages(), checkoutsPages(), checkoutPages())
}

func pending() hosted.PayProps {
	return hosted.PayProps{
		ID: "chk_8f2b7a103c1c4f0e9d7a", Status: pages.StatusPending, Live: true, Amount: 124990,
		Description: "Vaso Lua Nova", ExternalID: "10482", MerchantName: "Ateliê Aurora",
		RecipientDocument: "12.345.678/0001-90",
		Recipient:         "Ateliê Aurora Ltda", RecipientKnown: true,
		Institution: "Banco Liquidante", CopyPaste: "00020101021226",
		QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 57}, CreatedAt: now,
		ExpiresAt: now.Add(30 * time.Minute), Now: now,
	}
}

// payStates are the hosted checkout in each of its states.
func payStates() map[string]hosted.PayProps {
	states := map[string]hosted.PayProps{}
	add := func(name string, change func(*hosted.PayProps)) {
		p := pending()
		change(&p)
		states[name] = p
	}
	add("pending", func(*hosted.PayProps) {})
	add("bare", func(p *hosted.PayProps) { p.RecipientDocument, p.Institution, p.Recipient = "", "", "" })
	add("cpf", func(p *hosted.PayProps) { p.RecipientDocument = "123.456.789-09" })
	add("branded", func(p *hosted.PayProps) {
		p.Brand = pages.PayBrand{
			Stylesheet: "ffd400.00000000.css", Logo: "00000000000000000000000000000000.png", LogoWidth: 480,
			LogoHeight: 60,
			Support:    "ajuda@loja.test", SupportURL: "mailto:ajuda@loja.test",
		}
	})
	add("urgent", func(p *hosted.PayProps) { p.ExpiresAt = now.Add(5 * time.Minute) })
	add("long", func(p *hosted.PayProps) { p.ExpiresAt = now.Add(24*time.Hour - time.Second) })
	add("test", func(p *hosted.PayProps) { p.Live = false })
	add("demo", func(p *hosted.PayProps) { p.Live, p.Demo, p.Legal = false, true, legal })
	add("paid", func(p *hosted.PayProps) {
		p.Status, p.PaidAt = pages.StatusPaid, hence(0)
		p.EndToEndID, p.ReturnURL = "E12345678202611210047a1B2c3D4e5F", "https://loja.test/obrigado"
	})
	add("paid in test", func(p *hosted.PayProps) { p.Status, p.PaidAt, p.Live = pages.StatusPaid, hence(0), false })
	add("expired", func(p *hosted.PayProps) { p.Status = pages.StatusExpired })
	add("slow", func(p *hosted.PayProps) { p.Status = pages.StatusSlow })
	add("paid with words", func(p *hosted.PayProps) {
		p.Status, p.PaidAt, p.Live = pages.StatusPaid, hence(0), false
		p.Thanks = hosted.Thanks{Text: "Chega em 3 dias", Label: "Acompanhar", URL: "https://loja.test/p"}
		p.Receipt = hosted.ReceiptForm{Key: "k", Known: "c***@…", Sent: true, Typed: "x", Errors: problem("email")}
	})
	add("mispaid", func(p *hosted.PayProps) { p.Status = pages.StatusMispaid })
	add("expired in test", func(p *hosted.PayProps) { p.Status, p.Live = pages.StatusExpired, false })
	add("expired link", func(p *hosted.PayProps) {
		p.Status, p.FromLink, p.ReturnURL = pages.StatusExpired, true, "https://loja.test/"
	})
	add("pending link", func(p *hosted.PayProps) { p.FromLink, p.ReturnURL = true, "https://loja.test/carrinho?x=1" })
	add("not renewed", func(p *hosted.PayProps) {
		p.Status, p.FromLink, p.ProviderError, p.RequestID = pages.StatusExpired, true, true, "req_4f0e"
	})
	add("cancelled", func(p *hosted.PayProps) { p.Status, p.ReturnURL = pages.StatusCancelled, "https://loja.test/" })
	add("unavailable", func(p *hosted.PayProps) {
		p.ProviderError, p.RequestID, p.CopyPaste, p.QR = true, "req_4f0e9d7a1c5ab6e2d9f4aa01", "", components.QRProps{}
	})
	return states
}

func shell(live bool) layouts.Shell {
	item := func(id string) layouts.NavItem {
		return layouts.NavItem{ID: id, Href: "/app/" + id, Count: len(id) % 3}
	}
	return layouts.Shell{
		Account: "Ateliê Aurora", UserName: "Marina Duarte", UserEmail: "marina@loja.test", Live: live,
		Path: "/app?x=1", Now: now, Demo: !live, Legal: map[bool]layouts.Legal{true: legal}[live],
		Theme: map[bool]layouts.Theme{true: layouts.ThemeDark}[live],
		Flash: &components.FlashProps{Tone: components.ToneOK, Text: "Feito."},
		Nav: []layouts.NavGroup{
			{Items: []layouts.NavItem{item(layouts.NavHome), item(layouts.NavCheckouts), item(layouts.NavLinks),
				item(layouts.NavProducts)}},
			{ID: layouts.NavGroupMoney, Items: []layouts.NavItem{item(layouts.NavBalance),
				item(layouts.NavWithdrawals)}},
			{ID: layouts.NavGroupDevelopers, Items: []layouts.NavItem{item(layouts.NavKeys), item(layouts.NavWebhooks),
				item(layouts.NavEvents), item(layouts.NavDocs)}},
			{ID: layouts.NavGroupAccount, Items: []layouts.NavItem{item(layouts.NavLive), item(layouts.NavTeam),
				item(layouts.NavSettings)}},
		},
	}
}

func problem(fields ...string) components.FieldErrors {
	var errors components.FieldErrors
	for _, field := range fields {
		errors = append(errors, components.FieldError{Field: field, Text: "Confira: " + field})
	}
	return errors
}

func authPages() []page {
	frame := layouts.AuthProps{Theme: layouts.ThemeDark, Path: "/entrar?next=%2Fapp", Demo: true, Legal: legal}
	return []page{
		{"sign up", account.SignUp(account.SignUpProps{})},
		{"sign up wrong", account.SignUp(account.SignUpProps{AuthProps: frame, Name: "Marina", Business: "Ateliê",
			Email: "m@", Errors: problem("name", "business", "email", "password", "terms")})},
		{"no sign up", account.NoSignUp(account.NoSignUpProps{AuthProps: frame})},
		{"sign up invited", account.NoSignUp(account.NoSignUpProps{Invited: true})},
		{"log in to sign up", account.LogIn(account.LogInProps{SignsUp: true})},
		{"log in at a provider, too", account.LogIn(account.LogInProps{AuthProps: frame, Next: "/ops", ByKey: true,
			SSO: account.SSO{Name: "Empresa"}})},
		{"log in at a provider", account.LogIn(account.LogInProps{SSO: account.SSO{Name: "Empresa", Only: true}})},
		{"log in",
			account.LogIn(account.LogInProps{Flash: &components.FlashProps{Tone: components.ToneBad, Text: "Saiu."}})},
		{"log in wrong", account.LogIn(account.LogInProps{AuthProps: frame, Email: "m@loja.test", Next: "/app/chaves",
			Errors: problem("", "email", "password")})},
	}
}

func keyPages() []page {
	active := dashboard.KeyRow{ID: "key_1", Name: "Loja", Display: "svc_test_…9f2c", Permissions: dashboard.Permissions,
		CreatedBy: "Marina", CreatedAt: now, LastUsedAt: hence(-time.Minute), LastUsedIP: "203.0.113.9",
		CanRevoke: true}
	ending := dashboard.KeyRow{ID: "key_3", Name: "Loja", Display: "svc_live_…77ab", CreatedBy: "Marina",
		Permissions: dashboard.Permissions[:2], CreatedAt: now, EndsAt: hence(48 * time.Hour),
		Networks:  "203.0.113.0/24, 2001:db8::1",
		CanRevoke: true, CanRoll: true}
	ended := dashboard.KeyRow{ID: "key_4", Name: "Velha", Display: "svc_live_…77ac", CreatedBy: "Marina",
		CreatedAt: now, EndsAt: hence(-time.Hour), Ended: true}
	revoked := dashboard.KeyRow{ID: "key_2", Name: "Antiga", Display: "svc_test_…0000", CreatedBy: "Marina",
		CreatedAt: now, RevokedAt: hence(-time.Hour)}
	var all []page
	for _, live := range []bool{false, true} {
		all = append(all,
			page{"keys", dashboard.Keys(dashboard.KeysProps{Shell: shell(live), CanCreate: true,
				Keys: []dashboard.KeyRow{active, ending, ended, revoked}})},
			page{"keys empty", dashboard.Keys(dashboard.KeysProps{Shell: shell(live), CanCreate: true})},
			page{"keys locked", dashboard.Keys(dashboard.KeysProps{Shell: shell(live)})},
			page{"keys waiting", dashboard.Keys(dashboard.KeysProps{Shell: shell(live), NeedsAccess: true})},
			page{"keys before",
				dashboard.Keys(dashboard.KeysProps{Shell: shell(live), NeedsAccess: true,
					Keys: []dashboard.KeyRow{active}})},
			page{"new key", dashboard.NewKey(dashboard.NewKeyProps{
				Shell: shell(live), Permissions: dashboard.Permissions[:3], Allowed: dashboard.Permissions,
			})},
			page{"key created", dashboard.KeyCreated(dashboard.KeyCreatedProps{Shell: shell(live), Name: "Loja",
				Secret: "svc_test_Kq3vYw8ZrT1mN5bXc7LpD2hJ4sFg6aQe", APIURL: "https://pix.loja.test"})},
		)
	}
	return append(all,
		page{"new key wrong", dashboard.NewKey(dashboard.NewKeyProps{
			Shell: shell(false), Name: "x", Allowed: dashboard.Permissions[:4], Ends: "2020-01-01", Networks: "x",
			Errors: problem("name", "permissions", "ends", "networks"),
		})},
		page{"key rolled", dashboard.KeyCreated(dashboard.KeyCreatedProps{Shell: shell(true), Name: "Loja",
			Secret: "svc_live_Kq3vYw8ZrT1mN5bXc7LpD2hJ4sFg6aQe", Rolled: true, OldEnds: hence(time.Hour)})},
		page{"key rolled now", dashboard.KeyCreated(dashboard.KeyCreatedProps{Shell: shell(false), Name: "Loja",
			Secret: "svc_test_Kq3vYw8ZrT1mN5bXc7LpD2hJ4sFg6aQe", Rolled: true})},
		page{"roll", dashboard.RollKey(dashboard.RollKeyProps{Shell: shell(true), Form: "f", Key: ending,
			Overlap: "day", Ends: "2027-01-01"})},
		page{"roll wrong", dashboard.RollKey(dashboard.RollKeyProps{Shell: shell(false), Form: "f", Key: active,
			Errors: problem("overlap", "ends")})},
		page{"revoke", dashboard.RevokeKey(dashboard.RevokeKeyProps{Shell: shell(false), Key: active, Last4: "9f2c"})},
		page{"revoke wrong",
			dashboard.RevokeKey(dashboard.RevokeKeyProps{Shell: shell(false), Key: revoked, Last4: "0000",
				Errors: problem("confirm")})},
	)
}

func checkoutRows() []dashboard.CheckoutRow {
	return []dashboard.CheckoutRow{
		{ID: "chk_1", Status: pages.StatusPending, Amount: 1, Description: "a", ExternalID: "1", CreatedAt: now},
		{ID: "chk_2", Status: pages.StatusPaid, Amount: 124990, Description: "b", ExternalID: "2",
			CreatedAt: now.Add(-time.Hour)},
		{ID: "chk_3", Status: pages.StatusExpired, Amount: 3, Description: "c", ExternalID: "3",
			CreatedAt: now.Add(-48 * time.Hour)},
		{ID: "chk_4", Status: pages.StatusCancelled, Amount: 4, Description: "d", ExternalID: "4",
			CreatedAt: now.Add(-time.Minute)},
	}
}

func homePages() []page {
	var steps []dashboard.HomeStep
	for _, id := range []string{dashboard.StepAccount, dashboard.StepKey, dashboard.StepCheckout, dashboard.StepWebhook,
		dashboard.StepPayment, dashboard.StepProduct, dashboard.StepLink, dashboard.StepShare, dashboard.StepSale,
		dashboard.StepLive} {
		steps = append(steps, dashboard.HomeStep{ID: id, Href: "/app/x", Done: id == dashboard.StepAccount})
	}
	rows := checkoutRows()
	return []page{
		{"home", dashboard.Home(dashboard.HomeProps{Shell: shell(false), Steps: steps,
			Ways: dashboard.WaysSaid, Empty: dashboard.EmptyCheckouts{NeedsAccess: true}})},
		{"home first", dashboard.Home(dashboard.HomeProps{Shell: shell(false), Ways: dashboard.WaysAsked})},
		{"home later", dashboard.Home(dashboard.HomeProps{Shell: shell(true), Checkouts: rows, Overview: overview(),
			CanCreate: true, Stray: 2, Balance: &dashboard.Balance{Available: 98_765_43, Pending: 1}})},
		{"home bare", dashboard.Home(dashboard.HomeProps{Shell: shell(true), Checkouts: rows,
			Overview: &dashboard.Overview{Versus: "versus_day", Unit: dashboard.UnitMonth, Slots: overview().Slots}})},
		{"search", dashboard.Search(dashboard.SearchProps{Shell: shell(true)})},
		{"search none", dashboard.Search(dashboard.SearchProps{Shell: shell(true), Text: "x"})},
		{"search hits", dashboard.Search(dashboard.SearchProps{Shell: shell(true), Text: "x", Hits: []dashboard.Hit{
			{Kind: dashboard.HitCheckout, Title: "Vaso", Detail: "10482", Amount: 1, Status: pages.StatusPaid, At: now,
				Href: "/app/cobrancas/chk_1"},
			{Kind: "product", Title: "Vaso", Detail: "vaso", Href: "/app/produtos/vaso"},
			{Kind: dashboard.HitRequest, Title: "GET /v1/balance", Detail: "req_1", At: now,
				Href: "/app/requisicoes/1"},
			{Kind: dashboard.HitCheckout, Title: "Vaso", Detail: "10483", Amount: 1, Status: pages.StatusPaid, At: now,
				Why: "customer", Matched: "Xavier", Href: "/app/cobrancas/chk_2"},
			{Kind: dashboard.HitAction, Icon: "log-out", Title: "Sair",
				Form: &dashboard.HitForm{Action: "/sair", Name: "from", Value: "palette"}},
		}})},
	}
}

func requestPages() []page {
	return []page{
		{"requests",
			dashboard.Requests(dashboard.RequestsProps{Shell: shell(true),
				Keys: []dashboard.RequestKey{{ID: "key_1", Name: "Loja", Last4: "9f2c"}}, Requests: requestRows(),
				Filter: dashboard.RequestFilter{Class: "4xx"}, Pager: components.PagerProps{Next: "?cursor=x"}})},
		{"requests none",
			dashboard.Requests(dashboard.RequestsProps{Shell: shell(true),
				Filter: dashboard.RequestFilter{Method: "POST"}})},
		{"requests further", dashboard.Requests(dashboard.RequestsProps{Shell: shell(true),
			Filter: dashboard.RequestFilter{Method: "POST"}, Pager: components.PagerProps{Next: "?cursor=x"}})},
		{"requests empty", dashboard.Requests(dashboard.RequestsProps{Shell: shell(false)})},
		{"request", dashboard.Request(dashboard.RequestProps{Shell: shell(true), RequestRow: requestRows()[0],
			Request: "{}", Answer: "{}", Object: dashboard.ObjectCheckout, ObjectHref: "/app/cobrancas/chk_1"})},
		{"request bare", dashboard.Request(dashboard.RequestProps{Shell: shell(true), RequestRow: requestRows()[2]})},
	}
}

func checkoutsPages() []page {
	return []page{
		{"new charge", dashboard.NewCheckout(dashboard.NewCheckoutProps{Shell: shell(false), Expiry: "1800",
			Metadata: make([]components.KeyValueRow, 3), MoreRows: true})},
		{"new charge wrong",
			dashboard.NewCheckout(dashboard.NewCheckoutProps{Shell: shell(true),
				Metadata: []components.KeyValueRow{{Key: "cor", Error: "Confira"}},
				Customer: dashboard.CustomerFields{Name: "Carla"},
				Errors: problem("", "amount", "description", "externalId", "expiry", "minutes", "customer_name",
					"customer_email", "customer_document", "customer_phone", "metadata_key_0")})},
		{"checkouts",
			dashboard.Checkouts(dashboard.CheckoutsProps{Shell: shell(true), Checkouts: checkoutRows(),
				Filter: dashboard.CheckoutFilter{Status: pages.StatusPaid, Text: "10482", From: "2026-11-01"},
				Counts: map[string]int{pages.StatusPaid: 1001, pages.StatusPending: 3},
				Sum:    &dashboard.CheckoutSum{Count: 33, Amount: 21_281_00}, CanCreate: true,
				CanExport: true, Pager: components.PagerProps{Next: "?cursor=x"}})},
		{"checkouts none", dashboard.Checkouts(dashboard.CheckoutsProps{Shell: shell(true),
			Filter: dashboard.CheckoutFilter{Text: "x"}, Errors: problem("from", "until")})},
		{"checkouts empty", dashboard.Checkouts(dashboard.CheckoutsProps{Shell: shell(true),
			Empty: dashboard.EmptyCheckouts{CanCreate: true, APIURL: "https://pix.loja.test"}})},
		{"checkouts of live closed",
			dashboard.Checkouts(dashboard.CheckoutsProps{Shell: shell(true),
				Empty: dashboard.EmptyCheckouts{NeedsAccess: true}})},
	}
}

func checkoutPages() []page {
	open := dashboard.CheckoutProps{
		RequestID: "req_4f0e9d7a1c5ab6e2d9f4aa01", RequestHref: "/app/requisicoes/1",
		Shell: shell(false), ID: "chk_1", Status: pages.StatusPending, Amount: 124990, Description: "Vaso",
		ExternalID: "10482", CheckoutURL: "https://pix.loja.test/pay/chk_1",
		CopyPaste: "00020101", QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 57}, CustomerName: "Carla",
		CustomerEmail: "carla@loja.test", CustomerDocument: "123",
		CreatedAt: now, ExpiresAt: *hence(time.Hour), CanCancel: true, CanSimulate: true,
		Metadata: []components.KeyValue{{Key: "cor", Value: "azul"}},
	}
	paid := open
	paid.Shell, paid.Status, paid.CanCancel, paid.CanSimulate = shell(true), pages.StatusPaid, false, false
	paid.PaidAt, paid.EndToEndID = hence(0), "E1"
	paid.Events = []dashboard.EventRow{
		{ID: "evt_1", Type: "checkout.created", CreatedAt: now,
			Deliveries: []dashboard.EventDelivery{{WebhookID: "we_1", URL: "https://loja.test/pix",
				Status: dashboard.DeliveryDelivered}}},
		{ID: "evt_2", Type: "checkout.paid", CreatedAt: now},
	}
	paid.CanMailReceipt, paid.CanRepeat, paid.PaymentLinkID = true, true, "plink_1"
	paid.Product, paid.ProductHref = "Vaso", "/app/produtos/vaso"
	paid.Receipts = []dashboard.ReceiptRow{{To: "c***@…", SentAt: now}, {To: "a***@…", ByMember: true, SentAt: now}}
	all := []page{{"checkout", dashboard.Checkout(open)}}
	open.Send = true
	all = append(all, page{"checkout to send", dashboard.Checkout(open)},
		page{"receipt", dashboard.NewReceipt(dashboard.NewReceiptProps{Shell: shell(false), ID: "chk_1", Amount: 1,
			PaidAt: now, Receipts: paid.Receipts, Errors: problem("email")})})
	for _, status := range []string{"PENDING", "AVAILABLE", "COMPLETED"} {
		paid.Settlement = &dashboard.Settlement{Status: status, Fee: 1237, Net: 123753, AvailableAt: hence(time.Hour)}
		paid.Refunds = []dashboard.RefundRow{{ID: "rfd_1", Amount: 1, CreatedAt: now},
			{ID: "rfd_2", Amount: 2, ReturnID: "D1", CreatedAt: now}}
		all = append(all, page{"checkout " + status, dashboard.Checkout(paid)})
	}
	for _, kind := range []string{"LATE", "UNDERPAID", "OVERPAID", "DUPLICATE"} {
		for _, decision := range []string{"", "ACCEPTED", "REFUNDED", "WRITTEN_OFF"} {
			paid.Stray = append(paid.Stray, dashboard.StrayPayment{EndToEndID: "E2", Amount: 3, PaidAt: now, Kind: kind,
				Decision: decision})
		}
	}
	for _, status := range []string{pages.StatusExpired, pages.StatusCancelled} {
		closed := paid
		closed.Status, closed.PaidAt, closed.Settlement = status, nil, nil
		closed.ClosedAt, closed.PaymentLinkID = hence(0), "plink_1"
		all = append(all, page{"checkout " + status, dashboard.Checkout(closed)})
	}
	return all
}

// overview is one in which everything is compared with something.
func overview() *dashboard.Overview {
	o := &dashboard.Overview{Versus: "versus", Unit: dashboard.UnitDay, Refunded: 49_90,
		Now:    dashboard.Figures{Volume: 7_349_90, Paid: 48, Average: 153_12, Conversion: new(824)},
		Before: dashboard.Figures{Volume: 4_550_00, Paid: 44, Average: 103_41, Conversion: new(842)}}
	for i := range 14 {
		o.Slots = append(o.Slots, dashboard.OverviewSlot{Start: now.AddDate(0, 0, i-13), Paid: i,
			Volume: money.Cents(i * 500_00), Before: 400_00})
	}
	return o
}

func requestRows() []dashboard.RequestRow {
	row := dashboard.RequestRow{Href: "/app/requisicoes/1", RequestID: "req_1", At: now, Method: "POST",
		Path: "/v1/checkouts", Status: 201, Duration: 3 * time.Millisecond, KeyID: "key_1", KeyName: "Loja",
		KeyLast4: "9f2c"}
	refused, failed := row, row
	refused.Status, refused.ErrorCode = 409, "idempotency_conflict"
	failed.Status, failed.ErrorCode, failed.KeyName = 500, "internal_error", ""
	return []dashboard.RequestRow{row, refused, failed}
}
