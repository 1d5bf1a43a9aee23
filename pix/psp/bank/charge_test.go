package bank_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"garoupa/pix"
	"garoupa/pix/psp/bank/control"
)

// A charge is created, read, found in the list, paid once and then closed.
func TestCharge_Life(t *testing.T) {
	t.Parallel()
	a := generic(t)
	body := a.charge("49.90")
	body["devedor"] = object{"cpf": "52998224725", "nome": "Fulano de Tal"}
	body["solicitacaoPagador"] = "Vaso"
	body["infoAdicionais"] = []object{{"nome": "Pedido", "valor": "1"}}
	created := a.must(http.StatusCreated, "PUT", "/cob/"+txID(1), body)
	text, _ := created["pixCopiaECola"].(string)
	code, err := pix.Parse(text)
	if err != nil || code.Amount != 4990 || code.Location != created["location"] || code.MerchantName != "LOJA TESTE" {
		t.Errorf("the code %q is %+v, %v", text, code, err)
	}
	read := a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)
	if read["status"] != "ATIVA" || read["revisao"] != 0.0 || read["devedor"] == nil || read["infoAdicionais"] == nil ||
		read["solicitacaoPagador"] != "Vaso" || read["pix"] != nil {
		t.Errorf("the charge is %v", read)
	}

	ids := a.pay(control.PayRequest{Code: text})
	read = a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)
	received, _ := read["pix"].([]any)
	if read["status"] != "CONCLUIDA" || len(received) != 1 || received[0].(object)["endToEndId"] != ids[0] ||
		received[0].(object)["valor"] != "49.90" || read["pixCopiaECola"] != nil {
		t.Errorf("after payment the charge is %v", read)
	}
	a.refused(http.StatusBadRequest, "CobOperacaoInvalida", "PUT", "/cob/"+txID(1), a.charge("1.00"))
	a.refused(http.StatusBadRequest, "CobOperacaoInvalida", "PATCH", "/cob/"+txID(1),
		object{"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})
}

// The bank chooses the TxID of a charge that comes without one.
func TestCharge_Post(t *testing.T) {
	t.Parallel()
	a := generic(t)
	first := a.must(http.StatusCreated, "POST", "/cob", a.charge("1.00"))["txid"].(string)
	second := a.must(http.StatusCreated, "POST", "/cob", a.charge("1.00"))["txid"].(string)
	if !pix.ValidChargeTxID(first) || first == second {
		t.Errorf("TxIDs are %q and %q", first, second)
	}
}

// A repeated PUT changes nothing. A PUT with another body makes a revision, at the same place.
func TestCharge_PutAgain(t *testing.T) {
	t.Parallel()
	a := generic(t)
	first := a.must(http.StatusCreated, "PUT", "/cob/"+txID(1), a.charge("49.90"))
	again := a.must(http.StatusCreated, "PUT", "/cob/"+txID(1), a.charge("49.90"))
	if again["revisao"] != 0.0 || again["pixCopiaECola"] != first["pixCopiaECola"] {
		t.Errorf("the same PUT made %v of %v", again, first)
	}
	other := a.must(http.StatusCreated, "PUT", "/cob/"+txID(1), a.charge("50.00"))
	if other["revisao"] != 1.0 || other["location"] != first["location"] {
		t.Errorf("another PUT made %v", other)
	}
	old := a.must(http.StatusOK, "GET", "/cob/"+txID(1)+"?revisao=0", nil)
	if old["valor"].(object)["original"] != "49.90" {
		t.Errorf("revision 0 is %v", old)
	}
	if status, _ := a.call("GET", "/cob/"+txID(1)+"?revisao=2", nil); status != http.StatusBadRequest {
		t.Errorf("revision 2 is %d", status)
	}
}

// PATCH changes members, or removes the charge; a removal comes alone.
func TestCharge_Patch(t *testing.T) {
	t.Parallel()
	a := generic(t)
	code := a.create(1, "49.90")
	changed := a.must(http.StatusOK, "PATCH", "/cob/"+txID(1), object{"valor": object{"original": "10.00"}})
	if changed["revisao"] != 1.0 || changed["valor"].(object)["original"] != "10.00" {
		t.Errorf("the changed charge is %v", changed)
	}
	removal := "REMOVIDA_PELO_USUARIO_RECEBEDOR"
	a.refused(http.StatusBadRequest, "CobOperacaoInvalida", "PATCH", "/cob/"+txID(1),
		object{"status": removal, "solicitacaoPagador": "x"})
	a.refused(http.StatusBadRequest, "CobOperacaoInvalida", "PATCH", "/cob/"+txID(1), object{"status": "CONCLUIDA"})
	removed := a.must(http.StatusOK, "PATCH", "/cob/"+txID(1), object{"status": removal})
	if removed["status"] != removal || removed["revisao"] != 2.0 {
		t.Errorf("the removed charge is %v", removed)
	}
	if _, err := a.Control.Pay(t.Context(), control.PayRequest{Code: code}); err == nil {
		t.Error("a removed charge was paid")
	}
	a.refused(http.StatusNotFound, "CobNaoEncontrada", "PATCH", "/cob/"+txID(2), object{"status": removal})
}

// Each rule of a charge has a problem that names the member.
func TestCharge_Rules(t *testing.T) {
	t.Parallel()
	a := generic(t)
	long := strings.Repeat("x", 141)
	for property, change := range map[string]object{
		"cob.calendario":                {"calendario": nil},
		"cob.calendario.expiracao":      {"calendario": object{"expiracao": 0}},
		"cob.valor.original":            {"valor": object{"original": "1,00"}},
		"cob.chave":                     {"chave": "outra@conta.teste"},
		"cob.devedor":                   {"devedor": object{"nome": "Fulano"}},
		"cob.devedor.nome":              {"devedor": object{"cpf": "52998224725"}},
		"cob.devedor.cpf":               {"devedor": object{"cpf": "1", "nome": "Fulano"}},
		"cob.solicitacaoPagador":        {"solicitacaoPagador": long},
		"cob.infoAdicionais[0]":         {"infoAdicionais": []object{{"nome": long, "valor": "1"}}},
		"cob.loc.id":                    {"loc": object{"id": 7}},
		"cob.valor.modalidadeAlteracao": {"valor": object{"original": "1.00", "modalidadeAlteracao": 2}},
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
	a.refused(http.StatusNotFound, "CobNaoEncontrada", "GET", "/cob/"+txID(1), nil)
	zero := a.charge("0.00")
	a.refused(http.StatusBadRequest, "CobOperacaoInvalida", "PUT", "/cob/"+txID(1), zero)
}

// The list has the charges of its window and status, by pages.
func TestCharge_List(t *testing.T) {
	t.Parallel()
	a := generic(t)
	for n := range 3 {
		a.create(n, "1.00")
	}
	a.pay(control.PayRequest{Code: a.create(3, "2.00")})
	list := func(query string) (txIDs []string, total float64) {
		got := a.must(http.StatusOK, "GET", "/cob"+a.day()+query, nil)
		for _, c := range got["cobs"].([]any) {
			txIDs = append(txIDs, c.(object)["txid"].(string))
		}
		return txIDs, got["parametros"].(object)["paginacao"].(object)["quantidadeTotalDeItens"].(float64)
	}
	page, total := list("&paginacao.paginaAtual=1&paginacao.itensPorPagina=3")
	if len(page) != 1 || page[0] != txID(3) || total != 4 {
		t.Errorf("the second page is %v of %v", page, total)
	}
	if paid, total := list("&status=CONCLUIDA"); len(paid) != 1 || paid[0] != txID(3) || total != 1 {
		t.Errorf("paid are %v of %v", paid, total)
	}
	if beyond, total := list("&paginacao.paginaAtual=9"); len(beyond) != 0 || total != 4 {
		t.Errorf("page 9 is %v of %v", beyond, total)
	}
	none := a.must(http.StatusOK, "GET", "/cob?inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z", nil)
	if len(none["cobs"].([]any)) != 0 {
		t.Errorf("charges of 2020 are %v", none)
	}
	if status, _ := a.call("GET", "/cob?inicio=2020-01-02T00:00:00Z&fim=2020-01-01T00:00:00Z", nil); status != 400 {
		t.Errorf("a window that ends before it begins is %d", status)
	}
}
