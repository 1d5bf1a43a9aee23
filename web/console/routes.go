package console

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web/page"
)

// Group returns the part of r below /ops. People who are not staff, and staff outside of
// OpsNetworks, get 404 there for every path and method. Staff need a session with a second
// factor.
func Group(r fiber.Router, site *page.Site) fiber.Router {
	s := &console{site}
	group := r.Group("/ops", page.Compressed, page.Ahead, s.Speak, s.inside, s.colleague, s.Staff(models.Review),
		s.Paced, page.SameOrigin)
	group.Get("/pulso/events", s.pulse)
	return group
}

// Register adds the pages of the console to ops, which Group returned. Decisions about money, and about who
// may move it, take a recent proof of identity.
func Register(ops fiber.Router, site *page.Site) {
	s := &console{site}
	ops.Get("/", s.home)
	ops.Get("/buscar", s.find)

	ops.Get("/acessos", s.queue(s.accessQueue()))
	ops.Get("/acessos/:id", s.access)
	ops.Post("/acessos/:id", s.StepUp, s.decide(s.accessCase()))

	ops.Get("/destinos", s.queue(s.destinationQueue()))
	ops.Get("/destinos/:id", s.destination)
	ops.Post("/destinos/:id", s.StepUp, s.decide(s.destinationCase()))

	ops.Get("/saques", s.queue(s.withdrawalQueue()))
	ops.Get("/saques/:id", s.withdrawal)
	ops.Post("/saques/:id", s.StepUp, s.decide(s.withdrawalCase()))

	ops.Get("/excecoes", s.queue(s.exceptionQueue()))
	ops.Get("/excecoes/:id", s.exception)
	ops.Post("/excecoes/:id", s.StepUp, s.decide(s.exceptionCase()))
	s.registerDisputes(ops)
	s.registerNames(ops)
	ops.Get("/tarifas", s.queue(s.feeQueue()))
	ops.Get("/tarifas/:id", s.fee)
	ops.Post("/tarifas/:id", s.StepUp, s.decide(s.feeCase()))

	ops.Get("/cobrancas", s.showLookUp)
	ops.Get("/cobrancas/:id", s.checkout)
	ops.Post("/cobrancas/:id/pagador", s.showBuyer)
	ops.Post("/cobrancas/:id", s.StepUp, s.decide(s.refundCase()))

	ops.Get("/contas", s.accounts)
	ops.Get("/contas/:id", s.account)
	ops.Post("/contas/:id/notas", s.note)
	ops.Get("/contas/:id/encerrar", s.Staff(models.RevokeAccess), s.revokeForm)
	ops.Post("/contas/:id/encerrar", s.Staff(models.RevokeAccess), s.StepUp, s.decide(s.revokeCase()))
	ops.Get("/contas/:id/tarifa", s.feeForm)
	ops.Post("/contas/:id/tarifa", s.StepUp, s.decide(s.feeFormCase()))
	ops.Get("/contas/:id/limites", s.Staff(models.SetTerms), s.limitsForm)
	ops.Post("/contas/:id/limites", s.Staff(models.SetTerms), s.StepUp, s.decide(s.limitsCase()))
	ops.Get("/contas/:id/travas/:switch", s.switchForm)
	ops.Post("/contas/:id/travas/:switch", s.StepUp, s.changeSwitch)
	ops.Get("/contas/:id/bloqueios", s.blockForm)
	ops.Post("/contas/:id/bloqueios", s.StepUp, s.decide(s.blockCase()))
	ops.Get("/contas/:id/bloqueios/:block", s.blocked)
	ops.Post("/contas/:id/bloqueios/:block", s.StepUp, s.decide(s.releaseCase()))

	manage := s.Staff(models.ManageBanks)
	ops.Get("/bancos", s.listBanks)
	ops.Get("/bancos/nova", manage, s.StepUp, s.newBank)
	ops.Post("/bancos/nova", manage, page.LegibleForm, s.StepUp, s.proposeBank)
	ops.Get("/bancos/:id", s.bank)
	ops.Post("/bancos/:id/verificar", manage, s.checkBank)
	ops.Post("/bancos/:id/aprovar", manage, s.StepUp, s.approveBank)
	ops.Post("/bancos/:id/descartar", manage, s.StepUp, s.discardBank)
	ops.Post("/bancos/:id/aposentar", manage, s.StepUp, s.retireBank)
	ops.Post("/bancos/:id/encerrar", manage, s.StepUp, s.closeBank)
	ops.Get("/bancos/:id/credenciais", manage, s.StepUp, s.newBankCredential)
	ops.Post("/bancos/:id/credenciais", manage, page.LegibleForm, s.StepUp, s.proposeBankCredential)

	ops.Get("/webhooks", s.endpoints)
	ops.Get("/webhooks/:id", s.readEndpoint)
	ops.Post("/webhooks/:id/repetir", s.replay)
	ops.Get("/saude", s.health)
	s.registerStaff(ops)
	s.registerReasons(ops)
	ops.Get("/auditoria", s.Staff(models.ReadAudit), s.audit)
	ops.Get("/auditoria.csv", s.Staff(models.ReadAudit), s.auditFile)
}

// inside admits requests from OpsNetworks and answers others with 404, before anything else of
// the request is examined. It also applies to sessions that began within the networks.
func (s *console) inside(c *fiber.Ctx) error {
	if !s.Inside(c) {
		return page.ErrNothing
	}
	return c.Next()
}

// colleague admits staff whose session is not older than staffSession, keeps the forms of those whose session is, and
// answers others with 404. It comes before Staff, which also requires a second factor.
func (s *console) colleague(c *fiber.Ctx) error {
	v, err := s.ReadVisitor(c)
	if errors.Is(err, models.ErrNotFound) || err == nil && v.StaffRole == nil {
		return page.ErrNothing
	} else if err != nil {
		return err
	}
	if s.Now().Sub(v.CreatedAt) > staffSession {
		return s.LoggedOut(c, page.Keepable(c))
	}
	return s.Admit(c, v)
}
