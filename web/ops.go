package web

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/requestid"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

const (
	// opsSession is how long staff may work before they log in again.
	opsSession = 12 * time.Hour
	// reviewTerm is how long something may wait for staff: merchants are told so, and the
	// console marks what waits longer.
	reviewTerm = 24 * time.Hour
	// opsLatest is how many rows a part of a page shows of a longer list.
	opsLatest = 10
)

// registerOps adds the ops console. Whoever is not of staff, or is elsewhere than staff
// work, finds nothing there, whatever path or method they try; who is has given a code,
// too.
func (s *server) registerOps(r fiber.Router) {
	ops := r.Group("/ops", compressed, s.speak, secure, s.inside, s.colleague, s.staff(), sameOrigin)
	supervisor := s.staff(models.StaffSupervisor)
	ops.Get("/", s.opsHome)
	ops.Get("/buscar", s.opsFind)

	ops.Get("/acessos", s.opsQueue(s.accessQueue()))
	ops.Get("/acessos/:id", s.opsAccess)
	ops.Post("/acessos/:id", s.opsDecide(s.accessCase()))

	ops.Get("/destinos", s.opsQueue(s.destinationQueue()))
	ops.Get("/destinos/:id", s.opsDestination)
	ops.Post("/destinos/:id", s.opsDecide(s.destinationCase()))

	ops.Get("/saques", s.opsQueue(s.withdrawalQueue()))
	ops.Get("/saques/:id", s.opsWithdrawal)
	ops.Post("/saques/:id", s.opsDecide(s.withdrawalCase()))

	ops.Get("/excecoes", s.opsQueue(s.exceptionQueue()))
	ops.Get("/excecoes/:id", s.opsException)
	ops.Post("/excecoes/:id", s.opsDecide(s.exceptionCase()))

	ops.Get("/cobrancas", s.opsLookUp)
	ops.Get("/cobrancas/:id", s.opsCheckout)
	ops.Post("/cobrancas/:id/pagador", s.opsShowBuyer)
	ops.Post("/cobrancas/:id", s.opsDecide(s.refundCase()))

	ops.Get("/contas", s.opsAccounts)
	ops.Get("/contas/:id", s.opsAccount)
	ops.Post("/contas/:id/notas", s.opsNote)
	ops.Get("/contas/:id/encerrar", supervisor, s.opsRevokeForm)
	ops.Post("/contas/:id/encerrar", supervisor, s.opsDecide(s.revokeCase()))
	ops.Get("/contas/:id/travas/:switch", s.opsSwitchForm)
	ops.Post("/contas/:id/travas/:switch", s.opsSwitch)
	ops.Post("/contas/:id/bloqueios", s.opsBlock)
	ops.Post("/contas/:id/bloqueios/:block", s.opsUnblock)

	s.registerSecurity(ops, "/seguranca")

	ops.Get("/webhooks", s.opsEndpoints)
	ops.Get("/webhooks/:id", s.opsEndpoint)
	ops.Post("/webhooks/:id/repetir", s.opsReplay)

	ops.Get("/saude", s.opsHealth)

	ops.Get("/operadores", supervisor, s.opsStaff)
	ops.Post("/operadores/:id", supervisor, s.stepUp, s.opsSetStaff)
	ops.Post("/operadores/:id/sessoes", supervisor, s.stepUp, s.opsEndSessions)

	ops.Get("/auditoria", supervisor, s.opsAudit)
	ops.Get("/auditoria.csv", supervisor, s.opsAuditFile)
}

// errNothing is what strangers get of the console: the page of an unknown path.
var errNothing = fault.New(fault.NotFound, "There is nothing here.")

// inside lets in who asks from where staff work, before anything else of the request is
// looked at. A session that was begun there opens nothing elsewhere.
func (s *server) inside(c *fiber.Ctx) error {
	if !s.isInside(c) {
		return errNothing
	}
	return c.Next()
}

// isInside reports whether the client is where staff work. Its address is the peer's, or
// what a trusted proxy says it is: package server has seen to that.
func (s *server) isInside(c *fiber.Ctx) bool {
	if len(s.OpsNetworks) == 0 {
		return true
	}
	address, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	return ok && slices.ContainsFunc(s.OpsNetworks, func(n netip.Prefix) bool { return n.Contains(address.Unmap()) })
}

// colleague lets in people of the installation's own staff who logged in lately; the
// others learn nothing. It comes before staff, which asks for more.
func (s *server) colleague(c *fiber.Ctx) error {
	v, err := s.Merchants.Visitor(c.UserContext(), s.token(c))
	if errors.Is(err, models.ErrNotFound) || err == nil && v.StaffRole == nil {
		return errNothing
	} else if err != nil {
		return err
	}
	if s.Now().Sub(v.CreatedAt) > opsSession {
		if c.Method() == fiber.MethodPost && c.FormValue("version") != "" && checkOrigin(c) == nil { // a decision, with its reason
			c.Status(fiber.StatusUnauthorized)
			return s.showKept(c, pages.KeptProps{Reason: pages.KeptLoggedOut})
		}
		if err := s.flash(c, "log_in_first"); err != nil {
			return err
		}
		return c.Redirect("/entrar?next="+url.QueryEscape(c.OriginalURL()), fiber.StatusSeeOther)
	}
	c.Locals(visitorKey{}, v)
	return c.Next()
}

// payer is the visitor as package payments knows who acts.
func payer(c *fiber.Ctx) payments.Actor {
	return payments.Actor{UserID: visitor(c).UserID, IP: c.IP(), RequestID: requestid.Of(c.UserContext())}
}

// opsShell is the frame of a page of the console.
func (s *server) opsShell(c *fiber.Ctx) (layouts.OpsShell, error) {
	shell, err := s.shell(c)
	if err != nil {
		return layouts.OpsShell{}, err
	}
	queues, err := models.StaffQueues(c.UserContext(), s.DB.Pool)
	if err != nil {
		return layouts.OpsShell{}, err
	}
	out := layouts.OpsShell{Shell: shell, Role: string(*visitor(c).StaffRole), Nav: []layouts.NavItem{
		{ID: layouts.OpsQueues, Href: "/ops"},
		{ID: layouts.OpsAccess, Href: "/ops/acessos", Count: queues.Access.Count},
		{ID: layouts.OpsDestinations, Href: "/ops/destinos", Count: queues.Destinations.Count},
		{ID: layouts.OpsWithdrawals, Href: "/ops/saques", Count: queues.Withdrawals.Count + queues.Payouts.Count},
		{ID: layouts.OpsExceptions, Href: "/ops/excecoes", Count: queues.Exceptions.Count},
		{ID: layouts.OpsCheckouts, Href: "/ops/cobrancas"},
		{ID: layouts.OpsAccounts, Href: "/ops/contas"},
		{ID: layouts.OpsWebhooks, Href: "/ops/webhooks", Count: queues.Webhooks.Count},
		{ID: layouts.OpsHealth, Href: "/ops/saude"},
	}}
	if *visitor(c).StaffRole == models.StaffSupervisor {
		out.Nav = append(out.Nav, layouts.NavItem{ID: layouts.OpsAudit, Href: "/ops/auditoria"}, layouts.NavItem{ID: layouts.OpsStaff, Href: "/ops/operadores"})
	}
	return out, nil
}

// toOps shows a page of the console with what was done.
func (s *server) toOps(c *fiber.Ctx, path, flash string) error {
	if err := s.flash(c, flash); err != nil {
		return err
	}
	return c.Redirect(path, fiber.StatusSeeOther)
}

// late reports whether something has waited for too long.
func (s *server) late(since time.Time) bool { return s.Now().Sub(since) > reviewTerm }

// lastAct says who changed an object last, and when, "" if nobody did.
func (s *server) lastAct(c *fiber.Ctx, objectID string) (string, error) {
	lines, err := models.AuditLines(c.UserContext(), s.DB.Pool, models.AuditFilter{ObjectID: objectID, Limit: 1})
	if err != nil || len(lines) == 0 {
		return "", err
	}
	who := lines[0].ActorName
	if who == "" {
		who = lines[0].Actor
	}
	ctx := c.UserContext()
	return i18n.T(ctx, "ops.changed_by", who, i18n.Age(ctx, lines[0].At, s.Now()), i18n.DateTime(ctx, lines[0].At)), nil
}

// spokenBy is the language in which an account's owner is written to.
func (s *server) spokenBy(c *fiber.Ctx, accountID string) (i18n.Lang, error) {
	owner, err := models.OwnerOf(c.UserContext(), s.DB.Pool, accountID)
	if err != nil {
		return i18n.Portuguese, err
	}
	lang, _ := i18n.Parse(owner.Language)
	return lang, nil
}

// staffActor is the visitor as package merchants knows who acts.
func staffActor(c *fiber.Ctx) merchants.Actor {
	by := actor(c)
	by.AccountID = "" // of the thing, not of the visitor
	return by
}

// mailSubject is what a mail about an account will be called.
func mailSubject(lang i18n.Lang, kind, account string) string {
	return strings.ReplaceAll(i18n.In(lang, "mail."+kind+"_subject"), "{account}", account)
}
