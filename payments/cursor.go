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

// ErrCursor reports a cursor that this installation did not issue.
var ErrCursor = errors.New("payments: not a cursor of this installation")

const cursorTag = 8 // bytes of the HMAC in a cursor

// List names a list. A cursor is valid for one list only.
type List string

const (
	ListCheckouts    List = "checkouts"
	ListPaymentLinks List = "payment_links"
	ListEvents       List = "events"
	ListDeliveries   List = "deliveries"
	ListWithdrawals  List = "withdrawals"
	ListDisputes     List = "disputes"
	ListStatement    List = "statement"
	ListDestinations List = "destinations"
	ListProducts     List = "products"
	ListEndpoints    List = "endpoints"
	ListAccounts     List = "ops_accounts"
	ListAPIRequests  List = "api_requests"
	ListAudit        List = "audit"
	ListRefunds      List = "refunds"
	ListCustomers    List = "customers"
	ListSales        List = "sales"
)

// Cursor encodes a position in a list for a client, which can neither read nor forge the
// result. The cursor of nil, the end of a list, is "".
func (s *Service) Cursor(list List, at *models.Position) string {
	if at == nil {
		return ""
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(at.CreatedAt.UnixMicro()))
	b = append(b, at.ID...)
	return base64.RawURLEncoding.EncodeToString(append(b, s.cursorMAC(list, b)...))
}

// ReadCursor decodes a cursor. It fails with ErrCursor.
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
