package payments

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// The bounds of receipts by mail (decision 0074). The table allows receiptsOfCharge, and its rows end after 30 days.
const (
	receiptsOfCharge = 8
	receiptsOfBuyer  = 3  // of a charge
	receiptsADay     = 10 // to one address
)

var (
	// ErrReceiptAddress reports that there is no address to send a receipt to, or none that can be one.
	ErrReceiptAddress = errors.New("payments: no address for a receipt")
	// ErrReceiptTest reports that a test receipt was requested for an address that is not the confirmed address of a
	// member.
	ErrReceiptTest = errors.New("payments: test receipts go to members alone")
	// ErrReceiptLimit reports that the charge or the address has had its receipts.
	ErrReceiptLimit = errors.New("payments: too many receipts")
)

// ReceiptRequest asks for a receipt of a paid checkout by mail.
type ReceiptRequest struct {
	CheckoutID string
	To         string // "" is the customer's address
	Form       string // the form's key; sending a form again mails nothing
	Language   string // "pt-BR" or "en"
	// The member who asks, who must be able to Sell, and the scope of the checkout; nil for the buyer.
	By    *models.Actor
	Scope models.Scope
}

// MailReceipt mails a receipt of a paid checkout, at most once for a form, within bounds. Refusals: CheckoutNotFound,
// Forbidden, WrongState (it is not paid). It fails with ErrReceiptAddress, ErrReceiptTest and ErrReceiptLimit.
func (s *Service) MailReceipt(ctx context.Context, in ReceiptRequest) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if in.By != nil {
			if err := projectMember(tx, *in.By, in.Scope, models.Sell); err != nil {
				return err
			}
		}
		locked, err := models.LockCheckoutByID(tx, in.CheckoutID)
		if err == nil && in.By != nil && (locked.ProjectID != in.Scope.ProjectID ||
			locked.Environment != in.Scope.Environment) {
			err = models.ErrNotFound
		}
		if err != nil {
			return noCheckout(err)
		}
		if locked.Status != models.CheckoutPaid {
			return refusal.New(refusal.WrongState, "The checkout is %s, so it has no receipt.", locked.Status)
		}
		to, err := s.receiptAddress(tx, &locked.Checkout, in.To)
		if err != nil {
			return err
		}
		sent, err := s.countReceipt(tx, in, to)
		if err != nil || sent {
			return err
		}
		return s.writeReceipt(tx, in, locked.AccountID, to)
	})
	if err != nil {
		return fmt.Errorf("payments: mail the receipt of %s: %w", in.CheckoutID, err)
	}
	return nil
}

// receiptAddress returns the address that gets the receipt. In test nothing is paid and everyone may sell, so a
// receipt is a mail with words of anyone's choice: it goes to the account's own members.
func (s *Service) receiptAddress(tx *models.Tx, c *models.Checkout, typed string) (string, error) {
	to := input.Trim(typed)
	if to == "" && c.CustomerEmail != nil {
		to = *c.CustomerEmail
	}
	if !input.MemberEmail(to) {
		return "", ErrReceiptAddress
	}
	if c.Environment == models.Live {
		return to, nil
	}
	is, err := models.IsMemberAddress(tx, c.ProjectID, to)
	if err == nil && !is {
		err = ErrReceiptTest
	}
	return to, err
}

// countReceipt records the receipt. It reports whether the form sent it before.
func (s *Service) countReceipt(tx *models.Tx, in ReceiptRequest, to string) (sent bool, err error) {
	now := s.now()
	r := &models.ReceiptMail{CheckoutID: in.CheckoutID, Form: in.Form, Recipient: s.recipientDigest(to),
		Masked: MaskedEmail(to), CreatedAt: now}
	if in.By != nil {
		r.AskedBy = &in.By.UserID
	}
	if err := models.LockRecipient(tx, r.Recipient); err != nil {
		return false, err
	}
	n, err := models.CountReceipts(tx, r, now.Add(-24*time.Hour))
	switch {
	case err != nil:
		return false, err
	case n.Form > 0:
		return true, nil
	case n.Charge >= receiptsOfCharge, in.By == nil && n.Buyer >= receiptsOfBuyer, n.Recipient >= receiptsADay:
		return false, ErrReceiptLimit
	}
	return false, models.InsertReceiptMail(tx, r)
}

// recipientDigest returns the digest by which receipts to an address are counted.
func (s *Service) recipientDigest(to string) []byte {
	h := hmac.New(sha256.New, s.documentKey)
	h.Write([]byte("receipt/" + strings.ToLower(to)))
	return h.Sum(nil)
}

// writeReceipt writes the mail and, for a member, the line of the audit log.
func (s *Service) writeReceipt(tx *models.Tx, in ReceiptRequest, accountID, to string) error {
	var params map[string]string
	err := tx.PGX(func(ctx context.Context, conn models.Querier) error {
		c, err := models.PublicCheckoutByID(ctx, conn, in.CheckoutID)
		if err == nil {
			params = s.receiptParams(ctx, c, in.By != nil)
		}
		return err
	})
	if err != nil {
		return err
	}
	mail := models.Mail{Fact: models.MailReceipt + "/" + in.CheckoutID + "/" + in.Form, To: to, Language: in.Language,
		Kind: models.MailReceipt, CreatedAt: s.now(), Params: params}
	if err := models.InsertMails(tx, mail); err != nil || in.By == nil {
		return err
	}
	return s.audit(tx, *in.By, accountID, "checkout.receipt_mailed", in.CheckoutID, nil)
}

// receiptParams returns the facts of a receipt. A name that a stranger may have typed goes to no address that the
// stranger chose: it is there if a member sends the receipt.
func (s *Service) receiptParams(ctx context.Context, c *models.PublicCheckout, byMember bool) map[string]string {
	recipient, document := c.Recipient(s.ApprovedName(ctx, c))
	p := map[string]string{
		"merchant": c.Merchant.Name, "charge": c.ID, "amount": strconv.FormatInt(int64(c.Amount), 10),
		"paid_at": c.PaidAt.Format(time.RFC3339), "recipient": recipient, "description": c.Description,
	}
	optional := map[string]*string{"recipient_document": document, "end_to_end_id": c.EndToEndID}
	if c.PaymentLinkID == nil {
		optional["order"] = &c.ExternalID
	}
	if byMember {
		optional["payer"] = c.CustomerName
	}
	if c.Environment == models.Test {
		p["test"] = "true"
	}
	if c.Refunded > 0 {
		p["refunded"] = strconv.FormatInt(int64(c.Refunded), 10)
	}
	if thanks := Thanks(c); thanks.Text != "" || thanks.URL != "" {
		optional["thanks"], optional["thanks_label"], optional["thanks_url"] = &thanks.Text, &thanks.Label, &thanks.URL
	}
	if c.Brand.Support != "" {
		p["contact"] = c.Brand.Support
	}
	for name, value := range optional {
		if value != nil && *value != "" {
			p[name] = *value
		}
	}
	return p
}

// Thanks returns what the buyer of a paid checkout sees of its merchant's words. A merchant who may not charge has
// none, and the button gives way to the address of the checkout's own link.
func Thanks(c *models.PublicCheckout) models.Thanks {
	if c.Status != models.CheckoutPaid || !MayCharge(c.Merchant.AccountSwitches, c.Environment) {
		return models.Thanks{}
	}
	thanks := c.Brand.Thanks
	if c.SuccessURL != nil && *c.SuccessURL != "" {
		thanks.Label, thanks.URL = "", ""
	}
	return thanks
}

// MaskedEmail returns what a page that others may see shows of an address: "a***@…".
func MaskedEmail(address string) string {
	first, _ := utf8.DecodeRuneInString(address)
	return string(first) + "***@…"
}
