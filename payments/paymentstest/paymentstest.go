// Package paymentstest builds a working gateway for tests: a separate database, a merchant
// with a project, the simulator as institution, and a clock that the test moves.
package paymentstest

import (
	"cmp"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/auth/vault"
	"garoupa/internal/faulttest"
	"garoupa/internal/usdt/quote"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

// CheckoutURL is the URL of the gateway's hosted pages.
const CheckoutURL = "https://pay.example"

// SettlementDelay is the gateway's settlement delay in both environments.
const SettlementDelay = 10 * time.Second

// Policy is the gateway's policy for withdrawals.
var Policy = payments.WithdrawalPolicy{Min: 5_00, Max: 50_000_00, DailyMax: 200_000_00, FourEyes: 10_000_00,
	Hold: 24 * time.Hour}

// Password is the password of the account's owner.
const Password = "correct horse battery"

// Gateway contains the services over one database, with a merchant that has signed up.
type Gateway struct {
	*payments.Service
	Merchants *merchants.Service
	Vault     *vault.Vault
	Clock     *Clock
	Account   *models.Account
	Test      models.Scope // the merchant's project
	Live      models.Scope
	Owner     models.Actor
	Email     string       // email address of the owner
	Woken     atomic.Int64 // number of calls of Wake
	gate      sync.Once    // of Race
}

// New returns a gateway over a fresh database. Live has no institution.
func New(t testing.TB) *Gateway { return NewWith(t, psp.None{}) }

// NewWith is New with an institution for live.
func NewWith(t testing.TB, live psp.Provider) *Gateway {
	t.Helper()
	return newOn(t, modelstest.NewDB(t), live)
}

// NewBehind is New with a network to the database that the test can break.
func NewBehind(t testing.TB) (*Gateway, *faulttest.Proxy) {
	t.Helper()
	proxy := faulttest.NewProxy(t, modelstest.NewURL(t))
	db, err := models.Open(t.Context(), proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return newOn(t, db, psp.None{}), proxy
}

// NewOn is New over a database of the caller's. If an earlier gateway signed its merchant up there, it has that one.
func NewOn(t testing.TB, db *models.DB) *Gateway {
	t.Helper()
	g := newGateway(t, db, psp.None{})
	if !g.find(t) {
		g.signUp(t)
	}
	return g
}

func newOn(t testing.TB, db *models.DB, live psp.Provider) *Gateway {
	t.Helper()
	g := newGateway(t, db, live)
	g.signUp(t)
	return g
}

// newGateway returns a gateway without a merchant.
func newGateway(t testing.TB, db *models.DB, live psp.Provider) *Gateway {
	t.Helper()
	v, err := vault.New([]byte(strings.Repeat("k", vault.MinKeyLength)))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := simulator.New("pay.example")
	if err != nil {
		t.Fatal(err)
	}
	g := &Gateway{Vault: v, Clock: &Clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, Email: "ana@example.com"}
	g.serve(db, sim, live)
	return g
}

// Merchant returns the same gateway with another merchant, whose owner has the email address.
func (g *Gateway) Merchant(t testing.TB, email string) *Gateway {
	t.Helper()
	other := &Gateway{Service: g.Service, Merchants: g.Merchants, Vault: g.Vault, Clock: g.Clock, Email: email}
	other.signUp(t)
	return other
}

// signUp signs the gateway's merchant up.
func (g *Gateway) signUp(t testing.TB) {
	t.Helper()
	m, err := g.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Ana Lima", Business: "Ateliê Aurora", Email: g.Email, Password: Password, Verified: true,
	}, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	g.belong(t, m.AccountID, m.UserID, m.ProjectID)
}

// find makes the merchant that was signed up before the gateway's, and reports whether there is one.
func (g *Gateway) find(t testing.TB) bool {
	t.Helper()
	var account, user, project string
	err := g.DB.Pool.QueryRow(t.Context(), `SELECT m.account_id, u.id, p.id FROM users u
		JOIN members m ON m.user_id = u.id JOIN projects p USING (account_id) WHERE u.email = $1`,
		g.Email).Scan(&account, &user, &project)
	if errors.Is(err, pgx.ErrNoRows) {
		return false
	} else if err != nil {
		t.Fatal(err)
	}
	g.belong(t, account, user, project)
	return true
}

// belong makes an account, its owner and its project the gateway's.
func (g *Gateway) belong(t testing.TB, account, user, project string) {
	t.Helper()
	var err error
	if g.Account, err = models.AccountByID(t.Context(), g.DB, account); err != nil {
		t.Fatal(err)
	}
	g.Owner = models.Actor{UserID: user, AccountID: account, IP: "127.0.0.1"}
	g.Test = models.Scope{ProjectID: project, Environment: models.Test}
	g.Live = models.Scope{ProjectID: project, Environment: models.Live}
}

// Another returns the same gateway as in another process: with its own services and
// connections, and the same database, clock and merchant.
func (g *Gateway) Another(t testing.TB) *Gateway {
	t.Helper()
	db, err := models.Open(t.Context(), g.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	other := &Gateway{
		Vault: g.Vault, Clock: g.Clock, Account: g.Account, Test: g.Test, Live: g.Live, Owner: g.Owner, Email: g.Email,
	}
	other.serve(db, g.Simulator, g.Service.Live)
	return other
}

// serve creates the services over a database.
func (g *Gateway) serve(db *models.DB, sim *simulator.Provider, live psp.Provider) {
	g.Merchants = merchants.New(merchants.Options{DB: db, Vault: g.Vault, AllowPrivate: true, HashMemory: 64,
		Now: g.Clock.Now})
	g.Service = payments.New(payments.Options{
		DB: db, Simulator: sim, Live: live, Vault: g.Vault, CheckoutURL: CheckoutURL,
		SettlementDelayTest: SettlementDelay, SettlementDelayLive: SettlementDelay,
		AmountMin: 1, AmountMax: 1_000_000_00,
		Withdrawals: Policy, ApprovedName: g.Merchants.ApprovedName, Quotes: quote.New(nil, g.Clock.Now),
		Backoff: []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour},
		Now:     g.Clock.Now, Wake: func() { g.Woken.Add(1) },
		Tell: func(string) {},
	})
}

// Checkout creates a pending test checkout. Filled sets the zero fields of in.
func (g *Gateway) Checkout(t testing.TB, in payments.NewCheckout) *models.Checkout {
	t.Helper()
	c, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account, Filled(in))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Filled returns in with valid values in its zero fields.
func Filled(in payments.NewCheckout) payments.NewCheckout {
	in.Amount = cmp.Or(in.Amount, 10_00)
	in.Description = cmp.Or(in.Description, "Pedido 42")
	in.ExternalID = cmp.Or(in.ExternalID, "order-42")
	in.ExpiresIn = cmp.Or(in.ExpiresIn, 30*time.Minute)
	if in.Metadata == nil {
		in.Metadata = []byte("{}")
	}
	if in.IdempotencyKey != "" && in.RequestHash == nil {
		in.RequestHash = []byte(strings.Repeat("h", 32))
	}
	return in
}

// Endpoint registers a webhook endpoint for test events of every type and returns
// its signing secret.
func (g *Gateway) Endpoint(t testing.TB, url string) (endpoint *models.Endpoint, secret string) {
	t.Helper()
	e, secret, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, g.Test,
		merchants.NewEndpoint{URL: url, Types: models.EventTypes})
	if err != nil {
		t.Fatal(err)
	}
	return e, secret
}

// Key creates a test key with the permissions and returns its secret.
func (g *Gateway) Key(t testing.TB, scope models.Scope, permissions ...models.Permission) string {
	t.Helper()
	_, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, scope,
		merchants.NewKey{Name: "test", Permissions: permissions})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// Approve gives the merchant production access.
func (g *Gateway) Approve(t testing.TB) {
	t.Helper()
	modelstest.Exec(t, g.DB, "UPDATE accounts SET production_access = 'APPROVED' WHERE id = $1", g.Account.ID)
	g.Account.ProductionAccess = models.AccessApproved
}

// Link returns the token in the link of the latest mail of a kind to an address.
func (g *Gateway) Link(t testing.TB, kind, to string) string {
	t.Helper()
	mails, err := models.LatestMails(t.Context(), g.DB.Pool, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		if m.Kind == kind && m.To == to {
			return g.Vault.Token(m.Params["token"])
		}
	}
	t.Fatalf("no mail %s to %s", kind, to)
	return ""
}

// Clock shows the same time until a test moves it.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
