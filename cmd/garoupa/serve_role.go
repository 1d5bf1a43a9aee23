package main

import (
	"context"
	"errors"
	"flag"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/server"
	"garoupa/jobs"
	"garoupa/webhook"
)

// role is what a process of an installation does: docs/operations.md, "Roles", says which loop belongs to which.
// Without a flag it does both.
type role struct {
	web  bool // answers the API and the pages
	jobs bool // delivers webhooks, sends mails, expires, settles and follows banks
}

// roleFlags declares the flags. chosen returns the role after they are parsed.
func roleFlags(flags *flag.FlagSet) (chosen func(s settings) (role, error)) {
	web := flags.Bool("web", false, "only answer the API and the pages; other processes run the jobs")
	work := flags.Bool("jobs", false, "only run the jobs; at its address are only /livez and /readyz")
	return func(s settings) (role, error) {
		switch {
		case *web && *work:
			return role{}, errors.New("serve: -web and -jobs exclude each other: without either a process does both")
		case !*web && !*work:
			return role{web: true, jobs: true}, nil
		case s.embedded():
			return role{}, errors.New("serve: -web and -jobs need DATABASE_URL: " +
				"the embedded database serves a single process, which does both")
		}
		return role{web: *web, jobs: *work}, nil
	}
}

// String returns the role as the log says it.
func (r role) String() string {
	switch {
	case !r.jobs:
		return "web"
	case !r.web:
		return "jobs"
	}
	return "web and jobs"
}

// work starts the jobs or, in a process without them, only what stores what the process counts.
func (r role) work(
	ctx context.Context, s settings, db *database, services *services, webhooks *webhook.Client, o jobs.Options,
) (*jobs.Runner, error) {
	o.DB, o.Payments, o.Merchants, o.Banks = db.DB, services.payments, services.merchants, services.banks
	o.Webhooks, o.Mail, o.Now = webhooks, services.sender, services.clock.Now
	o.EventsKept, o.BuyersKept = time.Duration(s.EventDays)*24*time.Hour, s.buyersKept()
	o.AuditLog = s.auditLog
	if !r.jobs {
		return jobs.StartCounting(ctx, o), nil
	}
	return jobs.Start(ctx, o)
}

// app returns what the process answers at GAROUPA_LISTEN: all, or only whether it is ready.
func (r role) app(health *server.Health, all func() *fiber.App) *fiber.App {
	if !r.web {
		return server.NewProbed(health)
	}
	return all()
}
