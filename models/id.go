package models

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"time"
)

// idShape is the form of a resource's ids: a prefix for the resource, and lower-case hex
// digits (contract 2.1; docs/rules.md, "Ids"). Clients treat ids as opaque.
type idShape struct {
	prefix string
	digits int
}

var (
	accountShape       = idShape{"acc_", 20}
	projectShape       = idShape{"prj_", 20}
	userShape          = idShape{"usr_", 20}
	apiKeyShape        = idShape{"key_", 20}
	checkoutShape      = idShape{"chk_", 20}
	customerShape      = idShape{"cus_", 20}
	paymentShape       = idShape{"pay_", 20}
	endpointShape      = idShape{"we_", 20}
	eventShape         = idShape{"evt_", 24}
	deliveryShape      = idShape{"dlv_", 24}
	accessRequestShape = idShape{"acr_", 20}
	productShape       = idShape{"prod_", 20}
	paymentLinkShape   = idShape{"plink_", 16}
	sessionShape       = idShape{"ses_", 20}
	deviceShape        = idShape{"dev_", 20}
	passkeyShape       = idShape{"pky_", 20}
	tokenShape         = idShape{"tok_", 20}
	inviteShape        = idShape{"inv_", 20}
	mailShape          = idShape{"mail_", 20}
	feeProposalShape   = idShape{"fpr_", 20}
	nameProposalShape  = idShape{"npr_", 20}
	destinationShape   = idShape{"dst_", 20}
	withdrawalShape    = idShape{"wdr_", 20}
	returnShape        = idShape{"wrt_", 20}
	refundShape        = idShape{"rfd_", 20}
	blockShape         = idShape{"blk_", 20}
	bankAccountShape   = idShape{"bnk_", 20}
	credentialShape    = idShape{"bcr_", 20}
	disputeShape       = idShape{"dsp_", 20}
	disputeFileShape   = idShape{"dfl_", 20}
	reasonShape        = idShape{"rsn_", 20}
)

// fits reports whether id has the shape. Queries are not run for other texts, because no row
// can have them.
func (s idShape) fits(id string) bool {
	if len(id) != len(s.prefix)+s.digits || id[:len(s.prefix)] != s.prefix {
		return false
	}
	for _, b := range []byte(id[len(s.prefix):]) {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

// random returns an id from crypto/rand.
func (s idShape) random() string {
	b := make([]byte, s.digits/2)
	rand.Read(b) // never fails since Go 1.24
	return s.prefix + hex.EncodeToString(b)
}

// ordered returns an id that begins with the second of its making, in eight digits, so that ids of the same time
// lie together in an index. The other digits are from crypto/rand; a shape of 24 digits has 64 random bits.
func (s idShape) ordered() string {
	b := make([]byte, s.digits/2)
	binary.BigEndian.PutUint32(b, uint32(time.Now().Unix())) // until 2106
	rand.Read(b[4:])
	return s.prefix + hex.EncodeToString(b)
}

// hourly returns an id that begins with the hour of its making, in four digits that begin again after 65,536
// hours, seven and a half years. The other digits are from crypto/rand; a shape of 20 digits has 64 random bits.
func (s idShape) hourly() string {
	b := make([]byte, s.digits/2)
	binary.BigEndian.PutUint16(b, uint16(time.Now().Unix()/int64(time.Hour/time.Second)))
	rand.Read(b[2:])
	return s.prefix + hex.EncodeToString(b)
}

// NewAccountID returns an id for an account.
func NewAccountID() string { return accountShape.random() }

// NewProjectID returns an id for a project.
func NewProjectID() string { return projectShape.random() }

// NewUserID returns an id for a user.
func NewUserID() string { return userShape.random() }

// NewAPIKeyID returns an id for an API key.
func NewAPIKeyID() string { return apiKeyShape.random() }

// NewCheckoutID returns an id for a checkout. Ids of an hour lie together in an index, as those of payments,
// refunds and withdrawals do (docs/decisions/0092).
func NewCheckoutID() string { return checkoutShape.hourly() }

// HourOf returns the four digits of a checkout's id that tell its hour, and "" for another text.
func HourOf(checkoutID string) string {
	if !checkoutShape.fits(checkoutID) {
		return ""
	}
	return checkoutID[len(checkoutShape.prefix):][:4]
}

// NewPaymentID returns an id for a payment.
func NewPaymentID() string { return paymentShape.hourly() }

// NewEndpointID returns an id for a webhook endpoint.
func NewEndpointID() string { return endpointShape.random() }

// NewEventID returns an id for an event, ordered by time (docs/decisions/0059).
func NewEventID() string { return eventShape.ordered() }

// NewAccessRequestID returns an id for a request for production access.
func NewAccessRequestID() string { return accessRequestShape.random() }

// NewProductID returns an id for a product.
func NewProductID() string { return productShape.random() }

// NewSessionID returns an id for a session.
func NewSessionID() string { return sessionShape.random() }

// NewPasskeyID returns an id for a passkey.
func NewPasskeyID() string { return passkeyShape.random() }

// NewTokenID returns an id for a Token.
func NewTokenID() string { return tokenShape.random() }

// NewInviteID returns an id for an invitation.
func NewInviteID() string { return inviteShape.random() }

func newMailID() string { return mailShape.random() }

// NewFeeProposalID returns an id for a fee proposal.
func NewFeeProposalID() string { return feeProposalShape.random() }

// NewNameProposalID returns an id for a proposed name.
func NewNameProposalID() string { return nameProposalShape.random() }

// NewReasonID returns an id for a DecisionReason.
func NewReasonID() string { return reasonShape.random() }

// NewDestinationID returns an id for a destination of withdrawals.
func NewDestinationID() string { return destinationShape.random() }

// NewWithdrawalID returns an id for a withdrawal.
func NewWithdrawalID() string { return withdrawalShape.hourly() }

// NewWithdrawalReturnID returns an id for money of a withdrawal that came back.
func NewWithdrawalReturnID() string { return returnShape.random() }

// NewRefundID returns an id for a refund.
func NewRefundID() string { return refundShape.hourly() }

// NewBlockID returns an id for a BlockedAmount.
func NewBlockID() string { return blockShape.random() }

// PaymentLinkID returns the id of a payment link with a digest in lower-case hex. The digest
// comes from the idempotency key, so the same key always gives the same id.
func PaymentLinkID(digest string) string {
	return paymentLinkShape.prefix + digest[:paymentLinkShape.digits]
}

// The ids that others assign: an institution to a payment and to a charge, and a network to a
// transaction.
var (
	endToEndID = regexp.MustCompile(`^E[0-9A-Za-z]{31}$`)
	chargeTxID = regexp.MustCompile(`^[0-9A-Za-z]{26,35}$`)
	txHash     = regexp.MustCompile(`^(0x)?[0-9a-fA-F]{64}$`)
)

// IsTxHash reports whether s has the form of a transaction hash of one of the networks.
func IsTxHash(s string) bool { return txHash.MatchString(s) }

// NewBankAccountID returns an id for a bank account.
func NewBankAccountID() string { return bankAccountShape.random() }

// NewBankCredentialID returns an id for credentials at a bank.
func NewBankCredentialID() string { return credentialShape.random() }

// NewDisputeID returns an id for a dispute.
func NewDisputeID() string { return disputeShape.random() }

// NewDisputeFileID returns an id for a file of a dispute.
func NewDisputeFileID() string { return disputeFileShape.random() }
