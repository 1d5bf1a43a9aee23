package bacen

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp"
)

const (
	// expiresSoon is how long before its end a certificate must be replaced.
	expiresSoon = 30 * 24 * time.Hour
	// Differences of the clocks: one is worth a remark, the other prevents work.
	someSkew, muchSkew = 5 * time.Second, time.Minute
)

// Check implements psp.Bank: the certificate, the token, its scopes, the key, where notices go, and
// the bank's clock. It charges nothing: see CheckCharge.
func (c *Client) Check(ctx context.Context) []psp.Finding {
	findings := []psp.Finding{c.checkCertificate()}
	t, err := c.tokens.get(ctx, "")
	if err != nil {
		return append(findings, failed("token", named(err, "token"),
			"compare client id, secret, certificate and token URL with the bank's portal"))
	}
	findings = append(findings, psp.Finding{Check: "token", OK: true, Text: "the bank gave a token"}, c.checkScopes(t))
	address, err := c.webhook(ctx)
	switch kindOf(err) {
	case "":
		findings = append(findings, psp.Finding{Check: "key", OK: true, Text: "the bank knows the key"},
			psp.Finding{Check: "notices", OK: true, Text: "notices go to " + hostOf(address)})
	case psp.NotFound:
		findings = append(findings, psp.Finding{Check: "key", OK: true, Text: "the bank knows the key"},
			psp.Finding{Check: "notices", OK: true, Text: "no notices are registered; the bank is asked instead"})
	default:
		const advice = "see whether the key belongs to this account, and whether the contract has webhooks"
		findings = append(findings, failed("key", err, advice),
			psp.Finding{Check: "notices", Text: "cannot be tried before the key is right"})
	}
	return append(findings, c.checkClock())
}

// hostOf returns the host of a URL: its path may have the secret that proves notices.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that is not a URL"
	}
	return u.Host
}

func failed(check string, err error, advice string) psp.Finding {
	return psp.Finding{Check: check, Text: fmt.Sprintf("%v; %s", err, advice)}
}

func (c *Client) checkCertificate() psp.Finding {
	leaf, now := c.options.Certificate.Leaf, c.now()
	text := fmt.Sprintf("%s, valid until %s", leaf.Subject, leaf.NotAfter.UTC().Format(time.DateOnly))
	f := psp.Finding{Check: "certificate", Text: text}
	switch {
	case now.After(leaf.NotAfter):
		f.Text += ": it has ended, so ask the bank for a new one"
	case now.Before(leaf.NotBefore):
		f.Text += ": it is not valid yet, so wait, or set this machine's clock"
	case leaf.NotAfter.Sub(now) < expiresSoon:
		f.OK = true
		f.Text += ": it ends soon, so ask the bank for a new one"
	default:
		f.OK = true
	}
	return f
}

// checkScopes compares what was granted with what this client uses.
func (c *Client) checkScopes(t token) psp.Finding {
	f := psp.Finding{Check: "scopes", OK: true, Text: "the bank does not say which scopes it granted"}
	if t.scopes == nil {
		return f
	}
	missing := slices.DeleteFunc(slices.Clone(c.options.Profile.Scopes), t.grants)
	if f.OK = len(missing) == 0; f.OK {
		f.Text = "granted: " + strings.Join(t.scopes, " ")
		return f
	}
	f.Text = "missing: " + strings.Join(missing, " ") + "; ask for them in the bank's portal"
	return f
}

func (c *Client) checkClock() psp.Finding {
	skew := c.clock.skew()
	f := psp.Finding{Check: "clock", OK: skew.Abs() <= muchSkew, Text: "this machine and the bank agree"}
	if skew.Abs() > someSkew {
		f.Text = fmt.Sprintf("the bank's clock is %s ahead of this machine's; see whether this one is synchronized",
			skew.Round(time.Second))
	}
	return f
}

// CheckCharge creates a charge of one centavo and removes it again.
func (c *Client) CheckCharge(ctx context.Context) psp.Finding {
	f := psp.Finding{Check: "charge"}
	charge := psp.Charge{TxID: pix.ChargeTxID(rand.Text()), Amount: 1, ExpiresIn: 5 * time.Minute,
		MerchantName: unnamed, City: nowhere, Description: "Teste"}
	_, putErr := c.PutCharge(ctx, charge)
	if kindOf(putErr).Refused() && kindOf(putErr) != psp.Protocol {
		return failed(f.Check, putErr, "ask the bank whether the contract includes immediate charges")
	}
	state, err := c.RemoveCharge(ctx, charge.TxID)
	switch {
	case putErr != nil:
		return failed(f.Check, errors.Join(putErr, err), "see what the bank answers")
	case err != nil:
		return failed(f.Check, err, "the charge "+charge.TxID+" of one centavo may still stand at the bank")
	case state.Status != psp.ChargeRemoved:
		f.Text = "the charge " + charge.TxID + " of one centavo was not removed: its status is " + state.RawStatus
		return f
	}
	f.OK, f.Text = true, "a charge of one centavo was created and removed"
	return f
}
