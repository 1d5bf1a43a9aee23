package paymentstest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/pix/psp/simulator"
	"garoupa/quote"
)

// GoLive gives the merchant production access, and live the simulator as its
// institution.
func (g *Gateway) GoLive(t testing.TB) {
	t.Helper()
	g.Approve(t)
	g.Service.Live = g.Simulator
}

// Staff adds a person of the installation's staff.
func (g *Gateway) Staff(t testing.TB) payments.Actor {
	t.Helper()
	email := strings.ToLower(rand.Text()) + "@staff.example"
	id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Rita", Email: email, Password: Password, Role: models.StaffReviewer})
	if err != nil {
		t.Fatal(err)
	}
	return payments.Actor{UserID: id, IP: "127.0.0.1"}
}

// Member is the merchant's owner as the operations on money know them.
func (g *Gateway) Member() payments.Actor {
	return payments.Actor{UserID: g.Owner.UserID, IP: g.Owner.IP}
}

// Fund gives the merchant so much available money in the environment, by a checkout
// that is paid and settled without a fee.
func (g *Gateway) Fund(t testing.TB, livemode bool, amount money.Cents) *models.Checkout {
	t.Helper()
	if err := g.DB.Exec("UPDATE accounts SET fee_basis_points = 0, fee_fixed = 0").Error; err != nil {
		t.Fatal(err)
	}
	scope := g.Test
	if livemode {
		scope = g.Live
	}
	c, _, err := g.CreateCheckout(t.Context(), scope, g.Account, Filled(payments.NewCheckout{Amount: amount}))
	if err == nil {
		err = g.ConfirmPayment(t.Context(), livemode, simulator.Pay(c.TxID, int64(amount), g.Clock.Now()))
	}
	g.Clock.Advance(SettlementDelay)
	if err == nil {
		_, err = g.SettleDue(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Destination gives the merchant an approved destination of the rail whose hold is
// over.
func (g *Gateway) Destination(t testing.TB, rail models.Rail) *models.Destination {
	t.Helper()
	in := payments.NewDestination{Rail: rail, Type: "CNPJ", Address: "12ABC34501DE35", HolderName: "Ateliê Aurora Ltda"}
	if rail == models.RailUSDT {
		in.Type, in.Address = "TRON", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"
	}
	d, err := g.RequestDestination(t.Context(), g.Member(), g.Account.ID, in)
	if err == nil {
		err = g.ApproveDestination(t.Context(), g.Staff(t), d.ID, d.Version)
	}
	g.Clock.Advance(Policy.Hold)
	if err == nil {
		d, err = models.DestinationByID(t.Context(), g.DB.Pool, g.Account.ID, d.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Sell opens a place that sells USDT at the price and no other.
func (g *Gateway) Sell(t testing.TB, price string) {
	t.Helper()
	g.SellAt(t, func() string { return price })
}

// SellAt is Sell at a price that changes, in BRL; "" is out of order.
func (g *Gateway) SellAt(t testing.TB, price func() string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"price":%q,"at":%q}`, price(), g.Clock.Now().Format(time.RFC3339))
	}))
	t.Cleanup(server.Close)
	sources, err := quote.ParseSources("plain=" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	g.Service.Quotes = quote.New(sources, g.Clock.Now)
}

// Withdraw requests a withdrawal by Pix under a key of its own.
func (g *Gateway) Withdraw(t testing.TB, amount money.Cents) *models.Withdrawal {
	t.Helper()
	w, _, err := g.RequestWithdrawal(t.Context(), g.Account, Withdrawal(models.RailPix, amount))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// PayOut does what a member of staff does to a withdrawal in review that goes well.
func (g *Gateway) PayOut(t testing.TB, by payments.Actor, id string) {
	t.Helper()
	look, err := models.AccountWithdrawalByID(t.Context(), g.DB.Pool, id)
	if err == nil {
		_, err = g.ApproveWithdrawal(t.Context(), by, id, look.Version)
	}
	if err == nil {
		_, err = g.StartPayout(t.Context(), by, id)
	}
	if err == nil {
		_, err = g.CompleteWithdrawal(t.Context(), by, id, payments.Proof{EndToEndID: "E" + id[4:], TxHash: strings.Repeat("0", 44) + id[4:]})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Withdrawal is a request for one, under a key of its own.
func Withdrawal(rail models.Rail, amount money.Cents) payments.NewWithdrawal {
	return payments.NewWithdrawal{
		Rail: rail, Amount: amount, By: payments.Actor{UserID: "key_00000000000000000000"},
		IdempotencyKey: rand.Text(), RequestHash: []byte(strings.Repeat("h", 32)),
	}
}

// GiveRole makes the person of New a member with another role, or none for "".
// Somebody else owns the account then, as somebody always does.
func (g *Gateway) GiveRole(t testing.TB, role models.Role) {
	t.Helper()
	const other = "usr_00000000000000000000"
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		for _, statement := range []string{
			"DELETE FROM members WHERE account_id = @account",
			"INSERT INTO members (account_id, user_id, role) SELECT @account, @user, @role WHERE @role <> ''",
			`INSERT INTO users (id, email, name, password_hash) SELECT @other, 'somebody@example.com', 'Somebody', ''
				WHERE @role <> 'OWNER' ON CONFLICT DO NOTHING`,
			"INSERT INTO members (account_id, user_id, role) SELECT @account, @other, 'OWNER' WHERE @role <> 'OWNER'",
		} {
			err := tx.Exec(statement, map[string]any{"account": g.Account.ID, "user": g.Owner.UserID, "role": string(role), "other": other}).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
