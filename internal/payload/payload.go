// Package payload encodes the JSON that leaves the gateway. Answers of the API and events
// share these encoders, so a checkout looks the same in both.
//
// The encoders append field by field to a buffer of the caller: an answer costs one buffer
// and no reflection. Golden tests compare them with encoding/json.
package payload

import (
	"encoding/base64"
	"strconv"
	"time"

	"garoupa/models"
)

// AppendCheckout appends a checkout (contract 2.3). checkoutURL is the address of the
// hosted pages, without a slash at its end.
func AppendCheckout(dst []byte, c *models.Checkout, checkoutURL string) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", c.ID)
	dst = boolMember(dst, "livemode", c.Environment == models.Live)
	dst = stringMember(dst, "status", string(c.Status))
	dst = strconv.AppendInt(member(dst, "amount"), int64(c.Amount), 10)
	dst = stringMember(dst, "currency", "BRL")
	dst = stringMember(dst, "description", c.Description)
	dst = stringMember(dst, "externalId", c.ExternalID)
	dst = stringMember(dst, "checkoutUrl", checkoutURL+"/pay/"+c.ID)
	dst = timeMember(dst, "createdAt", c.CreatedAt)
	dst = timeMember(dst, "expiresAt", c.ExpiresAt)
	dst = nullableTimeMember(dst, "paidAt", c.PaidAt)

	dst = append(member(dst, "customer"), '{')
	dst = nullableMember(dst, "name", c.CustomerName)
	dst = nullableMember(dst, "email", c.CustomerEmail)
	dst = nullableMember(dst, "document", c.CustomerDocument)

	dst = append(member(append(dst, '}'), "pix"), '{')
	dst = stringMember(dst, "copyPaste", c.CopyPaste)
	dst = appendQRCodeURL(member(dst, "qrCodeUrl"), c, checkoutURL)

	dst = append(member(append(dst, '}'), "settlement"), '{')
	dst = stringMember(dst, "currency", "BRL")
	dst = stringMember(dst, "status", string(c.SettlementStatus))
	if c.SettlementAmount == nil {
		dst = nullableMember(dst, "amount", nil)
	} else {
		dst = append(member(dst, "amount"), '"')
		dst = append(c.SettlementAmount.AppendDecimal(dst), '"')
	}

	dst = append(member(append(dst, '}'), "metadata"), c.Metadata...)
	return append(dst, '}')
}

// appendQRCodeURL appends the address of the code's image: in test the image itself as a
// data URI, in live an address below checkoutURL (contract 2.3, pix).
func appendQRCodeURL(dst []byte, c *models.Checkout, checkoutURL string) []byte {
	if c.Environment == models.Live {
		return AppendString(dst, checkoutURL+"/qr/"+c.ID+".png")
	}
	dst = append(dst, `"data:image/png;base64,`...)
	dst = base64.StdEncoding.AppendEncode(dst, c.QRPNG)
	return append(dst, '"')
}

// AppendEvent appends the envelope of a checkout's event (contract 6): the bytes that are
// signed and sent.
func AppendEvent(dst []byte, id, kind string, at time.Time, c *models.Checkout, checkoutURL string) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", id)
	dst = stringMember(dst, "type", kind)
	dst = timeMember(dst, "createdAt", at)
	dst = boolMember(dst, "livemode", c.Environment == models.Live)
	dst = append(member(dst, "data"), '{')
	dst = AppendCheckout(member(dst, "checkout"), c, checkoutURL)
	return append(dst, '}', '}')
}

// AppendError appends the envelope of an error (contract 7).
func AppendError(dst []byte, kind, code, message, requestID string) []byte {
	dst = append(dst, '{')
	dst = append(member(dst, "error"), '{')
	dst = stringMember(dst, "type", kind)
	dst = stringMember(dst, "code", code)
	dst = stringMember(dst, "message", message)
	dst = stringMember(dst, "requestId", requestID)
	return append(dst, '}', '}')
}
