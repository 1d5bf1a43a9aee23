package web

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/taxid"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// accountList is the list that cursors of accounts belong to.
const accountList payments.List = "ops_accounts"

// opsAccounts shows GET /ops/contas.
func (s *server) opsAccounts(c *fiber.Ctx) error {
	after := s.position(c, accountList)
	accounts, err := models.Accounts(s.DB.WithContext(c.UserContext()), after, pageSize+1)
	if err != nil {
		return err
	}
	next := ""
	if len(accounts) > pageSize {
		accounts = accounts[:pageSize]
		last := accounts[pageSize-1]
		next = s.Payments.Cursor(accountList, models.Position{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	shell, err := s.opsShell(c)
	if err != nil {
		return err
	}
	var ids []string
	for _, a := range accounts {
		ids = append(ids, a.ID)
	}
	totals, risks, err := s.standings(c, ids...)
	if err != nil {
		return err
	}
	props := pages.OpsAccountsProps{Shell: shell, Pager: listPager("/ops/contas", after != nil, next)}
	for i := range accounts {
		a := &accounts[i]
		props.Rows = append(props.Rows, pages.OpsAccountRow{
			ID: a.ID, Name: a.Name, Document: taxid.Format(text(a.Document)), State: string(a.ProductionAccess), Switches: switchesOn(a), CreatedAt: a.CreatedAt,
			Volume: totals[a.ID].Volume, Flags: s.flags(c, a, totals[a.ID], risks[a.ID]),
		})
	}
	return render(c, pages.OpsAccounts(props))
}

// standings are what accounts did in the last 30 days and ever, and their risks, by id.
func (s *server) standings(c *fiber.Ctx, ids ...string) (map[string]models.AccountTotals, map[string]models.AccountRisk, error) {
	totals, err := models.TotalsOf(c.UserContext(), s.DB.Pool, s.Now().AddDate(0, 0, -30).Truncate(time.Hour), ids...)
	if err != nil {
		return nil, nil, err
	}
	risks, err := models.AccountRisks(c.UserContext(), s.DB.Pool, ids)
	return totals, risks, err
}

// newAccount is for how long an account counts as new.
const newAccount = 7 * 24 * time.Hour

// flags are the risks of an account in words.
func (s *server) flags(c *fiber.Ctx, a *models.Account, totals models.AccountTotals, risk models.AccountRisk) (flags []string) {
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
	}{{"ops.flag_exceptions", totals.OpenExceptions}, {"ops.flag_document", risk.SharedDocument}, {"ops.flag_destination", risk.SharedDestination}} {
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
func (s *server) anyAccount(c *fiber.Ctx, id string) (*models.Account, error) {
	if !plain(id) {
		return nil, models.ErrNotFound
	}
	return models.AccountByID(s.DB.WithContext(c.UserContext()), id)
}

// accountHead is what staff want to know about an account first.
func (s *server) accountHead(c *fiber.Ctx, id string) (pages.OpsAccountHead, error) {
	account, err := s.anyAccount(c, id)
	if err != nil {
		return pages.OpsAccountHead{}, err
	}
	all, risks, err := s.standings(c, id)
	if err != nil {
		return pages.OpsAccountHead{}, err
	}
	totals := all[id]
	members, err := models.AccountMembers(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return pages.OpsAccountHead{}, err
	}
	return pages.OpsAccountHead{
		ID: id, Name: account.Name, Document: taxid.Format(text(account.Document)), State: string(account.ProductionAccess),
		Switches: switchesOn(account), Flags: s.flags(c, account, totals, risks[id]), CreatedAt: account.CreatedAt,
		Totals: pages.OpsTotals{
			PaidTest: totals.PaidTest, PaidLive: totals.PaidLive, Volume: totals.Volume, Withdrawals: totals.Withdrawals,
			Withdrawn: totals.Withdrawn, OpenExceptions: totals.OpenExceptions,
		},
		Own: slices.ContainsFunc(members, func(m models.AccountMember) bool { return m.UserID == visitor(c).UserID }),
	}, nil
}

// opsAccount shows GET /ops/contas/:id.
func (s *server) opsAccount(c *fiber.Ctx) error {
	return s.showOpsAccount(c, pages.OpsAccountProps{})
}

// showOpsAccount answers with the page of an account; props has what was typed, and what
// is wrong with it.
func (s *server) showOpsAccount(c *fiber.Ctx, props pages.OpsAccountProps) (err error) {
	id := c.Params("id")
	if props.Account, err = s.accountHead(c, id); err != nil {
		return err
	}
	supervises := *visitor(c).StaffRole == models.StaffSupervisor
	props.CanRevoke = supervises && props.Account.State == pages.AccessApproved && !props.Account.Own
	if supervises {
		props.AuditHref = "/ops/auditoria?account=" + id
	}
	for _, fill := range []func(*fiber.Ctx, string, *pages.OpsAccountProps) error{s.fillNotes, s.fillSwitches, s.fillBooks, s.fillPeople, s.fillHistory} {
		if err := fill(c, id, &props); err != nil {
			return err
		}
	}
	if props.Shell, err = s.opsShell(c); err != nil {
		return err
	}
	return render(c, pages.OpsAccount(props))
}

func (s *server) fillNotes(c *fiber.Ctx, id string, props *pages.OpsAccountProps) error {
	notes, err := models.AccountNotes(c.UserContext(), s.DB.Pool, id)
	for _, n := range notes {
		props.Notes = append(props.Notes, pages.OpsEvent{At: n.WrittenAt, Who: n.WriterName, Detail: n.Text})
	}
	return err
}

// opsNote handles POST /ops/contas/:id/notas.
func (s *server) opsNote(c *fiber.Ctx) error {
	note := formText(c, "note")
	err := s.Merchants.NoteAccount(c.UserContext(), staffActor(c), c.Params("id"), note)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showOpsAccount(c, pages.OpsAccountProps{Note: note, Errors: errorsOf(c, "ops_", problems, "note")})
	} else if err != nil {
		return err
	}
	return s.toOps(c, "/ops/contas/"+c.Params("id"), "ops_noted")
}

func (s *server) fillSwitches(c *fiber.Ctx, id string, props *pages.OpsAccountProps) error {
	latest, err := models.LatestSwitchChanges(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return err
	}
	for _, which := range models.Switches {
		row := pages.OpsSwitch{Switch: string(which), On: slices.Contains(props.Account.Switches, string(which))}
		if change, ever := latest[which]; ever {
			row.Since, row.Reason = &change.ChangedAt, change.Reason
		}
		props.Switches = append(props.Switches, row)
	}
	return nil
}

func (s *server) fillBooks(c *fiber.Ctx, id string, props *pages.OpsAccountProps) error {
	for _, live := range []bool{true, false} {
		b, err := s.Payments.Books(c.UserContext(), id, live)
		if err != nil {
			return err
		}
		props.Books = append(props.Books, opsBooks(live, b))
		blocks, err := models.BlockedAmounts(c.UserContext(), s.DB.Pool, id, live, true)
		if err != nil {
			return err
		}
		for _, block := range blocks {
			props.Blocks = append(props.Blocks, pages.OpsBlock{ID: block.ID, Live: live, Amount: block.Amount, Reason: block.Reason, At: block.CreatedAt})
		}
	}
	movements, err := models.Statement(c.UserContext(), s.DB.Pool, id, true, models.StatementFilter{Limit: opsLatest})
	if err != nil {
		return err
	}
	for _, m := range movements {
		props.Movements = append(props.Movements, pages.OpsMovement{At: m.At, Kind: string(m.Kind), Amount: m.Amount, Available: m.Available, LinkedID: m.LinkedID})
	}
	return nil
}

func (s *server) fillPeople(c *fiber.Ctx, id string, props *pages.OpsAccountProps) error {
	members, err := models.AccountMembers(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return err
	}
	for _, m := range members {
		props.Members = append(props.Members, pages.OpsMember{ID: m.UserID, Name: m.Name, Email: m.Email, Role: string(m.Role), Staff: m.Staff})
	}
	return nil
}

func (s *server) fillHistory(c *fiber.Ctx, id string, props *pages.OpsAccountProps) error {
	requests, err := models.AccessRequestsOf(c.UserContext(), s.DB.Pool, id)
	if err != nil {
		return err
	}
	props.Requests = ownItems(s.accessRows(c, requests, false))
	destinations, err := models.Destinations(c.UserContext(), s.DB.Pool, models.DestinationFilter{AccountID: id, Limit: opsLatest})
	if err != nil {
		return err
	}
	props.Destinations = ownItems(s.destinationRows(c, destinations))
	withdrawals, err := models.Withdrawals(c.UserContext(), s.DB.Pool, models.WithdrawalFilter{AccountID: id, Limit: opsLatest})
	if err != nil {
		return err
	}
	props.Withdrawals = ownItems(s.withdrawalRows(c, withdrawals))
	lines, err := models.AuditLines(c.UserContext(), s.DB.Pool, models.AuditFilter{AccountID: id, Limit: opsLatest})
	if err != nil {
		return err
	}
	for _, l := range lines {
		l.AccountName = "" // it is the page's
		props.Acts = append(props.Acts, auditRow(l))
	}
	return nil
}

// opsBlock handles POST /ops/contas/:id/bloqueios.
func (s *server) opsBlock(c *fiber.Ctx) error {
	fields := pages.OpsBlockFields{Env: c.FormValue("env"), Amount: c.FormValue("amount"), Reason: formText(c, "reason")}
	amount, _ := readPrice(fields.Amount) // what is no amount is zero, which is refused
	if _, err := s.anyAccount(c, c.Params("id")); err != nil {
		return err
	}
	_, err := s.Payments.BlockAmount(c.UserContext(), payer(c), c.Params("id"), fields.Env != "test", amount, fields.Reason)
	if field := map[fault.Code]string{
		fault.InvalidAmount: "amount", fault.InsufficientBalance: "amount", fault.ReasonRequired: "reason",
	}[fault.Of(err).Code]; err != nil && field != "" {
		c.Status(fiber.StatusUnprocessableEntity)
		text := i18n.T(c.UserContext(), "problem.ops_"+strings.TrimSuffix(string(fault.Of(err).Code), "_required"))
		return s.showOpsAccount(c, pages.OpsAccountProps{Block: fields, Errors: components.FieldErrors{{Field: field, Text: text}}})
	} else if err != nil {
		return err
	}
	return s.toOps(c, "/ops/contas/"+c.Params("id"), "ops_blocked")
}

// opsUnblock handles POST /ops/contas/:id/bloqueios/:block. A block is released once: who
// comes second learns who was first.
func (s *server) opsUnblock(c *fiber.Ctx) error {
	path := "/ops/contas/" + c.Params("id")
	_, err := s.Payments.UnblockAmount(c.UserContext(), payer(c), c.Params("block"), formText(c, "reason-"+c.Params("block")))
	switch fault.Of(err).Code {
	case fault.WrongState:
		changed, err := s.lastAct(c, c.Params("block"))
		if err != nil {
			return err
		}
		c.Status(fiber.StatusConflict)
		return s.showOpsAccount(c, pages.OpsAccountProps{Changed: changed})
	case fault.ReasonRequired:
		return s.toOps(c, path, "ops_reason_missing")
	}
	if err != nil {
		return err
	}
	return s.toOps(c, path, "ops_unblocked")
}
