// Package payments contains the operations of the gateway on money: it charges buyers, records
// what they paid, and notifies merchants.
//
// Each exported method of Service is one operation and, except for a call to an institution,
// one transaction: the rows, the ledger's postings, the event and its deliveries are committed
// together or not at all. Handlers (api, web) and workers (jobs) call these methods and contain
// no rules of their own.
package payments

import (
	"context"
	"time"

	"garoupa/internal/auth/vault"
	"garoupa/internal/flight"
	"garoupa/internal/money"
	"garoupa/internal/usdt/quote"
	"garoupa/models"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

// Options configure a Service. All but Live are required.
type Options struct {
	DB          *models.DB
	Simulator   *simulator.Provider // the institution of the test environment
	Live        psp.Provider        // the institution of live; may be the simulator; nil for Banks
	Banks       Banks               // the installation's accounts at banks
	Vault       *vault.Vault
	CheckoutURL string // URL of the hosted pages, without a slash at its end
	// How long after its payment a checkout's money becomes available. In live an account
	// may have a delay of its own.
	SettlementDelayTest, SettlementDelayLive time.Duration
	// The smallest and the largest charge of an account without limits of its own.
	AmountMin, AmountMax money.Cents
	Withdrawals          WithdrawalPolicy
	// ApprovedName returns the legal name that staff approved for the merchant of a charge, or "".
	ApprovedName func(ctx context.Context, c *models.PublicCheckout) string
	Quotes       *quote.Board    // the price of USDT
	Backoff      []time.Duration // between the attempts of a delivery
	Now          func() time.Time
	// Wake notifies the workers, after a commit, that deliveries are waiting. It must not block. If a notification is
	// lost, they find the deliveries a little later.
	Wake func()
	// Tell notifies the streams that watch an id, after a commit: a checkout's id if its status changed, and a scope's
	// Changes if it has new charges or events. It must not block. If a notification is lost, streams find the change
	// when they look by themselves.
	Tell func(id string)
}

// Service runs the operations. It is safe for concurrent use.
type Service struct {
	Options
	cursorKey   []byte
	documentKey []byte // of the digests of documents
	reader      *models.CheckoutReader
	lists       *flight.Group[listed, models.Page[models.Checkout]]
	balances    *flight.Group[balanceKey, models.Balance]
	writer      *models.CheckoutWriter
	charges     *models.BankChargeWriter
	attempts    *models.AttemptWriter
	receipts    *models.Batch[receipt, recorded]
	visits      linkVisits
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{
		Options: o, cursorKey: o.Vault.Key("cursor"), documentKey: o.Vault.Key("documents of customers"),
		reader:   models.NewCheckoutReader(o.DB.Pool),
		writer:   models.NewCheckoutWriter(o.DB.Batches),
		charges:  models.NewBankChargeWriter(o.DB.Batches, givenUpAfter),
		attempts: models.NewAttemptWriter(o.DB.Queue),
	}
	s.lists, s.balances = flight.NewGroup(s.listCheckouts), flight.NewGroup(s.readBalance)
	s.receipts = models.NewBatch(receiptsTogether, receiptCommits, s.record)
	return s
}

// Batches returns the states of the batches by what they write.
func (s *Service) Batches() map[string]models.BatchState {
	return map[string]models.BatchState{"checkouts": s.writer.State(), "bank_charges": s.charges.State(),
		"attempts": s.attempts.State(), "payments": s.receipts.State()}
}

// now returns the time for new rows, in milliseconds like answers of the API: a client reads
// the same times again later.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// provider returns the institution of an environment, nil if charges are made at a bank.
func (s *Service) provider(environment models.Environment) psp.Provider {
	if environment == models.Live {
		return s.Live
	}
	return s.Simulator
}

// Institution returns the kind of institution of an environment: "none", "simulator" or
// "bank".
func (s *Service) Institution(environment models.Environment) string {
	switch {
	case s.atBank(environment):
		return "bank"
	case s.simulated(environment):
		return "simulator"
	case s.provider(environment) == psp.Provider(psp.None{}):
		return "none"
	}
	return "bank"
}

// ChargesAtBank reports whether new live charges are made at a bank account.
func (s *Service) ChargesAtBank() bool { return s.atBank(models.Live) }

// simulated reports whether the simulator is the environment's institution.
func (s *Service) simulated(environment models.Environment) bool {
	return s.provider(environment) == psp.Provider(s.Simulator)
}
