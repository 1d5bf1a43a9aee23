package web_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// scanned is what testdata/scan.mjs sees in a picture.
type scanned struct {
	Text, URL, Name, Amount string
}

func scan(t *testing.T, png []byte) (saw scanned) {
	t.Helper()
	node := exec.CommandContext(t.Context(), "node", "testdata/scan.mjs")
	node.Stdin = bytes.NewReader(png)
	var complaint strings.Builder
	node.Stderr = &complaint
	out, err := node.Output()
	if err != nil {
		t.Fatalf("node testdata/scan.mjs: %v\n%s", err, complaint.String())
	}
	if err := json.Unmarshal(out, &saw); err != nil {
		t.Fatalf("scan.mjs says %s: %v", out, err)
	}
	return saw
}

// A camera that is pointed at any picture of the code, of the page itself or of the
// API, reads the charge: the amount and the TxID.
func TestScan(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Checkout(t, payments.NewCheckout{Amount: 1249_90})
	page := browsertest.Open(t, s.URL+"/pay/"+c.ID, browsertest.Options{Viewport: browsertest.Desktop})
	page.WaitVisible("#qr svg")
	for name, png := range map[string][]byte{
		"the page":          page.Screenshot("pay-scanned"),
		"the image to save": []byte(s.Client(t).Get("/pay/" + c.ID + "/qr.png").Body),
		"the API's address": []byte(s.Client(t).Get("/qr/" + c.ID + ".png").Body),
		"the API's image":   c.QRPNG,
	} {
		saw := scan(t, png)
		if saw.Text != c.CopyPaste || saw.Amount != "1249.90" || !strings.HasSuffix(saw.URL, "/sim/"+c.TxID) ||
			saw.Name != "Atelie Aurora" {
			t.Errorf("%s: a scanner sees %+v, want %s", name, saw, c.CopyPaste)
		}
	}
}
