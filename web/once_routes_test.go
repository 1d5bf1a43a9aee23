package web_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// What makes a form do its work once, however often it is sent.
const (
	byVersion = "version" // it carries what was seen, which the transaction compares under the lock
	byKey     = "key"     // its key is unique
	byIndex   = "index"   // a unique index allows one thing of the kind
	byState   = "state"   // the thing leaves a state, under its lock, to which it never comes back
	setting   = "setting" // it sets what stands afterwards: sent twice, it stands as after once
	person    = "person"  // it is about the visitor's own account, log-in and secrets
	room      = "room"    // the tests of its room send it twice, as it has files or asks a bank
	request   = "request" // the API's tests send it twice: it has an Idempotency-Key, or is byState
)

// once says of every route that takes something what makes it happen once. A route that
// is new stands here, and one that is byVersion, byKey, byIndex or byState in formsSent.
var once = map[string]string{
	"/v1/checkouts": request, "/v1/withdrawals": request, "/v1/refunds": request, "/v1/events/replay": request,
	"/v1/events/:id/resend":      request,
	"/v1/payment-links":          request,
	"/v1/test/checkouts/:id/pay": request, "/v1/test/checkouts/:id/expire": request,
	"/v1/test/checkouts/:id/cancel": request,

	"/ops/acessos/:id": byVersion, "/ops/destinos/:id": byVersion, "/ops/saques/:id": byVersion,
	"/ops/cobrancas/:id": byVersion, "/ops/contas/:id/encerrar": byVersion,
	"/ops/contas/:id/travas/:switch": byVersion,
	"/ops/nomes/:id":                 byVersion,
	"/ops/motivos":                   byIndex, "/ops/motivos/:id": byVersion, "/ops/motivos/:id/retirar": byVersion,
	"/ops/contas/:id/tarifa": byVersion, "/ops/contas/:id/limites": byVersion, "/ops/tarifas/:id": byVersion,
	"/ops/disputas/:id": byState, "/ops/disputas/nova": byIndex, "/app/disputas/:id/responder": byState,
	"/app/disputas/:id/arquivos": room,
	"/ops/excecoes/:id":          byState, "/ops/contas/:id/bloqueios/:block": byState,
	"/ops/contas/:id/bloqueios": byVersion, "/ops/contas/:id/notas": byKey,
	"/ops/bancos/:id/aprovar": room, "/ops/bancos/:id/descartar": room, "/ops/bancos/:id/aposentar": room,
	"/ops/bancos/:id/encerrar": room, "/ops/bancos/:id/credenciais": room, "/ops/bancos/nova": room,
	"/ops/bancos/:id/verificar": setting, // it asks the bank and changes nothing
	"/app/conta-bancaria/nova":  room, "/app/conta-bancaria/:id/credenciais": room,
	"/app/conta-bancaria/:id/descartar": room, "/app/conta-bancaria/:id/aposentar": room,
	"/app/conta-bancaria/:id/verificar": setting, "/app/saldo/avulsos/:id": room,
	"/ops/operadores/:id": setting, "/ops/operadores/:id/sessoes": setting,
	"/ops/cobrancas/:id/pagador": setting, // it shows, and each showing leaves a line
	"/ops/webhooks/:id/repetir":  setting, // what failed is pending: who comes second finds nothing that failed

	"/app/saques": byKey, "/app/cobrancas": byKey, "/app/links": byKey, "/app/produtos": byKey, "/app/chaves": byKey,
	"/app/webhooks": byKey, "/app/cobrancas/:id/devolver": byKey, "/app/cobrancas/:id/comprovante": byKey,
	"/app/chaves/:id/trocar":   byKey,
	"/app/chaves/:id/devolver": setting, "/app/chaves/:id/nao-devolver": setting,
	"/app/chaves/:id/auditoria": setting, "/app/chaves/:id/sem-auditoria": setting,
	"/app/chaves/:id/eventos": setting, "/app/chaves/:id/sem-eventos": setting,
	"/app/saques/destinos": byIndex, "/app/producao/pedido": byIndex, "/app/equipe/convites": byIndex,
	"/app/saques/:id/cancelar": byState, "/app/saques/destinos/:id/remover": byState,
	"/app/cobrancas/:id/cancelar": byState, "/app/cobrancas/:id/simular": byState,
	"/app/cobrancas/:id/expirar": byState, "/app/producao/retirar": byState, "/app/chaves/:id/revogar": byState,
	// it names the secret that it replaces
	"/app/webhooks/:id/segredo/trocar": setting,
	// each press sends a test event, and moves nothing
	"/app/webhooks/:id/testar": setting,
	// a token asks once
	"/app/webhooks/:id/repetir": setting, "/app/webhooks/:id/entregas/:delivery/reenviar": setting,
	"/app/webhooks/:id/segredo/encerrar": setting, "/app/webhooks/:id/editar": setting,
	"/app/webhooks/:id/ativar": setting, "/app/webhooks/:id/desativar": setting, "/app/webhooks/:id/excluir": setting,
	"/app/links/balcao": byKey, "/app/links/:id": setting, "/app/produtos/:slug/arquivar": setting,
	"/app/produtos/:slug/restaurar": setting,
	"/app/produtos/:slug":           setting, "/app/links/:id/ativar": setting, "/app/links/:id/desativar": setting,
	"/app/equipe/convites/:id/reenviar": setting, "/app/equipe/convites/:id/cancelar": setting,
	"/app/equipe/:id/papel": setting, "/app/equipe/:id/remover": setting, "/app/equipe/:id/transferir": setting,
	"/app/equipe/:id/desligar": setting, "/ops/operadores/:id/desligar": setting,
	"/app/equipe/segunda-etapa": setting,
	// it names the proposal that it withdraws
	"/app/configuracoes/empresa/retirar": setting,
	"/app/configuracoes/empresa":         setting, "/app/configuracoes/checkout": setting,
	"/app/configuracoes/checkout/logo": setting, "/app/configuracoes/checkout/logo/remover": setting,
	// they show, and each file leaves a line; what was removed is not found again
	"/app/configuracoes/comprador": setting, "/app/configuracoes/comprador/arquivo": setting,
	"/app/configuracoes/comprador/apagar": setting,
	"/app/configuracoes/avisos":           setting, "/app/configuracoes/perfil": setting,

	"/pay/:id/simulate": request, "/pay/:id/expire": request, // the same operations as the API's
	"/pay/:id/receipt": room, "/app/configuracoes/checkout/agradecimento": setting,
	"/pay/:id/renew": request, "/l/:id": request, // the form's token is the key: TestLink and TestRenew

	"/cadastro": person, "/entrar": person, "/sair": person, "/preferencias": person, "/2fa": person,
	"/esqueci-senha": person, "/redefinir-senha": person, "/verificar-email": person, "/convite/:token": person,
	"/convite/:token/aceitar": person, "/verificar-email/reenviar": person, "/verificar-email/trocar": person,
	"/trocar-email": person, "/trocar-email/cancelar": person, "/confirmar-email": person, "/confirmar": person,
	"/nao-fui-eu": person,
	"/2fa/ativar": person, "/entrar/passkey/pedido": person, "/entrar/passkey": person, "/cadastro/passkey": person,
	"/convite/:token/passkey": person, "/confirmar/passkey": person, "/2fa/passkey": person,
	"/2fa/passkey/pedido": person, "/app/ambiente": person, "/app/contas": person, "/app/primeiros-passos": person,
}

// isPersons reports whether a route is of the pages where people look after their log-in.
func isPersons(path string) bool {
	return strings.HasPrefix(path, "/ops/seguranca/") || strings.HasPrefix(path, "/app/configuracoes/seguranca/")
}

// Every route that takes something says what makes it happen once, and what moves money,
// decides or makes something is sent six times at once in TestOnce_FormsSent.
func TestOnce_EveryRoute(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Client(t).Get("/entrar") // a server that is shut down before it serves never ends
	sent := map[string]bool{}
	for _, f := range formsSent {
		sent[f.route] = true
	}
	routes := map[string]bool{}
	for _, r := range s.App.GetRoutes(true) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead || isPersons(r.Path) {
			continue
		}
		routes[r.Path] = true
		switch how := once[r.Path]; how {
		case "":
			t.Errorf("nothing says what makes %s %s happen once", r.Method, r.Path)
		case byVersion, byKey, byIndex, byState:
			if !sent[r.Path] {
				t.Errorf("%s %s, once by its %s, is not among the forms that are sent at once", r.Method, r.Path, how)
			}
		}
	}
	for path := range once {
		if !routes[path] {
			t.Errorf("%s is no route", path)
		}
	}
}

// receiptForm is the form that mails the receipt of a paid test checkout to its merchant.
func receiptForm(t *testing.T, d *desk) (*webtest.Client, string, []string) {
	path := "/app/cobrancas/" + d.Fund(t, models.Test, 100_00).ID + "/comprovante"
	to := modelstest.One[string](t, d.DB, "UPDATE users SET email_verified_at = now() WHERE id = $1 RETURNING email",
		d.Owner.UserID)
	return filled(d.member, path, path, "email", to)
}
