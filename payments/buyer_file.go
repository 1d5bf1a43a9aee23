package payments

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"garoupa/internal/payload"
	"garoupa/models"
)

// recordsAtOnce limits the charges of a buyer that are in memory at a time.
const recordsAtOnce = 100

// BuyerFile returns a function that writes, as JSON, everything that the account holds about a buyer: the charges
// that FindBuyer counts with their payments, refunds, disputes and events. The audit log has a line when
// BuyerFile returns. For members who can Own; the refusal is Forbidden. It fails with ErrNoBuyer and ErrSealing.
func (s *Service) BuyerFile(ctx context.Context, by models.Actor, accountID, text string) (
	write func(ctx context.Context, to io.Writer) error, err error) {
	var buyer *models.Buyer
	err = s.asOwner(ctx, by, accountID, text, func(tx *models.Tx, b *models.Buyer) error {
		buyer = b
		n, err := models.CountBuyer(tx, b)
		if err != nil {
			return err
		}
		return s.audit(tx, by, accountID, "buyer.exported", s.buyerID(accountID, text),
			map[string]string{"charges": strconv.Itoa(n.Charges)})
	})
	if err != nil {
		return nil, fmt.Errorf("payments: export a buyer: %w", err)
	}
	return func(ctx context.Context, to io.Writer) error { return s.writeBuyer(ctx, buyer, to) }, nil
}

// writeBuyer writes the file in parts, so no transaction lasts as long as a slow download.
func (s *Service) writeBuyer(ctx context.Context, b *models.Buyer, to io.Writer) error {
	dst := []byte(`{"createdAt":"` + s.now().Format(time.RFC3339) + `","charges":[`)
	for after, comma := "", ""; ; {
		records, err := models.BuyerRecords(ctx, s.DB.Read, b, after, recordsAtOnce)
		if err != nil {
			return fmt.Errorf("payments: read the charges of a buyer: %w", err)
		}
		for i := range records {
			dst = s.appendRecord(append(dst, comma...), &records[i])
			after, comma = records[i].ID, ","
		}
		if len(records) < recordsAtOnce {
			dst = append(dst, "\n]}\n"...)
		}
		if _, err := to.Write(dst); err != nil || len(records) < recordsAtOnce {
			return err
		}
		dst = dst[:0]
	}
}

// appendRecord appends a charge as the API shows it, with the phone, which the API does not show, and what
// belongs to the charge.
func (s *Service) appendRecord(dst []byte, r *models.BuyerRecord) []byte {
	s.OpenDocument(&r.Checkout)
	r.QRPNG = nil
	dst = append(dst, "\n{\"project\":"...)
	dst = payload.AppendString(dst, r.ProjectID)
	dst = append(dst, `,"phone":`...)
	dst = append(dst, s.phone(r)...)
	dst = append(append(dst, `,"payments":`...), r.Payments...)
	dst = append(append(dst, `,"events":`...), r.Events...)
	dst = payload.AppendCheckout(append(dst, `,"checkout":`...), &r.Checkout, s.CheckoutURL)
	return append(dst, '}')
}

// phone returns the phone of a charge's buyer as JSON.
func (s *Service) phone(r *models.BuyerRecord) []byte {
	if r.CustomerPhone == nil {
		return []byte("null")
	}
	text, err := s.Vault.Open(models.SealedCustomerPhone.Place(r.ID), r.CustomerPhone)
	if err != nil {
		slog.Error("the phone of a customer does not open", "checkout", r.ID, "error", err)
		return []byte("null")
	}
	return payload.AppendString(nil, text)
}
