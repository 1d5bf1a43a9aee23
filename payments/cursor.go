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

// Cursor writes a place in a list for a client, who must not read or make one.
func (s *Service) Cursor(at models.CheckoutPosition) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(at.CreatedAt.UnixMicro()))
	b = append(b, at.ID...)
	return base64.RawURLEncoding.EncodeToString(append(b, s.cursorMAC(b)...))
}

// ReadCursor reads what Cursor wrote. It fails with ErrCursor.
func (s *Service) ReadCursor(cursor string) (*models.CheckoutPosition, error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < 8+cursorTag {
		return nil, ErrCursor
	}
	b, tag := b[:len(b)-cursorTag], b[len(b)-cursorTag:]
	if !hmac.Equal(tag, s.cursorMAC(b)) {
		return nil, ErrCursor
	}
	return &models.CheckoutPosition{CreatedAt: time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC(), ID: string(b[8:])}, nil
}

func (s *Service) cursorMAC(b []byte) []byte {
	h := hmac.New(sha256.New, s.cursorKey)
	h.Write(b)
	return h.Sum(nil)[:cursorTag]
}

// CheckoutPage is one page of a list.
type CheckoutPage struct {
	Checkouts  []models.Checkout
	NextCursor string // "" when there is no further page
}
