package dashboard

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web/page"
)

// Group returns the part of r below /app, which admits only members.
func Group(r fiber.Router, site *page.Site) fiber.Router {
	s := &dashboard{site}
	return r.Group("/app",
		page.Compressed, page.Ahead, s.Speak, page.SameOrigin, s.Person, s.Paced, s.Member, s.framed,
		page.LegibleForm, s.SameScope)
}

// Register adds the pages of members to app, which Group returned.
func Register(app fiber.Router, site *page.Site) {
	s := &dashboard{site}
	app.Get("/", s.home)
	app.Get("/analises", s.analytics)
	app.Post("/ambiente", s.environment)

	app.Get("/busca", s.search)
	app.Get("/busca/lista", s.palette)
	s.registerCheckouts(app)
	s.registerCustomers(app)
	s.registerSales(app)
	s.registerDisputes(app)
	s.registerAccess(app)
	s.registerSettings(app)
	s.registerTeam(app)

	d := &developers{site}
	d.register(app)
	d.registerWebhooks(app)
	(&treasury{site}).register(app)
}

// register adds the pages of keys and of the API's calls.
func (s *developers) register(app fiber.Router) {
	app.Get("/requisicoes", page.Only(models.Integrate), s.listRequests)
	app.Get("/requisicoes/:id", page.Only(models.Integrate), s.readRequest)

	app.Get("/chaves", s.listKeys)
	app.Get("/chaves/nova", page.Only(models.Integrate), s.StepUpLive, s.newKey)
	app.Post("/chaves", page.Only(models.Integrate), s.StepUpLive, s.createKey)
	app.Get("/chaves/:id/revogar", page.Only(models.Integrate), s.StepUp, s.revokeKeyForm)
	app.Post("/chaves/:id/revogar", page.Only(models.Integrate), s.StepUp, s.revokeKey)
	app.Get("/chaves/:id/trocar", page.Only(models.Integrate), s.StepUpLive, s.rollKeyForm)
	app.Post("/chaves/:id/trocar", page.Only(models.Integrate), s.StepUpLive, s.rollKey)
	s.registerSwitches(app)
}

// registerWebhooks adds the pages of endpoints, deliveries and events.
func (s *developers) registerWebhooks(app fiber.Router) {
	app.Get("/webhooks", s.listEndpoints)
	app.Get("/webhooks/novo", page.Only(models.Integrate), s.newEndpoint)
	app.Post("/webhooks", page.Only(models.Integrate), s.createEndpoint)
	app.Get("/webhooks/:id", s.readEndpoint)
	app.Get("/webhooks/:id/editar", page.Only(models.Integrate), s.editEndpoint)
	app.Post("/webhooks/:id/editar", page.Only(models.Integrate), s.updateEndpoint)
	app.Post("/webhooks/:id/ativar", page.Only(models.Integrate), s.switchEndpoint(true, "webhook_enabled"))
	app.Post("/webhooks/:id/desativar", page.Only(models.Integrate), s.switchEndpoint(false, "webhook_disabled"))
	app.Post("/webhooks/:id/excluir", page.Only(models.Integrate), s.deleteEndpoint)
	app.Get("/webhooks/:id/segredo", page.Only(models.Integrate), s.StepUp, s.showSecret)
	app.Post("/webhooks/:id/segredo/trocar", page.Only(models.Integrate), s.StepUp, s.rotateSecret)
	app.Post("/webhooks/:id/segredo/encerrar", page.Only(models.Integrate), s.StepUp, s.retireSecret)
	app.Post("/webhooks/:id/testar", page.Only(models.Integrate), s.testEndpoint)
	app.Get("/webhooks/:id/repetir", page.Only(models.Integrate), s.askReplay)
	app.Post("/webhooks/:id/repetir", page.Only(models.Integrate), s.replay)
	app.Get("/webhooks/:id/entregas/:delivery", s.readDelivery)
	app.Post("/webhooks/:id/entregas/:delivery/reenviar", page.Only(models.Integrate), s.resendDelivery)

	app.Get("/eventos", s.listEvents)
	app.Get("/eventos/:id", s.readEvent)
}

// registerCheckouts adds the pages of charges.
func (s *dashboard) registerCheckouts(app fiber.Router) {
	app.Get("/pulso/events", s.pulse)
	app.Get("/cobrancas", s.listCheckouts)
	app.Get("/cobrancas/cobrancas.csv", page.Only(models.MoveMoney), s.exportCheckouts)
	app.Get("/cobrancas/nova", page.Only(models.Sell), s.newCheckoutForm)
	app.Post("/cobrancas", page.Only(models.Sell), s.createCheckout)
	app.Get("/cobrancas/:id", s.readCheckout)
	app.Get("/cobrancas/:id/events", s.checkoutEvents)
	app.Get("/cobrancas/:id/devolver", page.Only(models.MoveMoney), s.StepUpLive, s.newRefund)
	app.Post("/cobrancas/:id/devolver", page.Only(models.MoveMoney), s.StepUpLive, s.createRefund)
	app.Get("/cobrancas/:id/comprovante", page.Only(models.Sell), s.newReceipt)
	app.Post("/cobrancas/:id/comprovante", page.Only(models.Sell), s.Heavy, s.mailReceipt)
	app.Post("/cobrancas/:id/cancelar", page.Only(models.Sell), s.changeCheckout(func(c *fiber.Ctx, id string) error {
		return s.Payments.CancelCheckout(c.UserContext(), page.Actor(c), page.Scope(c), id)
	}, "checkout_cancelled"))
	app.Post("/cobrancas/:id/simular", page.Only(models.Sell), s.changeCheckout(func(c *fiber.Ctx, id string) error {
		return s.Payments.SimulatePayment(c.UserContext(), id)
	}, "checkout_paid"))
	app.Post("/cobrancas/:id/expirar", page.Only(models.Sell), s.changeCheckout(func(c *fiber.Ctx, id string) error {
		return s.Payments.SimulateExpiry(c.UserContext(), id)
	}, "checkout_expired"))
}

// register adds the pages of the balance, withdrawals and destinations.
func (s *treasury) register(app fiber.Router) {
	app.Get("/saldo", page.Only(models.MoveMoney), s.readBalance)
	app.Get("/saldo/extrato.csv", page.Only(models.MoveMoney), s.exportStatement)
	app.Get("/saldo/extrato.xlsx", page.Only(models.MoveMoney), s.exportStatementSheet)
	app.Get("/saldo/extrato.ofx", page.Only(models.MoveMoney), s.exportStatementOFX)

	app.Get("/saldo/vendas", page.Only(models.MoveMoney), s.listSales)
	app.Get("/saldo/vendas.csv", page.Only(models.MoveMoney), s.exportSales)
	app.Get("/saldo/vendas.xlsx", page.Only(models.MoveMoney), s.exportSalesSheet)

	app.Get("/saldo/avulsos", page.Only(models.MoveMoney), s.listOwnPix)
	app.Get("/saldo/avulsos/:id", page.Only(models.MoveMoney), s.readOwnPix)
	app.Post("/saldo/avulsos/:id", page.Only(models.MoveMoney), s.StepUpLive, s.decideOwnPix)

	own := page.Only(models.Own)
	app.Get("/conta-bancaria", own, s.listOwnBanks)
	app.Get("/conta-bancaria/nova", own, s.StepUpSecond, s.newOwnBank)
	app.Post("/conta-bancaria/nova", own, s.StepUpSecond, s.proposeOwnBank)
	app.Post("/conta-bancaria/:id/verificar", own, s.StepUp, s.checkOwnBank)
	app.Post("/conta-bancaria/:id/descartar", own, s.StepUp, s.discardOwnBank)
	app.Post("/conta-bancaria/:id/aposentar", own, s.StepUpSecond, s.retireOwnBank)
	app.Get("/conta-bancaria/:id/credenciais", own, s.StepUpSecond, s.newOwnCredential)
	app.Post("/conta-bancaria/:id/credenciais", own, s.StepUpSecond, s.proposeOwnCredential)

	app.Get("/saques", page.Only(models.MoveMoney), s.listWithdrawals)
	app.Post("/saques", page.Only(models.MoveMoney), s.StepUpLive, s.createWithdrawal)
	app.Get("/saques/novo", page.Only(models.MoveMoney), s.newWithdrawal)
	app.Get("/saques/novo/revisar", page.Only(models.MoveMoney), s.StepUpLive, s.reviewWithdrawal)

	app.Get("/saques/destinos", page.Only(models.MoveMoney), s.listDestinations)
	app.Post("/saques/destinos", page.Only(models.MoveMoney), s.StepUpLive, s.createDestination)
	app.Get("/saques/destinos/novo", page.Only(models.MoveMoney), s.StepUpLive, s.newDestination)
	app.Post("/saques/destinos/:id/remover", page.Only(models.MoveMoney), s.StepUp, s.removeDestination)

	app.Get("/saques/:id", page.Only(models.MoveMoney), s.readWithdrawal)
	app.Get("/saques/:id/pedido", page.Only(models.MoveMoney), s.withdrawalRequested)
	app.Post("/saques/:id/cancelar", page.Only(models.MoveMoney), s.cancelWithdrawal)
}

// registerAccess adds the pages of production access and of the audit log.
func (s *dashboard) registerAccess(app fiber.Router) {
	app.Get("/producao", s.readAccess)
	app.Get("/producao/pedido", s.accessForm)
	app.Post("/producao/pedido", page.Only(models.Administer), s.requestAccess)
	app.Post("/producao/retirar", page.Only(models.Administer), s.withdrawAccess)

	app.Get("/auditoria", page.Only(models.Own), s.readAudit)
	app.Get("/auditoria.csv", page.Only(models.Own), s.auditFile)
}

// registerSales adds the pages of products and payment links.
func (s *dashboard) registerSales(app fiber.Router) {
	app.Get("/produtos", s.listProducts)
	app.Get("/produtos/novo", page.Only(models.Sell), s.newProduct)
	app.Post("/produtos", page.Only(models.Sell), s.createProduct)
	app.Get("/produtos/:slug", s.readProduct)
	app.Post("/produtos/:slug", page.Only(models.Sell), s.updateProduct)
	app.Post("/produtos/:slug/arquivar", page.Only(models.Sell), s.archiveProduct(true, "product_archived"))
	app.Post("/produtos/:slug/restaurar", page.Only(models.Sell), s.archiveProduct(false, "product_restored"))

	app.Get("/links", s.listLinks)
	app.Get("/links/novo", page.Only(models.Sell), s.newLink)
	app.Post("/links", page.Only(models.Sell), s.createLink)
	app.Post("/links/balcao", page.Only(models.Sell), s.createCounterLink)
	app.Get("/links/:id", s.readLink)
	app.Get("/links/:id/editar", page.Only(models.Sell), s.editLink)
	app.Post("/links/:id", page.Only(models.Sell), s.updateLink)
	app.Get("/links/:id/cartaz", s.linkPoster)
	app.Get("/links/:id/qr.svg", s.linkSVG)
	app.Get("/links/:id/qr.png", s.linkPNG)
	app.Post("/links/:id/ativar", page.Only(models.Sell), s.switchLink(true, "link_enabled"))
	app.Post("/links/:id/desativar", page.Only(models.Sell), s.switchLink(false, "link_disabled"))
}
