package bank

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"garoupa/internal/guard"
	"garoupa/pix"
	"garoupa/pix/psp/bank/journal"
)

const (
	noticeTries   = 10
	noticeBatch   = 64
	noticeTimeout = 10 * time.Second
	firstRetry    = time.Second // doubles with each try
	lastRetry     = time.Minute
)

// numbered gives the new notices of an entry their ids. If the key has no webhook, or a fault withholds
// notices, it leaves all of them out.
func (s *Server) numbered(state *journal.State, e journal.Entry) journal.Entry {
	_, known := registered(state, s.account.PixKey)
	if !known || s.active("no-notices") {
		e.Notices = nil
	}
	for i := range e.Notices {
		e.Notices[i].ID = state.NextNotice() + i
	}
	return e
}

// poster posts notices with the bank's client certificate.
type poster struct {
	bank        *Server
	authorities *x509.CertPool
	proven      *http.Client // with the certificate
	unproven    *http.Client
	woken       chan struct{}
}

func newPoster(s *Server) (*poster, error) {
	own, err := s.folder.Authorities()
	if err != nil {
		return nil, err
	}
	client := func(certificates ...tls.Certificate) *http.Client {
		return &http.Client{
			Timeout: noticeTimeout,
			Transport: &http.Transport{
				TLSClientConfig:   &tls.Config{RootCAs: own, Certificates: certificates, MinVersion: tls.VersionTLS12},
				ForceAttemptHTTP2: true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return &poster{bank: s, authorities: own, proven: client(s.identity), unproven: client(),
		woken: make(chan struct{}, 1)}, nil
}

// close ends the connections that are kept for the next notice.
func (p *poster) close() {
	p.proven.CloseIdleConnections()
	p.unproven.CloseIdleConnections()
}

// wake makes the poster look for notices now.
func (p *poster) wake() {
	select {
	case p.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// run posts what is due until ctx ends.
func (p *poster) run(ctx context.Context) {
	guard.Keep(ctx, "bank: notices", func(ctx context.Context) {
		ticker := time.NewTicker(firstRetry / 4)
		defer ticker.Stop()
		for {
			if err := p.postDue(ctx); err != nil && ctx.Err() == nil {
				p.bank.log.Error("bank: notices cannot be posted", "err", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-p.woken:
			case <-ticker.C:
			}
		}
	})
}

// postDue posts the notices whose time has come in one body, and records what became of them.
func (p *poster) postDue(ctx context.Context) error {
	now := p.bank.clock()
	var due []journal.Notice
	var items []any
	var hook journal.Webhook
	err := p.bank.journal.View(func(state *journal.State) {
		due = dueNotices(state, now)
		hook, _ = registered(state, p.bank.account.PixKey)
		for _, n := range due {
			items = append(items, p.bank.noticeItem(state, n))
		}
	})
	if err != nil || len(due) == 0 {
		return err
	}
	posted := hook.URL == "" || p.postAll(ctx, hook.URL, items)
	return p.bank.journal.Update(func(*journal.State) (journal.Entry, error) {
		for i := range due {
			n := &due[i]
			n.Tries++
			n.Done = posted || n.Tries >= noticeTries
			n.NextAt = now.Add(min(firstRetry<<(n.Tries-1), lastRetry))
		}
		return journal.Entry{Notices: due}, nil
	})
}

func dueNotices(state *journal.State, now time.Time) []journal.Notice {
	due := slices.DeleteFunc(state.Pending(), func(n journal.Notice) bool { return n.NextAt.After(now) })
	slices.SortFunc(due, func(a, b journal.Notice) int { return cmp.Compare(a.ID, b.ID) })
	return due[:min(len(due), noticeBatch)]
}

// noticeItem returns the payment or the payout of a notice as it is now.
func (s *Server) noticeItem(state *journal.State, n journal.Notice) any {
	if p, known := state.Payment(n.EndToEndID); known {
		return s.paymentView(p)
	}
	p, _ := state.PayoutByEndToEndID(n.EndToEndID)
	return s.payoutNotice(p)
}

// postAll posts the items, with what the faults add, and reports whether they were received.
func (p *poster) postAll(ctx context.Context, address string, items []any) bool {
	if p.bank.active("forged-notice") {
		p.forge(ctx, address, items)
	}
	ok := p.send(ctx, p.proven, address, items)
	if p.bank.active("double-notices") {
		p.send(ctx, p.proven, address, items)
	}
	return ok
}

// forge posts what must move no money: the true items without proof, a false amount for a true
// payment, and a payment to the key of another account.
func (p *poster) forge(ctx context.Context, address string, items []any) {
	p.send(ctx, p.unproven, address, items)
	now := p.bank.clock()
	foreign := p.bank.paymentView(journal.Payment{EndToEndID: pix.NewEndToEndID(ISPB, now), TxID: token(32),
		Amount: 123456, Key: "outra@conta.teste", At: now})
	p.send(ctx, p.proven, address, []any{foreign})
	for _, item := range items {
		if view, ok := item.(map[string]any); ok {
			forged := map[string]any{}
			for name, value := range view {
				forged[name] = value
			}
			forged["valor"] = "9999.99"
			p.send(ctx, p.proven, address, []any{forged})
		}
	}
}

// send posts one body and reports whether the answer was a success. The address gets /pix at its
// end, as text (BACEN API Pix, callback pix).
func (p *poster) send(ctx context.Context, client *http.Client, address string, items []any) bool {
	body, err := p.encode(items)
	if err != nil {
		p.bank.log.Error("bank: a notice cannot be encoded", "err", err)
		return false
	}
	status, err := p.call(ctx, client, address+"/pix", body)
	if err != nil || status >= 300 {
		p.bank.log.Warn("bank: a notice was not received", "status", status, "err", err, "items", len(items))
	}
	return err == nil && status < 300
}

func (p *poster) encode(items []any) ([]byte, error) {
	if p.bank.profile.array || p.bank.active("array-notices") {
		return json.Marshal(items)
	}
	return json.Marshal(map[string]any{"pix": items})
}

func (p *poster) call(ctx context.Context, client *http.Client, address string, body []byte) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(Header, HeaderValue)
	answer, err := client.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return 0, failed.Err // without the address, which may have a secret
	} else if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, maxBody))
	return answer.StatusCode, err
}

// probe calls an address as Efí does before it registers it. It returns why the address does not
// qualify, or "".
func (p *poster) probe(ctx context.Context, address string) (reason string) {
	body := []byte(`{"evento":"teste_webhook","data_criacao":"` + p.bank.time(p.bank.clock()) + `"}`)
	status, err := p.call(ctx, p.unproven, address, body)
	if err == nil && status < 300 {
		return "O endereço aceitou uma chamada sem certificado."
	}
	if status, err = p.call(ctx, p.proven, address, body); err != nil {
		return "O endereço não pôde ser chamado: " + strings.Join(strings.Fields(err.Error()), " ")
	} else if status >= 300 {
		return fmt.Sprintf("O endereço respondeu %d a uma chamada com certificado.", status)
	}
	return ""
}
