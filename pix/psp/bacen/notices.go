package bacen

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"path"

	"garoupa/pix/psp"
)

// webhookCall returns a call of /webhook/{chave}.
func (c *Client) webhookCall(method, op string) call {
	k := call{op: op, method: method, url: c.url("webhook", c.options.PixKey), scope: "webhook.read", time: readTime,
		rank: look}
	if method != http.MethodGet {
		k.scope, k.headers = "webhook.write", c.options.fill(c.options.Profile.RegisterHeaders)
	}
	return k
}

// webhook returns the URL to which the bank posts notices.
func (c *Client) webhook(ctx context.Context) (string, error) {
	k := c.webhookCall(http.MethodGet, "read webhook")
	body, err := c.read(ctx, k)
	if err != nil {
		return "", err
	}
	a, err := decode[struct {
		URL text `json:"webhookUrl"`
	}](body)
	return string(a.URL), named(err, k.op)
}

// RegisterNotices implements psp.Bank: PUT /webhook/{chave}. From then on no error has the last part of the URL's
// path, which is secret.
func (c *Client) RegisterNotices(ctx context.Context, url string) error {
	c.secrets.add(path.Base(url))
	k := c.webhookCall(http.MethodPut, "register notices")
	var err error
	if k.body, err = json.Marshal(map[string]string{"webhookUrl": url}); err != nil {
		return named(err, k.op)
	}
	_, err = write(ctx, c, k, func([]byte) (struct{}, error) {
		return struct{}{}, nil
	}, func(ctx context.Context) (struct{}, bool, error) {
		there, err := c.webhook(ctx)
		return struct{}{}, err == nil && there == url, err
	})
	return err
}

// noticePix is what of a received Pix in a notice may be used.
type noticePix struct {
	EndToEndID text `json:"endToEndId"`
	TxID       text `json:"txid"`
	Returns    list[struct {
		ID text `json:"id"`
	}] `json:"devolucoes"`
}

// Hints implements psp.Bank. It reads {"pix": […]}, and the bare list of some banks. Notices of other
// things, such as recurring charges, and an empty body have no hints. A body that is not JSON is
// Protocol.
func (c *Client) Hints(body []byte) ([]psp.Hint, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, nil
	}
	var (
		payments list[noticePix]
		err      error
	)
	if body[0] == '[' {
		payments, err = decode[list[noticePix]](body)
	} else {
		var notice struct {
			Payments list[noticePix] `json:"pix"`
		}
		notice, err = decode[struct {
			Payments list[noticePix] `json:"pix"`
		}](body)
		payments = notice.Payments
	}
	if err != nil {
		return nil, named(err, "read notice")
	}
	var hints []psp.Hint
	for _, p := range payments {
		hint := psp.Hint{TxID: idOrNone(p.TxID), EndToEndID: idOrNone(p.EndToEndID)}
		if len(p.Returns) == 0 && hint != (psp.Hint{}) {
			hints = append(hints, hint)
		}
		for _, r := range p.Returns {
			if hint.ReturnID = idOrNone(r.ID); hint != (psp.Hint{}) {
				hints = append(hints, hint)
			}
		}
	}
	return hints, nil
}

// idOrNone returns an id of a notice, or "" if it has another form: anyone can write a notice.
func idOrNone(t text) string {
	if !validID(string(t)) {
		return ""
	}
	return string(t)
}
