package psp_test

import (
	"errors"
	"testing"
	"time"

	"garoupa/pix/psp"
)

func TestNone(t *testing.T) {
	t.Parallel()
	var provider psp.Provider = psp.None{}
	issued, err := provider.PutCharge(t.Context(), psp.Charge{
		TxID: "9d36b84fc70b478fb95c12729b90ca25", Amount: 1, ExpiresIn: time.Minute, MerchantName: "LOJA", City: "RIO",
	})
	if !errors.Is(err, psp.ErrUnavailable) || issued != (psp.Issued{}) {
		t.Errorf("PutCharge = %+v, %v", issued, err)
	}
}
