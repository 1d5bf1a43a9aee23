package paymentstest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
	"garoupa/internal/usdt/quote"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/pix/psp/simulator"
)

// Reason is a valid reason by staff, for tests that do not check it.
const Reason = "Combinado com o lojista."

// GoLive gives the merchant production access, and makes the simulator the institution of
// live.
func (g *Gateway) GoLive(t testing.TB) {
	t.Helper()
	g.Approve(t)
	g.Service.Live = g.Simulator
}

// Staff adds a member of the installation's staff.
func (g *Gateway) Staff(t testing.TB) models.Actor {
	t.Helper()
	email := strings.ToLower(rand.Text()) + "@staff.example"
	id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Rita", Email: email, Password: Password,
		Role: models.StaffReviewer})
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: id, IP: "127.0.0.1"}
}

// SetFee changes the installation's fee for charges created from now on.
func (g *Gateway) SetFee(t testing.TB, fee money.Fee) {
	t.Helper()
	if err := models.SetDefaultFee(t.Context(), g.DB, fee, g.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

// SetWithdrawalFee gives the merchant a fee of its own on withdrawals requested from now on, and
// the installation's fee on charges.
func (g *Gateway) SetWithdrawalFee(t testing.TB, fee money.Fee) {
	t.Helper()
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertAccountFee(tx, models.AccountFee{
			AccountID: g.Account.ID, WithdrawalFee: &fee, ValidFrom: g.Clock.Now(), WrittenAt: g.Clock.Now(),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// SetLimits sets the merchant's limits from now on.
func (g *Gateway) SetLimits(t testing.TB, limits models.Limits) {
	t.Helper()
	now, reason := g.Clock.Now(), "Combinado no contrato."
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertAccountLimits(tx, models.AccountLimits{
			AccountID: g.Account.ID, Limits: limits, ValidFrom: now, Reason: &reason,
			WrittenBy: &g.Owner.UserID, WrittenAt: now,
		})
	})
	if err == nil {
		g.Account, err = models.AccountByID(t.Context(), g.DB, g.Account.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// LiftLimits lets the merchant charge any amount that fits into a Pix code.
func (g *Gateway) LiftLimits(t testing.TB) {
	t.Helper()
	most := money.Cents(9_999_999_999_99)
	g.SetLimits(t, models.Limits{MaxAmount: &most})
}

// Fund gives the merchant an amount of available money in the environment, by a checkout that
// is paid and settled without a fee.
func (g *Gateway) Fund(t testing.TB, environment models.Environment, amount money.Cents) *models.Checkout {
	t.Helper()
	g.SetFee(t, money.Fee{})
	scope := g.Test
	if environment == models.Live {
		scope = g.Live
	}
	c, _, err := g.CreateCheckout(t.Context(), scope, g.Account, Filled(payments.NewCheckout{Amount: amount}))
	if err == nil {
		err = g.ConfirmPayment(t.Context(), environment, simulator.Pay(c.TxID, int64(amount), g.Clock.Now()))
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

// Destination gives the merchant an approved destination of the rail whose hold is over.
func (g *Gateway) Destination(t testing.TB, rail models.Rail) *models.Destination {
	t.Helper()
	in := payments.NewDestination{Rail: rail, Type: "CNPJ", Address: "12ABC34501DE35", HolderName: "Ateliê Aurora Ltda"}
	if rail == models.RailUSDT {
		in.Type, in.Address = "TRON", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"
	}
	d, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, in)
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

// Sell starts an exchange that sells USDT at the price, and makes it the only one.
func (g *Gateway) Sell(t testing.TB, price string) {
	t.Helper()
	g.SellAt(t, func() string { return price })
}

// SellAt is Sell at a price in BRL that changes; "" makes the exchange fail.
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

// Withdraw requests a withdrawal by Pix with a new idempotency key.
func (g *Gateway) Withdraw(t testing.TB, amount money.Cents) *models.Withdrawal {
	t.Helper()
	w, _, err := g.RequestWithdrawal(t.Context(), g.Account, Withdrawal(models.RailPix, amount))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// PayOut approves, starts and completes a withdrawal in review, as a member of staff.
func (g *Gateway) PayOut(t testing.TB, by models.Actor, id string) {
	t.Helper()
	w, err := g.ApproveWithdrawal(t.Context(), by, id, g.Version(t, id))
	if err == nil {
		w, err = g.StartPayout(t.Context(), by, id, w.Version)
	}
	if err == nil {
		_, err = g.CompleteWithdrawal(t.Context(), by, id, w.Version, payments.Proof{
			EndToEndID: "E" + id[4:],
			TxHash:     strings.Repeat("0", 44) + id[4:],
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Version returns the current version of a withdrawal.
func (g *Gateway) Version(t testing.TB, id string) int {
	t.Helper()
	w, err := models.AccountWithdrawalByID(t.Context(), g.DB.Pool, id)
	if err != nil {
		t.Fatal(err)
	}
	return w.Version
}

// Withdrawal returns a request for a withdrawal with a new idempotency key.
func Withdrawal(rail models.Rail, amount money.Cents) payments.NewWithdrawal {
	return payments.NewWithdrawal{
		Rail: rail, Amount: amount, By: models.Actor{KeyID: "key_00000000000000000000"},
		IdempotencyKey: rand.Text(), RequestHash: []byte(strings.Repeat("h", 32)),
	}
}

// GiveRole changes the role of the person of New in the account; "" removes the person.
// Another person becomes the owner, because every account has one.
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
			if _, err := tx.Exec(statement, pgx.NamedArgs{"account": g.Account.ID, "user": g.Owner.UserID,
				"role": string(role), "other": other}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
