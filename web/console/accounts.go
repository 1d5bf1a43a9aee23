package console

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
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
	accounts, err := models.ReadPage(page.ListSize, func(limit int) ([]models.Account, error) {
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
	totals, err := models.TotalsOf(c.UserContext(), s.DB.Pool, s.Now().AddDate(0, 0, -30).Truncate(time.Hour), ids...)
	if err != nil {
		return nil, nil, err
	}
	risks, err := models.AccountRisks(c.UserContext(), s.DB.Pool, ids)
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
	props.Block.Key, props.NoteKey = page.FormKey(props.Block.Key), page.FormKey(props.NoteKey)
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
	notes, err := models.AccountNotes(c.UserContext(), s.DB.Pool, id)
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
		blocks, err := models.BlockedAmounts(c.UserContext(), s.DB.Pool, id, environment, true)
		if err != nil {
			return err
		}
		for _, block := range blocks {
			props.Blocks = append(props.Blocks, pages.Block{ID: block.ID, Live: environment == models.Live,
				Amount: block.Amount, Reason: block.Reason, At: block.CreatedAt})
		}
	}
	movements, err := models.Statement(c.UserContext(), s.DB.Pool, id, models.Live,
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
	destinations, err := models.Destinations(c.UserContext(), s.DB.Pool,
		models.DestinationFilter{AccountID: id, Limit: latestRows})
	if err != nil {
		return err
	}
	props.Destinations = ownItems(s.destinationRows(c, destinations))
	withdrawals, err := models.Withdrawals(c.UserContext(), s.DB.Pool,
		models.WithdrawalFilter{AccountID: id, Limit: latestRows})
	if err != nil {
		return err
	}
	props.Withdrawals = ownItems(s.withdrawalRows(c, withdrawals))
	lines, err := models.AuditLines(c.UserContext(), s.DB.Pool, models.AuditFilter{AccountID: id, Limit: latestRows})
	if err != nil {
		return err
	}
	for _, l := range lines {
		l.AccountName = "" // the page names the account already
		props.Acts = append(props.Acts, auditRow(l))
	}
	return nil
}

// block handles POST /ops/contas/:id/bloqueios.
func (s *console) block(c *fiber.Ctx) error {
	fields := pages.BlockFields{
		Key: page.FormKey(page.Field(c, "key")), Env: page.Field(c, "env"),
		Amount: page.Field(c, "amount"), Reason: page.FormText(c, "reason"),
	}
	amount, _ := page.ReadPrice(fields.Amount) // an invalid amount is zero, which is refused
	if _, err := s.anyAccount(c, c.Params("id")); err != nil {
		return err
	}
	environment := models.Live
	if fields.Env == models.Test.String() {
		environment = models.Test
	}
	_, err := s.Payments.BlockAmount(c.UserContext(), page.Actor(c), payments.NewBlock{
		AccountID: c.Params("id"), Environment: environment, Amount: amount,
		Reason: fields.Reason, Form: fields.Key,
	})
	if err != nil && refusal.Of(err).Code == refusal.IdempotencyConflict { // the person went back and changed the form
		fields.Key = rand.Text()
		c.Status(fiber.StatusUnprocessableEntity)
		text := i18n.T(c.UserContext(), "problem.ops_block_repeated")
		return s.showOpsAccount(c, pages.AccountProps{Block: fields, Errors: components.FieldErrors{{Text: text}}})
	}
	if field := map[refusal.Code]string{
		refusal.InvalidAmount: "amount", refusal.InsufficientBalance: "amount", refusal.ReasonRequired: "reason",
	}[refusal.Of(err).Code]; err != nil && field != "" {
		c.Status(fiber.StatusUnprocessableEntity)
		text := i18n.T(c.UserContext(), "problem.ops_"+strings.TrimSuffix(string(refusal.Of(err).Code), "_required"))
		return s.showOpsAccount(c, pages.AccountProps{Block: fields,
			Errors: components.FieldErrors{{Field: field, Text: text}}})
	} else if err != nil {
		return err
	}
	return s.goTo(c, "/ops/contas/"+c.Params("id"), "ops_blocked")
}

// unblock handles POST /ops/contas/:id/bloqueios/:block. A block is released once: a second
// request shows who released it.
func (s *console) unblock(c *fiber.Ctx) error {
	path := "/ops/contas/" + c.Params("id")
	_, err := s.Payments.UnblockAmount(c.UserContext(), page.Actor(c), c.Params("block"),
		page.FormText(c, "reason-"+c.Params("block")))
	switch refusal.Of(err).Code {
	case refusal.WrongState:
		changed, err := s.lastAct(c, c.Params("block"))
		if err != nil {
			return err
		}
		c.Status(fiber.StatusConflict)
		return s.showOpsAccount(c, pages.AccountProps{Changed: changed})
	case refusal.ReasonRequired:
		return s.goTo(c, path, "ops_reason_missing")
	}
	if err != nil {
		return err
	}
	return s.goTo(c, path, "ops_unblocked")
}
