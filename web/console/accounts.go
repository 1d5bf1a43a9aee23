package console

import (
	"errors"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/taxid"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// accounts shows GET /ops/contas.
func (s *console) accounts(c *fiber.Ctx) error {
	after := s.Position(c, payments.ListAccounts)
	accounts, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.Account, error) {
		return models.Accounts(c.UserContext(), s.DB, after, limit)
	})
	if err != nil {
		return err
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	var ids []string
	for _, a := range accounts.Rows {
		ids = append(ids, a.ID)
	}
	totals, risks, err := s.standings(c, ids...)
	if err != nil {
		return err
	}
	props := pages.AccountsProps{Shell: shell,
		Pager: s.Pager(c, payments.ListAccounts, "/ops/contas", "", after, accounts.Next)}
	for i := range accounts.Rows {
		a := &accounts.Rows[i]
		props.Rows = append(props.Rows, pages.AccountRow{
			ID: a.ID, Name: a.Name, Document: taxid.Format(page.Text(a.Document)), State: string(a.ProductionAccess),
			Switches: switchesOn(a), CreatedAt: a.CreatedAt,
			Volume: totals[a.ID].Volume, Flags: s.flags(c, a, totals[a.ID], risks[a.ID]),
		})
	}
	return page.Render(c, pages.Accounts(props))
}

// standings returns, by account, what the accounts did in the last 30 days and in all, and
// their risks.
func (s *console) standings(c *fiber.Ctx, ids ...string) (map[string]models.AccountTotals,
	map[string]models.AccountRisk, error) {
	totals, err := models.TotalsOf(c.UserContext(), s.DB.Read, s.Now().AddDate(0, 0, -30).Truncate(time.Hour), ids...)
	if err != nil {
		return nil, nil, err
	}
	risks, err := models.AccountRisks(c.UserContext(), s.DB.Read, ids)
	return totals, risks, err
}

// newAccount is how long an account counts as new.
const newAccount = 7 * 24 * time.Hour

// flags returns the risks of an account as texts.
func (s *console) flags(c *fiber.Ctx, a *models.Account, totals models.AccountTotals,
	risk models.AccountRisk) (flags []string) {
	ctx := c.UserContext()
	if risk.Declared > 0 && totals.Volume > risk.Declared {
		flags = append(flags, i18n.T(ctx, "ops.flag_over_declared", i18n.Money(ctx, risk.Declared)))
	}
	if totals.Volume > 0 && s.Now().Sub(a.CreatedAt) < newAccount {
		flags = append(flags, i18n.T(ctx, "ops.flag_new"))
	}
	for _, counted := range []struct {
		key   string
		count int
	}{{"ops.flag_exceptions", totals.OpenExceptions}, {"ops.flag_document", risk.SharedDocument},
		{"ops.flag_destination", risk.SharedDestination}} {
		if counted.count > 0 {
			flags = append(flags, i18n.N(ctx, counted.key, counted.count))
		}
	}
	return flags
}

func switchesOn(a *models.Account) (on []string) {
	for _, which := range models.Switches {
		if which.On(a) {
			on = append(on, string(which))
		}
	}
	return on
}

// anyAccount returns an account for staff, or models.ErrNotFound.
func (s *console) anyAccount(c *fiber.Ctx, id string) (*models.Account, error) {
	if !input.Plain(id) {
		return nil, models.ErrNotFound
	}
	return models.AccountByID(c.UserContext(), s.DB, id)
}

// accountHead returns the facts about an account at the head of its pages.
func (s *console) accountHead(c *fiber.Ctx, id string) (pages.AccountHead, error) {
	account, err := s.anyAccount(c, id)
	if err != nil {
		return pages.AccountHead{}, err
	}
	all, risks, err := s.standings(c, id)
	if err != nil {
		return pages.AccountHead{}, err
	}
	totals := all[id]
	members, err := models.AccountMembers(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return pages.AccountHead{}, err
	}
	return pages.AccountHead{
		ID: id, Name: account.Name, Document: taxid.Format(page.Text(account.Document)),
		State:    string(account.ProductionAccess),
		Switches: switchesOn(account), Flags: s.flags(c, account, totals, risks[id]), CreatedAt: account.CreatedAt,
		Totals: pages.Totals{
			PaidTest: totals.PaidTest, PaidLive: totals.PaidLive, Volume: totals.Volume,
			Withdrawals: totals.Withdrawals,
			Withdrawn:   totals.Withdrawn, OpenExceptions: totals.OpenExceptions,
		},
		Own: slices.ContainsFunc(members,
			func(m models.AccountMember) bool { return m.UserID == page.Visitor(c).UserID }),
	}, nil
}

// account shows GET /ops/contas/:id.
func (s *console) account(c *fiber.Ctx) error {
	return s.showOpsAccount(c, pages.AccountProps{})
}

// showOpsAccount answers with the page of an account. props has what was typed and its errors.
func (s *console) showOpsAccount(c *fiber.Ctx, props pages.AccountProps) (err error) {
	id := c.Params("id")
	if props.Account, err = s.accountHead(c, id); err != nil {
		return err
	}
	props.NoteKey = page.FormKey(props.NoteKey)
	props.CanRevoke = page.Visitor(c).StaffRole.Can(models.RevokeAccess) &&
		props.Account.State == base.AccessApproved && !props.Account.Own
	if page.Visitor(c).StaffRole.Can(models.ReadAudit) {
		props.AuditHref = "/ops/auditoria?account=" + id
	}
	for _, fill := range []func(*fiber.Ctx, string, *pages.AccountProps) error{
		s.fillNotes, s.fillSwitches, s.fillTerms, s.fillBooks, s.fillPeople, s.fillHistory,
	} {
		if err := fill(c, id, &props); err != nil {
			return err
		}
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Account(props))
}

func (s *console) fillNotes(c *fiber.Ctx, id string, props *pages.AccountProps) error {
	notes, err := models.AccountNotes(c.UserContext(), s.DB.Read, id)
	for _, n := range notes {
		props.Notes = append(props.Notes, pages.Event{At: n.WrittenAt, Who: n.WriterName, Detail: n.Text})
	}
	return err
}

// note handles POST /ops/contas/:id/notas.
func (s *console) note(c *fiber.Ctx) error {
	note, key := page.FormText(c, "note"), page.FormKey(page.Field(c, "key"))
	err := s.Merchants.NoteAccount(c.UserContext(), page.Actor(c), merchants.NewNote{
		AccountID: c.Params("id"), Text: note, Form: key,
	})
	if errors.Is(err, models.ErrFormReused) { // the person went back and changed the note
		c.Status(fiber.StatusUnprocessableEntity)
		text := i18n.T(c.UserContext(), "problem.ops_note_repeated")
		return s.showOpsAccount(c, pages.AccountProps{
			Note: note, Errors: components.FieldErrors{{Field: "note", Text: text}},
		})
	} else if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showOpsAccount(c, pages.AccountProps{
			Note: note, NoteKey: key, Errors: page.FormErrors(c, "ops_", problems, "note"),
		})
	} else if err != nil {
		return err
	}
	return s.goTo(c, "/ops/contas/"+c.Params("id"), "ops_noted")
}

func (s *console) fillSwitches(c *fiber.Ctx, id string, props *pages.AccountProps) error {
	latest, err := models.LatestSwitchChanges(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return err
	}
	for _, which := range models.Switches {
		row := pages.Switch{Switch: string(which), On: slices.Contains(props.Account.Switches, string(which))}
		if change, ever := latest[which]; ever {
			row.Since, row.Reason = &change.ChangedAt, change.Reason
		}
		props.Switches = append(props.Switches, row)
	}
	return nil
}

func (s *console) fillBooks(c *fiber.Ctx, id string, props *pages.AccountProps) error {
	for _, environment := range []models.Environment{models.Live, models.Test} {
		b, err := s.Payments.Books(c.UserContext(), id, environment)
		if err != nil {
			return err
		}
		props.Books = append(props.Books, shownBooks(environment, b))
	}
	var err error
	if props.Blocks, err = s.blockItems(c, id, ""); err != nil {
		return err
	}
	movements, err := models.Statement(c.UserContext(), s.DB.Read, id, models.Live,
		models.StatementFilter{Limit: latestRows})
	if err != nil {
		return err
	}
	for _, m := range movements {
		props.Movements = append(props.Movements, pages.Movement{At: m.At, Kind: string(m.Kind), Amount: m.Amount,
			Available: m.Available, LinkedID: m.LinkedID})
	}
	return nil
}

func (s *console) fillPeople(c *fiber.Ctx, id string, props *pages.AccountProps) error {
	members, err := models.AccountMembers(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return err
	}
	for _, m := range members {
		props.Members = append(props.Members, pages.Member{ID: m.UserID, Name: m.Name, Email: m.Email,
			Role: string(m.Role), Staff: m.Staff})
	}
	return nil
}

func (s *console) fillHistory(c *fiber.Ctx, id string, props *pages.AccountProps) error {
	requests, err := models.AccessRequestsOf(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return err
	}
	props.Requests = ownItems(s.accessRows(c, requests, false))
	destinations, err := models.Destinations(c.UserContext(), s.DB.Read,
		models.DestinationFilter{AccountID: id, Limit: latestRows})
	if err != nil {
		return err
	}
	props.Destinations = ownItems(s.destinationRows(c, destinations))
	withdrawals, err := models.Withdrawals(c.UserContext(), s.DB.Read,
		models.WithdrawalFilter{AccountID: id, Limit: latestRows})
	if err != nil {
		return err
	}
	props.Withdrawals = ownItems(s.withdrawalRows(c, withdrawals))
	lines, err := models.AuditLines(c.UserContext(), s.DB.Read, models.AuditFilter{AccountID: id, Limit: latestRows})
	if err != nil {
		return err
	}
	for _, l := range lines {
		l.AccountName = "" // the page names the account already
		props.Acts = append(props.Acts, auditRow(l))
	}
	return nil
}
