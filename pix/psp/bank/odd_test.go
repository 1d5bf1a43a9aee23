package bank_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"garoupa/pix/psp/bank/control"
)

// Odd addresses are answered as every other, and end nothing.
func TestOddPaths(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.router = nil // they are not of the API
	a.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for path, want := range map[string]int{
		"/cob/%00":                                http.StatusNotFound,
		"/cob/%2e%2e%2fpix":                       http.StatusNotFound,
		"/cob/" + strings.Repeat("x", 100_000):    http.StatusNotFound,
		"/cob/" + txID(1) + "?revisao=-1":         http.StatusNotFound,
		"//cob":                                   http.StatusTemporaryRedirect,
		"/pix/../cob":                             http.StatusTemporaryRedirect,
		"/loc/99999999999999999999":               http.StatusNotFound,
		"/loc/-1":                                 http.StatusNotFound,
		"/loc/0":                                  http.StatusNotFound,
		"/pix?inicio=%00&fim=":                    http.StatusBadRequest,
		"/pix?inicio=x&inicio=y":                  http.StatusBadRequest,
		"/gn/pix/enviados/x":                      http.StatusNotFound,
		"/webhook/" + strings.Repeat("%C3", 1000): http.StatusNotFound,
	} {
		status, body := a.send(a.request("GET", a.Base()+path, "")) // send looks for the header of each answer
		if status != want {
			t.Errorf("%.40s: %d %s", path, status, body)
		}
	}
}

// A body that is not what the API takes is a bad request, and one of more than 1 MiB too large.
func TestOddBodies(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.router = nil // nor are these
	for _, body := range []string{"", "null", "[]", "{", `{"valor":1}`, "\x00", strings.Repeat("[", 100_000)} {
		for _, call := range []string{"PUT /cob/" + txID(1), "POST /cob", "POST /loc",
			"PUT /webhook/" + a.Folder.Account.PixKey, "PUT /pix/E1/devolucao/d1"} {
			method, path, _ := strings.Cut(call, " ")
			if status, got := a.send(a.request(method, a.Base()+path, body)); status != http.StatusBadRequest {
				t.Errorf("%s %.20q: %d %s", call, body, status, got)
			}
		}
	}
	large := `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	r := a.request("PUT", a.Base()+"/cob/"+txID(1), large)
	if status, _, err := a.try(r); err == nil && status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", status)
	}
	a.create(1, "1.00")
}

// Rules of a charge that the answer names only by the member.
func TestCharge_MoreRules(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.router = nil // the description has no withdrawals
	for property, change := range map[string]object{
		"cob.calendario.expiracao": {"calendario": object{"expiracao": 9_300_000_000}}, // overflows in nanoseconds
		"cob.devedor":              {"devedor": object{"nome": "x", "cpf": "52998224725", "cnpj": "11222333000181"}},
		"cob.infoAdicionais":       {"infoAdicionais": make([]object, 51)},
		"cob.valor.retirada":       {"valor": object{"original": "1.00", "retirada": object{}}},
	} {
		body := a.charge("1.00")
		maps.Copy(body, change)
		status, got := a.call("PUT", "/cob/"+txID(1), body)
		violations, _ := got["violacoes"].([]any)
		if status != http.StatusBadRequest || len(violations) != 1 ||
			violations[0].(object)["propriedade"] != property {
			t.Errorf("%s: the answer is %d %v", property, status, got)
		}
	}
	body := a.charge("1.00")
	body["calendario"] = object{"expiracao": 2147483647}
	created := a.must(http.StatusCreated, "PUT", "/cob/"+txID(2), body)
	a.pay(control.PayRequest{Code: created["pixCopiaECola"].(string)})
}

// The texts of a PATCH take the place of those before, and its charge leaves its location as a revision.
func TestCharge_Replaced(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.router = nil // the description has no charge without a location
	body := a.charge("1.00")
	body["devedor"] = object{"cpf": "52998224725", "nome": "Fulano de Tal"}
	body["infoAdicionais"] = []object{{"nome": "Pedido", "valor": "1"}}
	a.must(http.StatusCreated, "PUT", "/cob/"+txID(1), body)
	patched := a.must(http.StatusOK, "PATCH", "/cob/"+txID(1), object{
		"infoAdicionais": []object{{"nome": "Loja", "valor": "2"}}})
	if infos := patched["infoAdicionais"].([]any); len(infos) != 1 || infos[0].(object)["nome"] != "Loja" {
		t.Errorf("the texts are %v", infos)
	}
	a.must(http.StatusOK, "DELETE", "/loc/1/txid", nil)
	a.create(2, "1.00")
	if c := a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil); c["revisao"] != 2.0 || c["loc"] != nil {
		t.Errorf("without its location the charge is %v", c)
	}
	for query, want := range map[string]string{
		"&cpf=52998224725": txID(1), "&cpf=11144477735": "", "&locationPresente=true": txID(2),
		"&locationPresente=false": txID(1),
	} {
		found := ""
		for _, c := range a.must(http.StatusOK, "GET", "/cob"+a.day()+query, nil)["cobs"].([]any) {
			found += c.(object)["txid"].(string)
		}
		if found != want {
			t.Errorf("%s: %s", query, found)
		}
	}
	for _, size := range []string{"0", "1001", "x", "-1"} {
		a.refused(http.StatusBadRequest, "PixConsultaInvalida", "GET",
			"/pix"+a.day()+"&paginacao.itensPorPagina="+size, nil)
	}
}

// A return is one of the nature ORIGINAL.
func TestReturn_Nature(t *testing.T) {
	t.Parallel()
	a := generic(t)
	id := a.pay(control.PayRequest{Code: a.create(1, "1.00")})[0]
	path := "/pix/" + id + "/devolucao/d1"
	a.refused(http.StatusBadRequest, "PixDevolucaoInvalida", "PUT", path,
		object{"valor": "1.00", "natureza": "MED_FRAUDE"})
	a.must(http.StatusCreated, "PUT", path, object{"valor": "1.00", "natureza": "ORIGINAL"})
}

// A payout needs a registered address for notices.
func TestPayout_NoWebhook(t *testing.T) {
	t.Parallel()
	a := at(t, "efi")
	if status, got := a.payout("p1", "1.00"); status != http.StatusBadRequest {
		t.Errorf("the payout is %d %v", status, got)
	}
}

// A webhook is in the list as soon as it is registered, also where times have no milliseconds.
func TestWebhook_ListedAtOnce(t *testing.T) {
	t.Parallel()
	a := at(t, "santander")
	a.must(http.StatusOK, "PUT", "/webhook/"+a.Folder.Account.PixKey, object{"webhookUrl": "https://localhost/aviso"})
	if all := a.must(http.StatusOK, "GET", "/webhook", nil); len(all["webhooks"].([]any)) != 1 {
		t.Errorf("the webhooks are %v", all)
	}
}

// An incomplete charge is refused, also while another charge stands under every TxID.
func TestFault_OtherChargeIncomplete(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.fault(control.Fault{Name: "other-charge"})
	a.refused(http.StatusBadRequest, "CobOperacaoInvalida", "PUT", "/cob/"+txID(1), object{})
	a.refused(http.StatusNotFound, "CobNaoEncontrada", "GET", "/cob/"+txID(1), nil)
}
