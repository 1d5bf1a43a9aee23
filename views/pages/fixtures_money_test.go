package pages_test

import (
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/pages"
	"garoupa/views/pages/dashboard"
)

var (
	pixFacts = dashboard.DestinationFacts{Rail: dashboard.RailPix, Type: "CNPJ", Address: "**.***.678/0001-**",
		HolderName: "Ateliê Aurora Ltda"}
	usdtFacts = dashboard.DestinationFacts{Rail: dashboard.RailUSDT, Type: "TRON", Address: "TR7NHq…jLj6tx",
		HolderName: "Marina Duarte"}
	quoted = dashboard.QuoteFacts{Rate: "5.4321", Amount: "1840.935170", At: now}
)

// movementKinds are models.MovementKind.
var movementKinds = []string{
	"PAYMENT", "FEE", "SETTLEMENT", "ACCEPTANCE", "REFUND", "BLOCK", "RELEASE", "RESERVATION", "RESERVATION_END",
	"WITHDRAWAL",
	"WITHDRAWAL_FEE", "WITHDRAWAL_RETURNED", "REFUND_UNDONE",
}

var stops = []dashboard.SwitchNotice{{Switch: "SUSPENDED", Since: now, Reason: "Contrato em revisão."},
	{Switch: "WITHDRAWALS_BLOCKED", Since: now, Reason: "Contestações em aberto."}}

func balancePages() []page {
	full := dashboard.BalanceProps{
		Shell: shell(true), CanWithdraw: true, Balance: dashboard.Balance{Gross: 1_234_567_89, Fee: 12_345_67,
			Pending: 4_321_00, Available: 98_765_43, Reserved: 1, Blocked: 2},
		Blocked: []dashboard.BlockedRow{{Amount: 2, Reason: "Contestação.", Since: now}},
		Filter:  dashboard.StatementFilter{Kind: "fees", From: "2026-11-01", Until: "2026-11-30"},
		Periods: []dashboard.Period{{Key: dashboard.PeriodAll},
			{Key: dashboard.PeriodMonth, From: "2026-11-01", Until: "2026-11-30"},
			{Key: dashboard.PeriodLastMonth, From: "2026-10-01", Until: "2026-10-31"}},
		Pager: components.PagerProps{Previous: "/app/saldo", Next: "/app/saldo?cursor=x"},
	}
	for i, kind := range movementKinds {
		row := dashboard.MovementRow{At: now, Kind: kind, Internal: i%3 == 0, Amount: 1_00, Available: 2_00,
			Total: 3_00, Reference: "10482"}
		if i%2 == 0 {
			row.Amount, row.Href = -row.Amount, "/app/cobrancas/chk_1"
		}
		full.Movements = append(full.Movements, row)
	}
	for i := range 9 {
		full.Releases.Days = append(full.Releases.Days, dashboard.ReleaseRow{Day: now.AddDate(0, 0, i), Count: i + 1,
			Gross: 100_00, Fee: 1_59, Refunded: money.Cents(i), Net: 98_41})
	}
	full.Releases.Rest, full.Releases.Uncovered, full.Releases.UncoveredMany = 1_00, 2_00, 1
	wrong := full
	wrong.Movements, wrong.Errors = nil, problem("from")
	wrong.Releases = dashboard.Releases{UncoveredMany: 10_000, UncoveredMore: true}
	return []page{
		{"balance", dashboard.BalancePage(full)},
		{"balance wrong", dashboard.BalancePage(wrong)},
		{"balance empty", dashboard.BalancePage(dashboard.BalanceProps{Shell: shell(false)})},
		{"balance waiting",
			dashboard.BalancePage(dashboard.BalanceProps{Shell: shell(true), NeedsAccess: true, CanWithdraw: true})},
	}
}

func salePages() []page {
	sold := dashboard.SaleRow{ID: "chk_1", Title: "Bia Souza", Order: "10482", PaidAt: now, Gross: 100_00, Fee: 1_59,
		Net: 98_41, Settlement: "PENDING", FreeAt: hence(time.Hour)}
	for i, kind := range movementKinds {
		sold.Movements = append(sold.Movements, dashboard.SaleMovement{At: now, Kind: kind, Internal: i%3 == 0,
			Amount: money.Cents(i - 3)})
	}
	back, free, out, own, old := sold, sold, sold, sold, sold
	back.Refunded, back.Net = 30_00, 68_41
	free.Settlement, out.Settlement, own.Own, old.FreeAt = "AVAILABLE", "COMPLETED", true, nil
	out.FreeAt = hence(-400 * 24 * time.Hour)
	full := dashboard.SalesProps{
		Shell: shell(true), Filter: dashboard.SaleFilter{From: "2026-11-01", Until: "2026-11-30"},
		Periods: []dashboard.Period{{Key: dashboard.PeriodAll},
			{Key: dashboard.PeriodMonth, From: "2026-11-01", Until: "2026-11-30"}},
		Sum:   &dashboard.SaleSum{Count: 6, Gross: 600_00, Fee: 9_54, Refunded: 30_00, Net: 560_46},
		Sales: []dashboard.SaleRow{sold, back, free, out, own, old},
		Pager: components.PagerProps{Next: "/app/saldo/vendas?cursor=x"},
	}
	many, wrong, none := full, full, full
	many.Sum = &dashboard.SaleSum{Count: 10_000, More: true}
	wrong.Sales, wrong.Errors = nil, problem("from")
	none.Sales = nil
	return []page{
		{"sales", dashboard.Sales(full)},
		{"sales many", dashboard.Sales(many)},
		{"sales wrong", dashboard.Sales(wrong)},
		{"sales none", dashboard.Sales(none)},
		{"sales empty", dashboard.Sales(dashboard.SalesProps{Shell: shell(false)})},
		{"sales waiting", dashboard.Sales(dashboard.SalesProps{Shell: shell(true), NeedsAccess: true})},
	}
}

func withdrawal(status string) dashboard.WithdrawalProps {
	return dashboard.WithdrawalProps{
		Shell: shell(true), ID: "wdr_0123456789abcdef0123", Status: status, Amount: 1_000_00, Fee: 1_50, Net: 998_50,
		Destination: pixFacts,
		CreatedAt:   now, UpdatedAt: now.Add(time.Hour), RequestedBy: "Marina Duarte",
	}
}

func withdrawalPages() []page {
	var rows []dashboard.WithdrawalRow
	var all []page
	for i, status := range []string{
		pages.WithdrawalPendingReview, pages.WithdrawalApproved, pages.WithdrawalProcessing, pages.WithdrawalCompleted,
		pages.WithdrawalCancelled, pages.WithdrawalRejected, pages.WithdrawalFailed, pages.WithdrawalReturned,
	} {
		d := []dashboard.DestinationFacts{pixFacts, usdtFacts}[i%2]
		rows = append(rows, dashboard.WithdrawalRow{ID: "wdr_0123456789abcdef0123", Status: status, Amount: 1_000_00,
			Rail: d.Rail, Destination: d.Address, CreatedAt: now})
		p := withdrawal(status)
		p.CanCancel = status == pages.WithdrawalPendingReview
		if i > 0 && i != 4 && i != 5 {
			p.ApprovedAt = hence(time.Minute)
		}
		if status == pages.WithdrawalCompleted || status == pages.WithdrawalReturned {
			p.CompletedAt, p.EndToEndID = hence(time.Hour), "E12345678202611210047a1B2c3D4e5F"
		}
		if status == pages.WithdrawalRejected || status == pages.WithdrawalFailed ||
			status == pages.WithdrawalReturned {
			p.Reason = "O titular da chave é outro."
		}
		all = append(all, page{"withdrawal " + status, dashboard.Withdrawal(p)})
	}
	usdt := withdrawal(pages.WithdrawalPendingReview)
	usdt.Destination, usdt.Quote, usdt.NewQuote = usdtFacts, &quoted, &quoted
	usdt.RequestedBy, usdt.TxHash = "", "0xabc"
	list := dashboard.WithdrawalsProps{Shell: shell(true), Withdrawals: rows, Status: "review",
		Pager: components.PagerProps{Next: "?cursor=x"}}
	held := list
	held.Switches, held.Status = stops, ""
	parts := withdrawal(pages.WithdrawalCompleted)
	parts.ApprovedAt, parts.CompletedAt = hence(time.Minute), hence(time.Hour)
	parts.Returns = []dashboard.ReturnedPart{{Amount: 200_00, At: now}, {Amount: 1_00, At: now}}
	return append(all,
		page{"withdrawal back in part", dashboard.Withdrawal(parts)},
		page{"withdrawal in usdt", dashboard.Withdrawal(usdt)},
		page{"withdrawals", dashboard.Withdrawals(list)},
		page{"withdrawals stopped", dashboard.Withdrawals(held)},
		page{"withdrawals stopped empty",
			dashboard.Withdrawals(dashboard.WithdrawalsProps{Shell: shell(true), Switches: stops})},
		page{"withdrawals empty",
			dashboard.Withdrawals(dashboard.WithdrawalsProps{Shell: shell(true), Available: 98_765_43})},
		page{"withdrawals none", dashboard.Withdrawals(dashboard.WithdrawalsProps{Shell: shell(true), Status: "sent"})},
		page{"withdrawals in test",
			dashboard.Withdrawals(dashboard.WithdrawalsProps{Shell: shell(false), Gate: dashboard.GateTest})},
		page{"withdrawals waiting",
			dashboard.Withdrawals(dashboard.WithdrawalsProps{Shell: shell(true), Gate: dashboard.GateAccess})},
	)
}

func withdrawPages() []page {
	form := dashboard.NewWithdrawalProps{
		Shell: shell(true), Key: "K3Y", Destinations: []dashboard.DestinationFacts{pixFacts, usdtFacts},
		Rail:      dashboard.RailUSDT,
		Available: 98_765_43, Everything: "98.765,43", Min: 5_00, Max: 100_000_00,
	}
	wrong := form
	wrong.Amount, wrong.Everything, wrong.Errors = "abc", "", problem("rail", "amount", "")
	review := dashboard.ReviewWithdrawalProps{
		Shell: shell(true), Key: "K3Y", AmountTyped: "1.000", Amount: 1_000_00, Fee: 1_50, Net: 998_50,
		DestinationID: "dst_1", Destination: pixFacts,
	}
	usdt := review
	usdt.Destination, usdt.Quote, usdt.RateSeen, usdt.Changed = usdtFacts, &quoted, "543210000", true
	usdt.Destination.Address = "TJYeasTPa8w1GJx9pZhtMhp2hFiVrGCNgV"
	requested := dashboard.WithdrawalRequestedProps{Shell: shell(true), ID: "wdr_1", Amount: 1_000_00, Net: 998_50,
		Destination: pixFacts, CreatedAt: now}
	inUSDT := requested
	inUSDT.Destination, inUSDT.Quote = usdtFacts, &quoted
	task := func(id, state string) dashboard.ReadinessTask { return dashboard.ReadinessTask{ID: id, State: state} }
	held, refused := task(dashboard.TaskHold, dashboard.TaskWaiting),
		task(dashboard.TaskDestination, dashboard.TaskTodo)
	held.UsableAt, refused.Reason = hence(time.Hour), "O titular é outro."
	return []page{
		{"withdraw", dashboard.NewWithdrawal(form)},
		{"withdraw wrong", dashboard.NewWithdrawal(wrong)},
		{"withdraw in test",
			dashboard.NewWithdrawal(dashboard.NewWithdrawalProps{Shell: shell(false), Gate: dashboard.GateApproved})},
		{"withdraw stopped",
			dashboard.NewWithdrawal(dashboard.NewWithdrawalProps{Shell: shell(true), Switches: stops})},
		{"readiness first",
			dashboard.Readiness(dashboard.ReadinessProps{Shell: shell(true), Tasks: []dashboard.ReadinessTask{
				task(dashboard.TaskAccess, dashboard.TaskTodo), task(dashboard.TaskDestination, dashboard.TaskTodo),
				task(dashboard.TaskHold, dashboard.TaskBlocked)}})},
		{"readiness waiting",
			dashboard.Readiness(dashboard.ReadinessProps{Shell: shell(true), Tasks: []dashboard.ReadinessTask{
				task(dashboard.TaskAccess, dashboard.TaskWaiting),
				task(dashboard.TaskDestination, dashboard.TaskWaiting),
				task(dashboard.TaskHold, dashboard.TaskBlocked)}})},
		{"readiness refused",
			dashboard.Readiness(dashboard.ReadinessProps{Shell: shell(true), Tasks: []dashboard.ReadinessTask{
				task(dashboard.TaskAccess, dashboard.TaskDone), refused,
				task(dashboard.TaskHold, dashboard.TaskBlocked)}})},
		{"readiness held",
			dashboard.Readiness(dashboard.ReadinessProps{Shell: shell(true), Tasks: []dashboard.ReadinessTask{
				task(dashboard.TaskAccess, dashboard.TaskDone), task(dashboard.TaskDestination, dashboard.TaskDone),
				held}})},
		{"review", dashboard.ReviewWithdrawal(review)},
		{"review in usdt", dashboard.ReviewWithdrawal(usdt)},
		{"requested", dashboard.WithdrawalRequested(requested)},
		{"requested in usdt", dashboard.WithdrawalRequested(inUSDT)},
	}
}

func destinationPages() []page {
	list := dashboard.DestinationsProps{Shell: shell(true), Hold: 24 * time.Hour}
	for _, state := range []string{
		pages.DestinationReview, pages.DestinationHeld, pages.DestinationActive, pages.DestinationRejected,
		pages.DestinationReplaced, pages.DestinationRemoved,
	} {
		for _, d := range []dashboard.DestinationFacts{pixFacts, usdtFacts} {
			row := dashboard.DestinationRow{DestinationFacts: d, ID: "dst_" + state + d.Rail, State: state,
				CreatedAt: now, CanRemove: state == pages.DestinationReview}
			if d == pixFacts {
				row.UsableAt, row.Until, row.Reason = hence(time.Hour), hence(time.Hour), "O titular é outro."
			}
			list.Destinations = append(list.Destinations, row)
		}
	}
	all := []page{
		{"destinations", dashboard.Destinations(list)},
		{"destinations empty",
			dashboard.Destinations(dashboard.DestinationsProps{Shell: shell(true), Hold: time.Hour})},
		{"destinations in test",
			dashboard.Destinations(dashboard.DestinationsProps{Shell: shell(false), Gate: dashboard.GateTest})},
		{"new destination in test",
			dashboard.NewDestination(dashboard.NewDestinationProps{Shell: shell(false), Gate: dashboard.GateTest})},
	}
	for _, rail := range []string{dashboard.RailPix, dashboard.RailUSDT} {
		form := dashboard.NewDestinationProps{Shell: shell(true), Rail: rail, Hold: 24 * time.Hour}
		wrong, waiting := form, form
		wrong.Type, wrong.Address, wrong.HolderName = "POLYGON", "x", "y"
		wrong.Unchecked, wrong.Replaces = true, pixFacts.Address
		wrong.Errors = problem("type", "address", "holderName")
		waiting.InReview = pixFacts.Address
		all = append(all, page{"new destination " + rail, dashboard.NewDestination(form)},
			page{"new destination wrong " + rail, dashboard.NewDestination(wrong)},
			page{"new destination waiting " + rail, dashboard.NewDestination(waiting)})
	}
	return all
}
