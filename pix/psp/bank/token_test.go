package bank_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/pix/psp/bank/control"
)

// Each profile takes the client's id and secret in its own way, and no other.
func TestToken_Styles(t *testing.T) {
	t.Parallel()
	const form, asJSON = "application/x-www-form-urlencoded", "application/json"
	grant := "grant_type=client_credentials"
	for profile, want := range map[string]string{
		"generic": "basic form", "efi": "basic json", "inter": "secret form", "sicoob": "id form",
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t, profile)
			id, secret := a.Folder.Account.ClientID, a.Folder.Account.ClientSecret
			for style, send := range map[string]func() *http.Request{
				"basic form": func() *http.Request {
					r := a.request("POST", a.TokenURL(), grant)
					r.Header.Set("Content-Type", form)
					r.SetBasicAuth(id, secret)
					return r
				},
				"basic json": func() *http.Request {
					r := a.request("POST", a.TokenURL(), `{"grant_type":"client_credentials"}`)
					r.Header.Set("Content-Type", asJSON)
					r.SetBasicAuth(id, secret)
					return r
				},
				"secret form": func() *http.Request {
					r := a.request("POST", a.TokenURL(), grant+"&client_id="+id+"&client_secret="+secret)
					r.Header.Set("Content-Type", form)
					return r
				},
				"id form": func() *http.Request {
					r := a.request("POST", a.TokenURL(), grant+"&client_id="+id)
					r.Header.Set("Content-Type", form)
					return r
				},
			} {
				status, body := a.send(send())
				// A bank that ignores the secret takes a form that has one, too.
				fits := style == want || want == "id form" && style == "secret form"
				if fits != (status == http.StatusOK) {
					t.Errorf("%s: %d %s", style, status, body)
				}
			}
		})
	}
}

// A token has the scopes that were asked for, and opens only what they allow, for an hour.
func TestToken_Scopes(t *testing.T) {
	t.Parallel()
	a := newAPI(t, "generic")
	r := a.request("POST", a.TokenURL(), "grant_type=client_credentials&scope=cob.read+pix.read+unknown")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(a.Folder.Account.ClientID, a.Folder.Account.ClientSecret)
	_, body := a.send(r)
	granted := decode(t, body)
	if granted["scope"] != "cob.read pix.read" {
		t.Errorf("granted %v", granted)
	}
	a.refused(http.StatusUnauthorized, "AcessoNegado", "GET", "/webhook", nil)
	a.token = granted["access_token"].(string)
	a.must(http.StatusOK, "GET", "/pix"+a.day(), nil)
	a.refused(http.StatusForbidden, "AcessoNegado", "PUT", "/cob/"+txID(1), a.charge("1.00"))
	a.Clock.Add(2 * time.Hour)
	a.refused(http.StatusUnauthorized, "AcessoNegado", "GET", "/pix"+a.day(), nil)
}

// Nothing is served without the certificate of this client; a certificate of another authority, or
// one that has expired, opens no connection.
func TestCertificate(t *testing.T) {
	t.Parallel()
	a := generic(t)
	issue := func(name string, from, until time.Time) tls.Certificate {
		certificate, key, err := a.Folder.Issue(name, from, until, x509.ExtKeyUsageClientAuth)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	now := time.Now()
	list := func(with ...tls.Certificate) (int, error) {
		a.client = a.ClientWith(t, with...)
		status, _, err := a.try(a.request("GET", a.Base()+"/pix"+a.day(), ""))
		return status, err
	}
	if status, err := list(); status != http.StatusForbidden {
		t.Errorf("without a certificate: %d, %v", status, err)
	}
	other := issue("banco-outro", now.Add(-time.Hour), now.Add(time.Hour))
	if status, err := list(other); status != http.StatusForbidden {
		t.Errorf("with the certificate of another client: %d, %v", status, err)
	}
	id := a.Folder.Account.ClientID
	if status, err := list(issue(id, now.Add(-time.Hour), now.Add(time.Hour))); status != http.StatusOK {
		t.Errorf("with a new certificate: %d, %v", status, err)
	}
	if err := a.handshake(issue(id, now.Add(-2*time.Hour), now.Add(-time.Hour))); err == nil ||
		!strings.Contains(err.Error(), "expired") {
		t.Errorf("with an expired certificate: %v", err)
	}
	foreign, err := newAPI(t, "generic").Folder.Client()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.handshake(foreign); err == nil || !strings.Contains(err.Error(), "unknown certificate authority") {
		t.Errorf("with the certificate of another authority: %v", err)
	}
}

// handshake connects with a certificate, and returns what the bank says to it.
func (a *api) handshake(with tls.Certificate) error {
	a.t.Helper()
	config := a.ClientWith(a.t, with).Transport.(*http.Transport).TLSClientConfig
	conn, err := tls.Dial("tcp", strings.TrimPrefix(a.URL(), "https://"), config)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		a.t.Fatal(err)
	}
	_, err = conn.Read(make([]byte, 1)) // the bank checks the certificate after the client's handshake has ended
	return err
}

// The fault "expired-cert" makes the client's good certificate appear expired, on open connections too.
func TestFault_ExpiredCert(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.create(1, "1.00")
	a.fault(control.Fault{Name: "expired-cert"})
	for range 3 {
		if status, _, err := a.try(a.request("GET", a.Base()+"/cob/"+txID(1), "")); err == nil {
			t.Errorf("the call was answered with %d", status)
		}
	}
	if err := a.Control.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)
}
