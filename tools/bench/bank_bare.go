package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// barePuts is a loop that creates charges at the bank, and does nothing else.
type barePuts struct {
	client *http.Client
	base   string
	token  string
	body   string
}

// newBarePuts returns a loop with a token and open connections, by HTTP/2 as the product's.
func newBarePuts(ctx context.Context, bank *servedBank) (*barePuts, error) {
	certificate, err := bank.folder.Client()
	if err != nil {
		return nil, err
	}
	authorities, err := bank.folder.Authorities()
	if err != nil {
		return nil, err
	}
	account := bank.folder.Account
	p := &barePuts{base: bank.state.Base, client: &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: authorities, Certificates: []tls.Certificate{certificate}}}}}
	p.body = fmt.Sprintf(`{"calendario":{"expiracao":86390},"devedor":{"cpf":"12345678909","nome":"Marina Prado"},`+
		`"valor":{"original":"1249.90"},"chave":%q,"solicitacaoPagador":"Vaso Lua Nova, esmalte azul cobalto"}`,
		account.PixKey)
	form := strings.NewReader("grant_type=client_credentials")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, bank.state.TokenURL, form)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(account.ClientID, account.ClientSecret)
	answer, err := p.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var granted struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&granted); err != nil || granted.Token == "" {
		return nil, errors.Join(errors.New("the bank gives no token"), err)
	}
	p.token = granted.Token
	return p, nil
}

// run creates charges for a time; each client waits for an answer before its next request.
func (p *barePuts) run(ctx context.Context, length time.Duration) (result, error) {
	group, ctx := errgroup.WithContext(ctx)
	histograms := make([]histogram, bankClients)
	start := time.Now()
	for i := range histograms {
		group.Go(func() error {
			for sent := time.Now(); sent.Before(start.Add(length)) || histograms[i].total == 0; {
				if err := p.put(ctx); err != nil {
					return err
				}
				answered := time.Now()
				histograms[i].add(answered.Sub(sent))
				sent = answered
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return result{}, err
	}
	took := time.Since(start)
	all := &histogram{}
	for i := range histograms {
		all.merge(&histograms[i])
	}
	return result{rate: float64(all.total) / took.Seconds(), p50: all.quantile(0.50), p99: all.quantile(0.99)}, nil
}

func (p *barePuts) put(ctx context.Context) error {
	txID := fmt.Sprintf("bare%016x%016x", rand.Uint64(), rand.Uint64())[:35]
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, p.base+"/cob/"+txID, strings.NewReader(p.body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusCreated {
		return fmt.Errorf("the bank answers %d", answer.StatusCode)
	}
	return nil
}
