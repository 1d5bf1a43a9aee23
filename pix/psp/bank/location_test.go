package bank_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"garoupa/pix/psp/bank/control"
)

// A location can be made first, shows one charge at a time, and can be freed.
func TestLocation(t *testing.T) {
	t.Parallel()
	a := generic(t)
	made := a.must(http.StatusCreated, "POST", "/loc", object{"tipoCob": "cob"})
	id := strconv.Itoa(int(made["id"].(float64)))
	body := a.charge("1.00")
	body["loc"] = object{"id": made["id"], "tipoCob": "cob"}
	charge := a.must(http.StatusCreated, "PUT", "/cob/"+txID(1), body)
	if charge["location"] != made["location"] {
		t.Errorf("the charge is at %v, the location is %v", charge["location"], made)
	}
	a.refused(http.StatusBadRequest, "CobOperacaoInvalida", "PUT", "/cob/"+txID(2), body)
	if l := a.must(http.StatusOK, "GET", "/loc/"+id, nil); l["txid"] != txID(1) {
		t.Errorf("the location is %v", l)
	}
	other := a.must(http.StatusCreated, "POST", "/loc", object{"tipoCob": "cob"})
	moved := a.must(http.StatusOK, "PATCH", "/cob/"+txID(1), object{
		"loc": object{"id": other["id"], "tipoCob": "cob"}})
	if moved["location"] != other["location"] || moved["revisao"] != 1.0 {
		t.Errorf("the moved charge is %v", moved)
	}
	if l := a.must(http.StatusOK, "GET", "/loc/"+id, nil); l["txid"] != nil {
		t.Errorf("the location that the charge has left is %v", l)
	}
	a.must(http.StatusOK, "DELETE", "/loc/2/txid", nil)
	for query, want := range map[string]int{"": 2, "&txIdPresente=true": 0, "&txIdPresente=false": 2} {
		if got := a.must(http.StatusOK, "GET", "/loc"+a.day()+query, nil); len(got["loc"].([]any)) != want {
			t.Errorf("%q: %v", query, got)
		}
	}
	a.refused(http.StatusNotFound, "PayloadLocationNaoEncontrado", "GET", "/loc/9", nil)
	a.refused(http.StatusBadRequest, "PayloadLocationOperacaoInvalida", "POST", "/loc", object{"tipoCob": "cobv"})
}

// A payer's app, without any certificate, reads the charge at the location, signed with the key
// that the bank publishes. Once the charge is paid or expired it is gone.
func TestPayload(t *testing.T) {
	t.Parallel()
	a := generic(t)
	code := a.create(1, "49.90")
	location := a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)["location"].(string)
	app := &api{Bank: a.Bank, t: t, client: a.ClientWith(t)}
	read := func() (int, []byte) { return app.send(app.request("GET", "https://"+location, "")) }
	status, body := read()
	if status != http.StatusOK {
		t.Fatalf("the payload is %d %s", status, body)
	}
	claims := jwt.MapClaims{}
	token, err := jwt.ParseWithClaims(string(body), claims, func(token *jwt.Token) (any, error) {
		return app.publishedKey(token), nil
	}, jwt.WithValidMethods([]string{"ES256"}))
	if err != nil || !token.Valid || claims["txid"] != txID(1) || claims["status"] != "ATIVA" ||
		claims["calendario"].(object)["apresentacao"] == nil || claims["pixCopiaECola"] != nil {
		t.Errorf("the payload is %v, %v", claims, err)
	}
	a.pay(control.PayRequest{Code: code})
	if status, body := read(); status != http.StatusGone {
		t.Errorf("the payload of a paid charge is %d %s", status, body)
	}
	a.create(2, "1.00")
	location = a.must(http.StatusOK, "GET", "/cob/"+txID(2), nil)["location"].(string)
	a.Clock.Add(2 * time.Hour)
	if status, body := read(); status != http.StatusGone {
		t.Errorf("the payload of an expired charge is %d %s", status, body)
	}
	location = strings.Replace(location, "/qr/v2/", "/qr/v2/x", 1)
	if status, body := read(); status != http.StatusNotFound {
		t.Errorf("the payload of nothing is %d %s", status, body)
	}
}

// publishedKey returns the key that a signed payload names.
func (a *api) publishedKey(token *jwt.Token) any {
	a.t.Helper()
	status, body := a.send(a.request("GET", token.Header["jku"].(string), ""))
	var set struct {
		Keys []struct {
			KeyID       string   `json:"kid"`
			Certificate []string `json:"x5c"`
		} `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil || status != http.StatusOK || len(set.Keys) != 1 ||
		set.Keys[0].KeyID != token.Header["kid"] {
		a.t.Fatalf("the keys are %d %s, %v", status, body, err)
	}
	der, err := base64.StdEncoding.DecodeString(set.Keys[0].Certificate[0])
	if err != nil {
		a.t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return certificate.PublicKey
}
