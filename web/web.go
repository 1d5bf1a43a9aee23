// Package web serves the pages: the hosted checkout and the merchant's dashboard.
//
// A handler reads the request, calls one operation of payments or merchants to
// change something, or models to show something, copies what the page needs into
// the page's props and renders it. Pages never see a model. Handlers return their
// errors; errors.go answers them.
package web

import (
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/compress"
	"github.com/gorilla/sessions"

	"garoupa/fault"
	"garoupa/live"
	"garoupa/mail"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/ratelimit"
	"garoupa/vault"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// Options are what the pages are made of. All but Mails and what
// may be "" are required.
type Options struct {
	DB        *models.DB
	Payments  *payments.Service
	Merchants *merchants.Service
	Vault     *vault.Vault
	Live      *live.Hub
	Mails     *mail.Writer // words the mails that /dev/mail shows; nil: there is nothing below /dev
	// The three addresses, with scheme and without a slash at the end.
	BaseURL, CheckoutHost, AppURL string
	AllowPrivate                  bool // endpoints may be on private addresses
	LiveSimulated                 bool // the live institution is the simulator
	Demo                          bool // every page says that this is a demonstration
	// Where the company that runs the installation says what it asks of people and what
	// it does with their data; "" for nowhere.
	TermsURL, PrivacyURL string
	SupportURL           string // where merchants reach it, a page or mailto:…; "" for nowhere
	// OpsNetworks are where staff may work from; nil is everywhere. IPv4 stands as IPv4.
	OpsNetworks []netip.Prefix
	Limits      Limits
	Now         func() time.Time
}

// Limits bound how often pages may be asked for (decisions, 10). Nil is no limit.
type Limits struct {
	Pages       *ratelimit.Limiter // public pages, by address
	LogIn       *ratelimit.Limiter // by e-mail and address
	Withdrawals *ratelimit.Limiter // requests, by account: the API's
}

type server struct {
	Options
	sessions sessions.Store
	codes    codeCache
}

// Register adds the pages to r.
func Register(r fiber.Router, o Options) {
	s := &server{Options: o, sessions: newSessionStore(o.Vault, o.AppURL)}
	r.Get("/static/*", staticFile)
	r.Get(pages.BrandPath+":file", s.limited, compressed, s.brandFile)
	r.Get(pages.PicturePath+":file", s.limited, s.picture)

	buyers := r.Group("/pay", s.limited, compressed, s.speak, secure, sameOrigin)
	buyers.Get("/:id", s.pay)
	buyers.Get("/:id/events", s.payEvents)
	buyers.Get("/:id/qr.png", s.payQR)
	buyers.Post("/:id/simulate", s.paySimulate)
	buyers.Post("/:id/expire", s.payExpire)
	buyers.Post("/:id/renew", s.payRenew)
	buyers.Get("/:id/renew", s.payRenewed)
	r.Get(layouts.HelpPath, s.public(s.help)...)
	r.Get("/l/:id", s.public(s.publicLink(s.link))...)
	r.Post("/l/:id", s.public(s.publicLink(s.useLink))...)
	r.Get("/qr/:file", s.limited, secure, s.publicQR)

	s.registerAccount(r)
	s.registerPasskeys(r)
	s.registerDocs(r)
	s.registerDevelopment(r)
	s.registerOps(r)
	s.registerDashboard(r.Group("/app", compressed, s.speak, secure, sameOrigin, s.person, s.member, s.framed, s.sameScope))
}

func (o Options) legal() layouts.Legal {
	return layouts.Legal{TermsURL: o.TermsURL, PrivacyURL: o.PrivacyURL, SupportURL: o.SupportURL}
}

// help shows GET /ajuda, the buyers' help.
func (s *server) help(c *fiber.Ctx) error {
	return render(c, pages.Help(pages.HelpProps{Demo: s.Demo, Legal: s.legal()}))
}

// public is what every page for people who are not logged in goes through.
func (s *server) public(handler fiber.Handler) []fiber.Handler {
	return []fiber.Handler{s.limited, compressed, s.speak, secure, sameOrigin, handler}
}

// own is what every page goes through that is for whoever is logged in, as a member
// or of staff.
func (s *server) own(handlers ...fiber.Handler) []fiber.Handler {
	return append([]fiber.Handler{s.limited, compressed, s.speak, secure, sameOrigin, s.person}, handlers...)
}

// registerAccount adds the pages around logging in.
func (s *server) registerAccount(r fiber.Router) {
	r.Get("/", s.public(func(c *fiber.Ctx) error { return c.Redirect("/app", fiber.StatusSeeOther) })...)
	r.Get("/cadastro", s.public(s.signUpForm)...)
	r.Post("/cadastro", s.public(s.signUp)...)
	r.Get("/entrar", s.public(s.logInForm)...)
	r.Post("/entrar", s.public(s.logIn)...)
	r.Post("/sair", s.public(s.logOut)...)
	r.Post("/preferencias", s.public(s.preferences)...)
	r.Get("/2fa", s.public(s.codeForm)...)
	r.Post("/2fa", s.public(s.logInWithCode)...)

	r.Get("/esqueci-senha", s.public(s.forgotForm)...)
	r.Post("/esqueci-senha", s.public(s.forgot)...)
	r.Get("/redefinir-senha", s.public(s.resetForm)...)
	r.Post("/redefinir-senha", s.public(s.reset)...)
	r.Get(verifyPath, append(s.public(s.verifyForm), s.unverified)...)
	r.Post(verifyPath, s.public(s.verify)...)
	r.Get(invitePath+":token", s.public(s.readInvite)...)
	r.Post(invitePath+":token", s.public(s.joinAsNewcomer)...)
	r.Post(invitePath+":token/aceitar", s.own(s.acceptInvite)...)

	r.Post(verifyPath+"/reenviar", s.own(s.resendVerification)...)
	r.Post(verifyPath+"/trocar", s.own(s.correctEmail)...)
	s.registerEmailChange(r)
	r.Post(confirmPath, s.own(s.confirm)...)
	r.Get("/2fa/ativar", s.own(s.secondFirst, s.stepUp, s.totpForm)...)
	r.Post("/2fa/ativar", s.own(s.secondFirst, s.stepUp, s.enrolTOTP)...)
}

// registerDashboard adds the pages of members.
func (s *server) registerDashboard(app fiber.Router) {
	app.Get("/", s.home)
	app.Post("/ambiente", s.environment)

	app.Get("/busca", s.search)
	app.Get("/requisicoes", developer, s.listRequests)
	app.Get("/requisicoes/:id", developer, s.readRequest)
	s.registerCheckouts(app)
	s.registerSales(app)
	s.registerMoney(app)
	s.registerAccess(app)
	s.registerSettings(app)
	s.registerSecurity(app, "/configuracoes/seguranca")
	app.Get("/configuracoes/seguranca/senha", s.stepUp, s.firstPasswordForm)
	s.registerTeam(app)

	app.Get("/chaves", s.listKeys)
	app.Get("/chaves/nova", developer, s.stepUp, s.newKey)
	app.Post("/chaves", developer, s.stepUp, s.createKey)
	app.Get("/chaves/:id/revogar", developer, s.stepUp, s.revokeKeyForm)
	app.Post("/chaves/:id/revogar", developer, s.stepUp, s.revokeKey)

	s.registerWebhooks(app)
}

// registerWebhooks adds the pages of endpoints, deliveries and events.
func (s *server) registerWebhooks(app fiber.Router) {
	app.Get("/webhooks", s.listEndpoints)
	app.Get("/webhooks/novo", developer, s.newEndpoint)
	app.Post("/webhooks", developer, s.createEndpoint)
	app.Get("/webhooks/:id", s.readEndpoint)
	app.Get("/webhooks/:id/editar", developer, s.editEndpoint)
	app.Post("/webhooks/:id/editar", developer, s.updateEndpoint)
	app.Post("/webhooks/:id/ativar", developer, s.switchEndpoint(true, "webhook_enabled"))
	app.Post("/webhooks/:id/desativar", developer, s.switchEndpoint(false, "webhook_disabled"))
	app.Post("/webhooks/:id/excluir", developer, s.deleteEndpoint)
	app.Get("/webhooks/:id/segredo", developer, s.stepUp, s.showSecret)
	app.Post("/webhooks/:id/segredo/trocar", developer, s.stepUp, s.rotateSecret)
	app.Post("/webhooks/:id/segredo/encerrar", developer, s.stepUp, s.retireSecret)
	app.Post("/webhooks/:id/testar", developer, s.testEndpoint)
	app.Get("/webhooks/:id/repetir", developer, s.askReplay)
	app.Post("/webhooks/:id/repetir", developer, s.replay)
	app.Get("/webhooks/:id/entregas/:delivery", s.readDelivery)
	app.Post("/webhooks/:id/entregas/:delivery/reenviar", developer, s.resendDelivery)

	app.Get("/eventos", s.listEvents)
	app.Get("/eventos/:id", s.readEvent)
}

// registerCheckouts adds the pages of charges.
func (s *server) registerCheckouts(app fiber.Router) {
	app.Get("/cobrancas", s.listCheckouts)
	app.Get("/cobrancas/cobrancas.csv", treasurer, s.exportCheckouts)
	app.Get("/cobrancas/nova", developer, s.newCheckoutForm)
	app.Post("/cobrancas", developer, s.createCheckout)
	app.Get("/cobrancas/:id", s.readCheckout)
	app.Get("/cobrancas/:id/events", s.checkoutEvents)
	app.Post("/cobrancas/:id/cancelar", developer, s.changeCheckout(func(c *fiber.Ctx, id string) error {
		return s.Payments.CancelCheckout(c.UserContext(), scope(c), id)
	}, "checkout_cancelled"))
	app.Post("/cobrancas/:id/simular", developer, s.changeCheckout(func(c *fiber.Ctx, id string) error {
		return s.Payments.SimulatePayment(c.UserContext(), id)
	}, "checkout_paid"))
	app.Post("/cobrancas/:id/expirar", developer, s.changeCheckout(func(c *fiber.Ctx, id string) error {
		return s.Payments.SimulateExpiry(c.UserContext(), id)
	}, "checkout_expired"))
}

// registerMoney adds the pages of the balance, withdrawals and destinations.
func (s *server) registerMoney(app fiber.Router) {
	app.Get("/saldo", treasurer, s.readBalance)
	app.Get("/saldo/extrato.csv", treasurer, s.exportStatement)

	app.Get("/saques", treasurer, s.listWithdrawals)
	app.Post("/saques", treasurer, s.stepUp, s.createWithdrawal)
	app.Get("/saques/novo", treasurer, s.newWithdrawal)
	app.Get("/saques/novo/revisar", treasurer, s.stepUp, s.reviewWithdrawal)

	app.Get("/saques/destinos", treasurer, s.listDestinations)
	app.Post("/saques/destinos", treasurer, s.stepUp, s.createDestination)
	app.Get("/saques/destinos/novo", treasurer, s.stepUp, s.newDestination)
	app.Post("/saques/destinos/:id/remover", treasurer, s.stepUp, s.removeDestination)

	app.Get("/saques/:id", treasurer, s.readWithdrawal)
	app.Get("/saques/:id/pedido", treasurer, s.withdrawalRequested)
	app.Post("/saques/:id/cancelar", treasurer, s.cancelWithdrawal)
}

// registerAccess adds the pages of production access and of the audit log.
func (s *server) registerAccess(app fiber.Router) {
	app.Get("/producao", s.readAccess)
	app.Get("/producao/pedido", s.accessForm)
	app.Post("/producao/pedido", s.requestAccess)
	app.Post("/producao/retirar", s.withdrawAccess)

	app.Get("/auditoria", owner, s.readAudit)
	app.Get("/auditoria.csv", owner, s.auditFile)
}

// registerSales adds the pages of products and payment links.
func (s *server) registerSales(app fiber.Router) {
	app.Get("/produtos", s.listProducts)
	app.Get("/produtos/novo", developer, s.newProduct)
	app.Post("/produtos", developer, s.createProduct)
	app.Get("/produtos/:slug", s.readProduct)
	app.Post("/produtos/:slug", developer, s.updateProduct)

	app.Get("/links", s.listLinks)
	app.Get("/links/novo", developer, s.newLink)
	app.Post("/links", developer, s.createLink)
	app.Get("/links/:id", s.readLink)
	app.Get("/links/:id/qr.svg", s.linkSVG)
	app.Get("/links/:id/qr.png", s.linkPNG)
	app.Post("/links/:id/ativar", developer, s.switchLink(true, "link_enabled"))
	app.Post("/links/:id/desativar", developer, s.switchLink(false, "link_disabled"))
}

// render writes page. Its language travels in the context.
func render(c *fiber.Ctx, page templ.Component) error {
	c.Type("html", "utf-8")
	return page.Render(c.UserContext(), c.Response().BodyWriter())
}

// compressed sends pages in as few bytes as the browser understands. Streams pass
// as they are: each event must leave at once, and a file that breaks off must be
// told from one that ends.
var compressed = compress.New(compress.Config{Next: func(c *fiber.Ctx) bool {
	return strings.HasSuffix(c.Path(), "/events") || strings.HasSuffix(c.Path(), ".csv") || strings.HasSuffix(c.Path(), ".png")
}})

// contentPolicy lets a page load from its own address and nothing else, and run
// nothing that stands in the page itself.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secure(c *fiber.Ctx) error {
	setSecurity(c)
	return c.Next()
}

func setSecurity(c *fiber.Ctx) {
	c.Set("Content-Security-Policy", contentPolicy)
	c.Set("X-Content-Type-Options", "nosniff")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-write=(self)")
	c.Set("Cache-Control", "no-store")
	c.Set("X-Robots-Tag", "noindex, nofollow")
	// The address of a hosted page is all it takes to see it, so other sites must
	// not learn it. "no-referrer" would also blank the Origin of our own forms.
	c.Set("Referrer-Policy", "same-origin")
}

// limited refuses an address that asks for too many public pages.
func (s *server) limited(c *fiber.Ctx) error {
	if d := s.Limits.Pages.Take(c.IP(), s.Now()); !d.Allowed {
		return tooMany(c, d)
	}
	return c.Next()
}

func tooMany(c *fiber.Ctx, d ratelimit.Decision) error {
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(max(1, int(math.Ceil(d.RetryAfter.Seconds())))))
	return fault.New(fault.RateLimitExceeded, "Too many requests.")
}
