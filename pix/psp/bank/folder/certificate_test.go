package folder_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
	"time"

	"garoupa/pix/psp/bank/folder"
)

// shake lets a client and a server meet over TLS. Each trusts the authority of f alone. It returns
// the error of each.
func shake(t *testing.T, f folder.Folder, server, client tls.Certificate) (atServer, atClient error) {
	t.Helper()
	pool, err := f.Authorities()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ended := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			ended <- err
			return
		}
		defer conn.Close()
		s := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{server}, ClientCAs: pool,
			ClientAuth: tls.RequireAndVerifyClientCert})
		if err = s.Handshake(); err == nil {
			_, err = s.Write([]byte{1})
		}
		ended <- err
	}()
	conn, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{RootCAs: pool, ServerName: "localhost",
		Certificates: []tls.Certificate{client}})
	if err != nil {
		return <-ended, err
	}
	defer conn.Close()
	_, atClient = conn.Read(make([]byte, 1)) // a server that refuses says so after the client's handshake
	return <-ended, atClient
}

// pairOf returns a certificate of f, or fails the test.
func pairOf(t *testing.T, get func() (tls.Certificate, error)) tls.Certificate {
	t.Helper()
	pair, err := get()
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// The account's software and the bank prove themselves to each other in both directions: calls
// of the API, and notices. Nothing of another bank is trusted, on either side.
func TestHandshake(t *testing.T) {
	t.Parallel()
	f, other := made(t), made(t)
	for name, c := range map[string]struct {
		server, client             func() (tls.Certificate, error)
		serverTrusts, clientTrusts bool
	}{
		"API":                      {f.Certificate, f.Client, true, true},
		"notices":                  {f.Notices, f.Certificate, true, true},
		"another bank's client":    {f.Certificate, other.Client, false, false},
		"another bank":             {other.Certificate, f.Client, false, false},
		"notices' as a client's":   {f.Certificate, f.Notices, false, false},
		"the client's as a server": {f.Client, f.Client, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atServer, atClient := shake(t, f, pairOf(t, c.server), pairOf(t, c.client))
			if (atServer == nil) != c.serverTrusts || (atClient == nil) != c.clientTrusts {
				t.Errorf("the server says %v, the client %v", atServer, atClient)
			}
		})
	}
}

// Certificates count only in their time.
func TestIssue(t *testing.T) {
	t.Parallel()
	f := made(t)
	now := time.Now()
	for name, c := range map[string]struct {
		from, until time.Time
		valid       bool
	}{
		"valid":   {now.Add(-time.Hour), now.Add(time.Hour), true},
		"expired": {now.Add(-2 * time.Hour), now.Add(-time.Hour), false},
		"early":   {now.Add(time.Hour), now.Add(2 * time.Hour), false},
	} {
		certificate, key, err := f.Issue("x", c.from, c.until, x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			t.Fatal(err)
		}
		if atServer, _ := shake(t, f, pairOf(t, f.Certificate), pair); (atServer == nil) != c.valid {
			t.Errorf("as a client's, %s: %v", name, atServer)
		}
		if _, atClient := shake(t, f, pair, pairOf(t, f.Client)); (atClient == nil) != c.valid {
			t.Errorf("as a server's, %s: %v", name, atClient)
		}
	}
}

// Each certificate says what it is for, and for how long.
func TestCertificates(t *testing.T) {
	t.Parallel()
	f := made(t)
	pool, err := f.Authorities()
	if err != nil {
		t.Fatal(err)
	}
	client := pairOf(t, f.Client).Leaf.Subject
	if client.CommonName != f.Account.ClientID || client.SerialNumber != f.Account.HolderDocument ||
		len(client.Organization) != 1 || client.Organization[0] != f.Account.HolderName {
		t.Errorf("the client is %s", client)
	}
	if name := pairOf(t, f.Certificate).Leaf.Subject.CommonName; name != "banco.teste" {
		t.Errorf("the bank is %s", name)
	}
	for name, get := range map[string]func() (tls.Certificate, error){
		"server": f.Certificate, "client": f.Client, "notices": f.Notices,
	} {
		pair := pairOf(t, get)
		leaf := pair.Leaf
		key, ok := leaf.PublicKey.(*ecdsa.PublicKey)
		if !ok || key.Curve != elliptic.P256() || len(pair.Certificate) != 1 || leaf.IsCA {
			t.Errorf("%s: %T, %d certificates, CA %t", name, leaf.PublicKey, len(pair.Certificate), leaf.IsCA)
		}
		days := time.Until(leaf.NotAfter).Hours() / 24
		if days < 824 || days > 825 {
			t.Errorf("%s ends in %v days", name, days)
		}
		for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
			if err := leaf.VerifyHostname(host); name != "client" && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		chains, err := leaf.Verify(x509.VerifyOptions{Roots: pool, CurrentTime: time.Now().AddDate(1, 0, 0),
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if years := time.Until(chains[0][1].NotAfter).Hours() / 24 / 365; years < 9.9 || years > 10.1 {
			t.Errorf("the authority ends in %v years", years)
		}
	}
}
