package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// Offer is what a payment link sells now: its terms within the limits of the account and of its stock.
type Offer struct {
	MaxQuantity int           // units that a charge may have
	Amount      *models.Range // from which the buyer chooses; nil for the product's price
}

// LinkChoice is what a buyer chose on the page of a payment link.
type LinkChoice struct {
	Buyer    Customer
	Quantity int         // units; 0 counts as 1
	Amount   money.Cents // used if the amount is open
	Form     string      // the key of the form, "" for none
	after    string      // the checkout that this one follows, in place of Form
}

// once reports whether the choice is sold once, however often it is sent.
func (c LinkChoice) once() bool { return c.Form != "" || c.after != "" }

// Causes of the refusal PaymentLinkNotFound.
type (
	// LinkEnded means that the link's time is over.
	LinkEnded struct{}
	// LinkSoldOut means that no unit is left. Held means that open charges hold some, which may come back.
	LinkSoldOut struct{ Held bool }
)

// Error implements error.
func (LinkEnded) Error() string { return "the link has ended" }

// Error implements error.
func (LinkSoldOut) Error() string { return "the link is sold out" }

// ChoiceRefused says which of a buyer's choices the link does not allow: "quantity", "amount", "name" or "email".
type ChoiceRefused struct {
	Field string
	Offer Offer // what the link allows
}

// Error implements error.
func (e ChoiceRefused) Error() string { return "payments: the link does not allow this " + e.Field }

// PublicPaymentLink returns a link for a buyer who has its id. The refusal is
// PaymentLinkNotFound, also if the link cannot be used now: the link or its product is off, or
// the account may not charge.
func (s *Service) PublicPaymentLink(ctx context.Context, id string) (*models.PublicPaymentLink, error) {
	link, err := models.PublicPaymentLinkByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, noLink
	} else if err != nil {
		return nil, fmt.Errorf("payments: read payment link: %w", err)
	}
	usable := link.Active && link.Product.Active && !link.Account.Suspended && !link.Account.LiveBlocked
	if !usable || gate(link.Account.AccountSwitches, link.Environment) != nil {
		return link, noLink
	}
	return link, nil
}

// LinkOffer returns what a link sells now. The refusal is PaymentLinkNotFound if it sells nothing: with the cause
// LinkEnded or LinkSoldOut, or because the account may not charge such amounts.
func (s *Service) LinkOffer(link *models.PaymentLink, account *models.Account) (Offer, error) {
	least, most := s.Bounds(account)
	offer := Offer{MaxQuantity: link.MaxQuantity}
	left := link.Left()
	switch {
	case !link.Active || !link.Product.Active:
		return offer, noLink
	case link.Ended(s.now()):
		return offer, noLink.Because(LinkEnded{})
	case left != nil && *left == 0:
		return offer, noLink.Because(LinkSoldOut{Held: link.Held > 0})
	case left != nil:
		offer.MaxQuantity = min(offer.MaxQuantity, *left)
	}
	if open := link.OpenAmount; open != nil {
		offer.Amount = &models.Range{Min: max(open.Min, least), Max: min(open.Max, most)}
		if offer.Amount.Min > offer.Amount.Max {
			return offer, noLink.Because(OutOfBounds{least, most})
		}
		return offer, nil
	}
	if err := s.withinBounds(account, link.Product.Amount); err != nil {
		return offer, noLink.Because(err)
	}
	offer.MaxQuantity = int(min(money.Cents(offer.MaxQuantity), most/link.Product.Amount))
	return offer, nil
}

// allows fails with ChoiceRefused if the choice is not part of the offer.
func (o Offer) allows(link *models.PaymentLink, choice LinkChoice) error {
	required := link.BuyerData == models.BuyerDataRequired
	switch {
	case choice.Quantity < 0 || max(choice.Quantity, 1) > o.MaxQuantity:
		return ChoiceRefused{"quantity", o}
	case o.Amount != nil && (choice.Amount < o.Amount.Min || choice.Amount > o.Amount.Max):
		return ChoiceRefused{"amount", o}
	case required && choice.Buyer.Name == nil:
		return ChoiceRefused{"name", o}
	case required && choice.Buyer.Email == nil:
		return ChoiceRefused{"email", o}
	}
	return nil
}

// MayBuy fails if the link does not sell the choice now: with the refusals of LinkOffer, or with ChoiceRefused.
func (s *Service) MayBuy(link *models.PaymentLink, account *models.Account, choice LinkChoice) error {
	offer, err := s.LinkOffer(link, account)
	if err != nil {
		return err
	}
	return offer.allows(link, choice)
}

// LinkPrice returns what a choice costs at a link, and the description of its charge.
func LinkPrice(link *models.PaymentLink, choice LinkChoice) (price money.Cents, description string) {
	if link.OpenAmount != nil {
		return choice.Amount, link.Product.Name
	}
	if choice.Quantity <= 1 {
		return link.Product.Amount, link.Product.Name
	}
	return link.Product.Amount * money.Cents(choice.Quantity),
		fmt.Sprintf("%d × %s", choice.Quantity, link.Product.Name)
}

var noLink = refusal.New(refusal.PaymentLinkNotFound, "No payment link has this id.")
