package pages_test

import (
	"time"

	"garoupa/views/components"
	"garoupa/views/pages/dashboard"
)

func customerRows() []dashboard.CustomerRow {
	paid := now.Add(-time.Hour)
	return []dashboard.CustomerRow{
		{ID: "cus_1", Name: "Ana Souza", Email: "ana@loja.test", Document: "529.982.247-25", Charges: 1000,
			More: true, PaidAmount: 124990, LastPaid: &paid},
		{ID: "cus_2", Email: "bia@loja.test", Charges: 1},
		{ID: "cus_3", Charges: 2},
	}
}

func customerPages() []page {
	return []page{
		{"customers", dashboard.Customers(dashboard.CustomersProps{Shell: shell(true), Customers: customerRows(),
			CanExport: true, Pager: components.PagerProps{Next: "?cursor=x"}})},
		{"customers none", dashboard.Customers(dashboard.CustomersProps{Shell: shell(true), Text: "ana"})},
		{"customers empty", dashboard.Customers(dashboard.CustomersProps{Shell: shell(true)})},
		{"customer", dashboard.Customer(dashboard.CustomerProps{Shell: shell(true), CustomerRow: customerRows()[0],
			Paid: 2, CanSell: true, Buyer: "ana@loja.test", History: checkoutRows(),
			Open:  []dashboard.OpenCharge{{CheckoutRow: checkoutRows()[0], URL: "https://pix.loja.test/pay/chk_1"}},
			Links: []dashboard.CustomerLink{{ID: "plink_1", Product: "Vaso", Paid: 1, Amount: 3}},
			Refunds: []dashboard.CustomerRefund{
				{CheckoutID: "chk_2", RefundRow: dashboard.RefundRow{Status: "FAILED", Failure: "x", Amount: 3,
					CreatedAt: now}},
				{CheckoutID: "chk_2", RefundRow: dashboard.RefundRow{Status: "COMPLETED", Amount: 3,
					CreatedAt: now}}}})},
		{"customer who never paid", dashboard.Customer(dashboard.CustomerProps{Shell: shell(true),
			CustomerRow: customerRows()[1], History: checkoutRows()[:1]})},
	}
}
