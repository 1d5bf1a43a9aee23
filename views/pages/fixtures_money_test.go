package pages_test

import (
	"time"

	"garoupa/views/components"
	"garoupa/views/pages"
)

var (
	pixFacts  = pages.DestinationFacts{Rail: pages.RailPix, Type: "CNPJ", Address: "**.***.678/0001-**", HolderName: "Ateliê Aurora Ltda"}
	usdtFacts = pages.DestinationFacts{Rail: pages.RailUSDT, Type: "TRON", Address: "TR7NHq…jLj6tx", HolderName: "Marina Duarte"}
	quoted    = pages.QuoteFacts{Rate: "5.4321", Amount: "1840.935170", At: now}
)

// movementKinds are models.MovementKind.
var movementKinds = []string{
	"PAYMENT", "FEE", "SETTLEMENT", "ACCEPTANCE", "REFUND", "BLOCK", "RELEASE", "RESERVATION", "RESERVATION_END", "WITHDRAWAL",
	"WITHDRAWAL_FEE", "WITHDRAWAL_RETURNED",
}

var stops = []pages.SwitchNotice{{Switch: "SUSPENDED", Since: now, Reason: "Contrato em revisão."}, {Switch: "WITHDRAWALS_BLOCKED", Since: now, Reason: "Contestações em aberto."}}

func balancePages() []page {
	full := pages.BalanceProps{
		Shell: shell(true), CanWithdraw: true, Balance: pages.Balance{Gross: 1_234_567_89, Fee: 12_345_67, Pending: 4_321_00, Available: 98_765_43, Reserved: 1, Blocked: 2},
		Blocked: []pages.BlockedRow{{Amount: 2, Reason: "Contestação.", Since: now}}, Filter: pages.StatementFilter{Kind: "fees", From: "2026-11-01", Until: "2026-11-30"},
		ThisMonth: pages.StatementFilter{From: "2026-11-01", Until: "2026-11-30"}, LastMonth: pages.StatementFilter{From: "2026-10-01", Until: "2026-10-31"},
		Pager: components.PagerProps{Previous: "/app/saldo", Next: "/app/saldo?cursor=x"},
	}
	for i, kind := range movementKinds {
		row := pages.MovementRow{At: now, Kind: kind, Internal: i%3 == 0, Amount: 1_00, Available: 2_00, Total: 3_00, Reference: "10482"}
		if i%2 == 0 {
			row.Amount, row.Href = -row.Amount, "/app/cobrancas/chk_1"
		}
		full.Movements = append(full.Movements, row)
	}
	wrong := full
	wrong.Movements, wrong.Errors = nil, problem("from")
	return []page{
		{"balance", pages.BalancePage(full)},
		{"balance wrong", pages.BalancePage(wrong)},
		{"balance empty", pages.BalancePage(pages.BalanceProps{Shell: shell(false)})},
		{"balance waiting", pages.BalancePage(pages.BalanceProps{Shell: shell(true), NeedsAccess: true, CanWithdraw: true})},
	}
}

func withdrawal(status string) pages.WithdrawalProps {
	return pages.WithdrawalProps{
		Shell: shell(true), ID: "wdr_0123456789abcdef0123", Status: status, Amount: 1_000_00, Fee: 1_50, Net: 998_50, Destination: pixFacts,
		CreatedAt: now, UpdatedAt: now.Add(time.Hour), RequestedBy: "Marina Duarte",
	}
}

func withdrawalPages() []page {
	var rows []pages.WithdrawalRow
	var all []page
	for i, status := range []string{
		pages.WithdrawalPendingReview, pages.WithdrawalApproved, pages.WithdrawalProcessing, pages.WithdrawalCompleted,
		pages.WithdrawalCancelled, pages.WithdrawalRejected, pages.WithdrawalFailed, pages.WithdrawalReturned,
	} {
		d := []pages.DestinationFacts{pixFacts, usdtFacts}[i%2]
		rows = append(rows, pages.WithdrawalRow{ID: "wdr_0123456789abcdef0123", Status: status, Amount: 1_000_00, Rail: d.Rail, Destination: d.Address, CreatedAt: now})
		p := withdrawal(status)
		p.CanCancel = status == pages.WithdrawalPendingReview
		if i > 0 && i != 4 && i != 5 {
			p.ApprovedAt = hence(time.Minute)
		}
		if status == pages.WithdrawalCompleted || status == pages.WithdrawalReturned {
			p.CompletedAt, p.EndToEndID = hence(time.Hour), "E12345678202611210047a1B2c3D4e5F"
		}
		if status == pages.WithdrawalRejected || status == pages.WithdrawalFailed || status == pages.WithdrawalReturned {
			p.Reason = "O titular da chave é outro."
		}
		all = append(all, page{"withdrawal " + status, pages.Withdrawal(p)})
	}
	usdt := withdrawal(pages.WithdrawalPendingReview)
	usdt.Destination, usdt.Quote, usdt.NewQuote, usdt.RequestedBy, usdt.TxHash = usdtFacts, &quoted, &quoted, "", "0xabc"
	list := pages.WithdrawalsProps{Shell: shell(true), Withdrawals: rows, Status: "review", Pager: components.PagerProps{Next: "?cursor=x"}}
	held := list
	held.Switches, held.Status = stops, ""
	return append(all,
		page{"withdrawal in usdt", pages.Withdrawal(usdt)},
		page{"withdrawals", pages.Withdrawals(list)},
		page{"withdrawals stopped", pages.Withdrawals(held)},
		page{"withdrawals stopped empty", pages.Withdrawals(pages.WithdrawalsProps{Shell: shell(true), Switches: stops})},
		page{"withdrawals empty", pages.Withdrawals(pages.WithdrawalsProps{Shell: shell(true), Available: 98_765_43})},
		page{"withdrawals none", pages.Withdrawals(pages.WithdrawalsProps{Shell: shell(true), Status: "sent"})},
		page{"withdrawals in test", pages.Withdrawals(pages.WithdrawalsProps{Shell: shell(false), Gate: pages.GateTest})},
		page{"withdrawals waiting", pages.Withdrawals(pages.WithdrawalsProps{Shell: shell(true), Gate: pages.GateAccess})},
	)
}

func withdrawPages() []page {
	form := pages.NewWithdrawalProps{
		Shell: shell(true), Key: "K3Y", Destinations: []pages.DestinationFacts{pixFacts, usdtFacts}, Rail: pages.RailUSDT,
		Available: 98_765_43, Everything: "98.765,43", Min: 5_00, Max: 100_000_00,
	}
	wrong := form
	wrong.Amount, wrong.Everything, wrong.Errors = "abc", "", problem("rail", "amount", "")
	review := pages.ReviewWithdrawalProps{
		Shell: shell(true), Key: "K3Y", AmountTyped: "1.000", Amount: 1_000_00, Fee: 1_50, Net: 998_50, DestinationID: "dst_1", Destination: pixFacts,
	}
	usdt := review
	usdt.Destination, usdt.Quote, usdt.RateSeen, usdt.Changed = usdtFacts, &quoted, "543210000", true
	usdt.Destination.Address = "TJYeasTPa8w1GJx9pZhtMhp2hFiVrGCNgV"
	requested := pages.WithdrawalRequestedProps{Shell: shell(true), ID: "wdr_1", Amount: 1_000_00, Net: 998_50, Destination: pixFacts, CreatedAt: now}
	inUSDT := requested
	inUSDT.Destination, inUSDT.Quote = usdtFacts, &quoted
	task := func(id, state string) pages.ReadinessTask { return pages.ReadinessTask{ID: id, State: state} }
	held, refused := task(pages.TaskHold, pages.TaskWaiting), task(pages.TaskDestination, pages.TaskTodo)
	held.UsableAt, refused.Reason = hence(time.Hour), "O titular é outro."
	return []page{
		{"withdraw", pages.NewWithdrawal(form)},
		{"withdraw wrong", pages.NewWithdrawal(wrong)},
		{"withdraw in test", pages.NewWithdrawal(pages.NewWithdrawalProps{Shell: shell(false), Gate: pages.GateTest})},
		{"withdraw stopped", pages.NewWithdrawal(pages.NewWithdrawalProps{Shell: shell(true), Switches: stops})},
		{"readiness first", pages.Readiness(pages.ReadinessProps{Shell: shell(true), Tasks: []pages.ReadinessTask{
			task(pages.TaskAccess, pages.TaskTodo), task(pages.TaskDestination, pages.TaskTodo), task(pages.TaskHold, pages.TaskBlocked)}})},
		{"readiness waiting", pages.Readiness(pages.ReadinessProps{Shell: shell(true), Tasks: []pages.ReadinessTask{
			task(pages.TaskAccess, pages.TaskWaiting), task(pages.TaskDestination, pages.TaskWaiting), task(pages.TaskHold, pages.TaskBlocked)}})},
		{"readiness refused", pages.Readiness(pages.ReadinessProps{Shell: shell(true), Tasks: []pages.ReadinessTask{
			task(pages.TaskAccess, pages.TaskDone), refused, task(pages.TaskHold, pages.TaskBlocked)}})},
		{"readiness held", pages.Readiness(pages.ReadinessProps{Shell: shell(true), Tasks: []pages.ReadinessTask{
			task(pages.TaskAccess, pages.TaskDone), task(pages.TaskDestination, pages.TaskDone), held}})},
		{"review", pages.ReviewWithdrawal(review)},
		{"review in usdt", pages.ReviewWithdrawal(usdt)},
		{"requested", pages.WithdrawalRequested(requested)},
		{"requested in usdt", pages.WithdrawalRequested(inUSDT)},
	}
}

func destinationPages() []page {
	list := pages.DestinationsProps{Shell: shell(true), Hold: 24 * time.Hour}
	for _, state := range []string{
		pages.DestinationReview, pages.DestinationHeld, pages.DestinationActive, pages.DestinationRejected, pages.DestinationReplaced, pages.DestinationRemoved,
	} {
		for _, d := range []pages.DestinationFacts{pixFacts, usdtFacts} {
			row := pages.DestinationRow{DestinationFacts: d, ID: "dst_" + state + d.Rail, State: state, CreatedAt: now, CanRemove: state == pages.DestinationReview}
			if d == pixFacts {
				row.UsableAt, row.Until, row.Reason = hence(time.Hour), hence(time.Hour), "O titular é outro."
			}
			list.Destinations = append(list.Destinations, row)
		}
	}
	all := []page{
		{"destinations", pages.Destinations(list)},
		{"destinations empty", pages.Destinations(pages.DestinationsProps{Shell: shell(true), Hold: time.Hour})},
		{"destinations in test", pages.Destinations(pages.DestinationsProps{Shell: shell(false), Gate: pages.GateTest})},
		{"new destination in test", pages.NewDestination(pages.NewDestinationProps{Shell: shell(false), Gate: pages.GateTest})},
	}
	for _, rail := range []string{pages.RailPix, pages.RailUSDT} {
		form := pages.NewDestinationProps{Shell: shell(true), Rail: rail, Hold: 24 * time.Hour}
		wrong, waiting := form, form
		wrong.Type, wrong.Address, wrong.HolderName, wrong.Unchecked, wrong.Replaces = "POLYGON", "x", "y", true, pixFacts.Address
		wrong.Errors = problem("type", "address", "holderName")
		waiting.InReview = pixFacts.Address
		all = append(all, page{"new destination " + rail, pages.NewDestination(form)}, page{"new destination wrong " + rail, pages.NewDestination(wrong)},
			page{"new destination waiting " + rail, pages.NewDestination(waiting)})
	}
	return all
}
