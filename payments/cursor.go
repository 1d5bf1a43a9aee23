package payments

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"garoupa/models"
)

// ErrCursor reports a cursor that this installation did not give out.
var ErrCursor = errors.New("payments: not a cursor of this installation")

const cursorTag = 8 // bytes of the HMAC that are kept

// List names a list, whose cursors fit no other.
type List string

const (
	ListCheckouts    List = "checkouts"
	ListPaymentLinks List = "payment_links"
	ListEvents       List = "events"
	ListDeliveries   List = "deliveries"
	ListWithdrawals  List = "withdrawals"
	ListStatement    List = "statement"
	ListDestinations List = "destinations"
)

// Cursor writes a place in a list for a client, who must not read or make one.
func (s *Service) Cursor(list List, at models.Position) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(at.CreatedAt.UnixMicro()))
	b = append(b, at.ID...)
	return base64.RawURLEncoding.EncodeToString(append(b, s.cursorMAC(list, b)...))
}

// ReadCursor reads what Cursor wrote. It fails with ErrCursor.
func (s *Service) ReadCursor(list List, cursor string) (*models.Position, error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < 8+cursorTag {
		return nil, ErrCursor
	}
	b, tag := b[:len(b)-cursorTag], b[len(b)-cursorTag:]
	if !hmac.Equal(tag, s.cursorMAC(list, b)) {
		return nil, ErrCursor
	}
	return &models.Position{CreatedAt: time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC(), ID: string(b[8:])}, nil
}

func (s *Service) cursorMAC(list List, b []byte) []byte {
	h := hmac.New(sha256.New, s.cursorKey)
	h.Write([]byte(list))
	h.Write(b)
	return h.Sum(nil)[:cursorTag]
}

// CheckoutPage is one page of a list.
type CheckoutPage struct {
	Checkouts  []models.Checkout
	NextCursor string // "" when there is no further page
}
