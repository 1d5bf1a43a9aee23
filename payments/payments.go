// Package payments is what the gateway does: it charges buyers, records what they
// paid, and tells merchants about it.
//
// Each exported method of Service is one operation and, but for a call to an
// institution, one transaction: the rows, the ledger's postings, the event, its
// deliveries and their jobs commit together or not at all. Handlers (api, web) and
// workers (jobs) call these methods and hold no rules of their own.
package payments

import (
	"time"

	"garoupa/models"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
	"garoupa/quote"
	"garoupa/vault"
)

// Options are what a Service is made of. All are required.
type Options struct {
	DB           *models.DB
	Simulator    *simulator.Provider // the institution of the test environment
	Live         psp.Provider        // the institution of the live one; may be the simulator
	Vault        *vault.Vault
	CheckoutHost string // where buyers open hosted pages, without a slash at its end
	// How long after its payment a checkout's money becomes available.
	SettlementDelayTest, SettlementDelayLive time.Duration
	Withdrawals                              WithdrawalPolicy
	Quotes                                   *quote.Board    // what USDT costs
	Backoff                                  []time.Duration // between the attempts of a delivery
	Now                                      func() time.Time
	// Wake tells the workers, after a commit, that deliveries wait. It must not
	// block. Without it they find them within a second.
	Wake func()
	// Tell tells the streams of a project, after a commit that wrote test events without
	// a change of status. It must not block.
	Tell func(projectID string)
}

// Service runs the operations. It is safe for concurrent use.
type Service struct {
	Options
	cursorKey []byte
	writer    *models.CheckoutWriter
	attempts  *models.AttemptWriter
	receipts  *models.Batch[receipt, models.CheckoutStatus]
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{
		Options: o, cursorKey: o.Vault.Key("cursor"),
		writer: models.NewCheckoutWriter(o.DB.Pool), attempts: models.NewAttemptWriter(o.DB.Queue),
	}
	s.receipts = models.NewBatch(receiptsTogether, receiptCommits, s.record)
	return s
}

// now is the time that rows are written with. Answers show milliseconds, so rows
// hold no more: what a client reads back is what it was told.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func (s *Service) provider(livemode bool) psp.Provider {
	if livemode {
		return s.Live
	}
	return s.Simulator
}

// Institution says what stands behind an environment: "none", "simulator" or "bank".
func (s *Service) Institution(livemode bool) string {
	switch {
	case s.simulated(livemode):
		return "simulator"
	case s.provider(livemode) == psp.Provider(psp.None{}):
		return "none"
	}
	return "bank"
}

// simulated reports whether the simulator is the environment's institution.
func (s *Service) simulated(livemode bool) bool {
	return s.provider(livemode) == psp.Provider(s.Simulator)
}
