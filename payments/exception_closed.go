package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
	"garoupa/pix/psp"
)

// Why a return at a closed bank account ends. A bank that was asked may have made it.
const (
	neverAsked  = "A conta foi encerrada, e o banco não foi consultado."
	neverLooked = "A conta foi encerrada antes da resposta: confira no banco se ele devolveu."
)

// EndReturnsAtClosed ends the returns of exceptions that were still to be asked of a bank account when it was closed,
// as failed, so that staff can note one that they make by hand. The account is never used again, so nothing else
// ends them.
func (s *Service) EndReturnsAtClosed(ctx context.Context) error {
	now := s.now()
	stuck, err := models.ReturnsAtClosed(ctx, s.DB.Pool, now, settleBatch)
	if err != nil {
		return fmt.Errorf("payments: find returns at closed bank accounts: %w", err)
	}
	var failed []error
	for _, endToEndID := range stuck {
		failed = append(failed, s.inException(ctx, endToEndID, func(tx *models.Tx, x *models.Exception) error {
			return s.endReturnAtClosed(tx, x, now)
		}))
	}
	return errors.Join(failed...)
}

// endReturnAtClosed ends a return whose bank account is closed. A try that began before the closing holds the return
// until it is over: ReturnNextTryAt is later until then.
func (s *Service) endReturnAtClosed(tx *models.Tx, x *models.Exception, now time.Time) error {
	if !x.Returning() || x.ReturnNextTryAt.After(now) {
		return nil
	}
	status, err := models.ShareBankAccount(tx, *x.BankAccountID)
	if err != nil || status != models.BankAccountClosed {
		return err
	}
	why := neverAsked
	if x.ReturnTries > 0 {
		why = neverLooked
	}
	return s.heedExceptionReturn(tx, x, psp.Return{Status: psp.TransferRefused, Reason: why, Amount: int64(x.Amount)})
}
