package console_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/banks"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// The page of an account says whether the bank's notices arrive, and what was refused.
func TestOps_BankNotices(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	path := h.propose(t)
	if a := h.eva.Get(path); strings.Contains(a.Find("main").Text(), "Avisos do banco") {
		t.Error("an account that is not in use has notices")
	}
	h.act(h.rui, path, "/aprovar")
	says := func(want ...string) {
		t.Helper()
		shows(t, h.clean(h.eva, h.eva.Get(path)), "main", append(want, "Avisos do banco")...)
	}
	says("Sem avisos: o banco é lido a cada 20 s.")
	h.Banks.NoticesURL = "https://avisos.example"
	says("Ainda não registrados no banco")
	const id = "(SELECT id FROM bank_accounts)"
	modelstest.Exec(t, h.DB, `INSERT INTO bank_registrations (bank_account_id, tries, next_try_at, failure)
		VALUES (`+id+`, 1, now(), 'bank: register notices: forbidden')`)
	says("Não registrados no banco; tentamos de novo", "register notices: forbidden")
	modelstest.Exec(t, h.DB, "UPDATE bank_registrations SET failure = $1", banks.ErrNoProof.Error())
	says("o perfil não diz como o banco prova")
	modelstest.Exec(t, h.DB, `UPDATE bank_registrations SET address = 'https://avisos.example', failure = '', tries = 0,
		registered_at = '2026-11-20T12:00:00Z', confirmed_at = '2026-11-21T12:00:00Z'`)
	says("Registrados desde 20 de nov. de 2026, 09:00.", "Nenhum aviso chegou ainda.")
	modelstest.Exec(t, h.DB, `INSERT INTO bank_notices (bank_account_id, received_at, digest, hints, done_at, outcome)
		VALUES (`+id+`, '2026-11-22T12:00:00Z', sha256(''), '[]', now(), 'EMPTY')`)
	err := models.AddNoticeCounts(t.Context(), h.DB.Pool, h.Clock.Now(), map[models.NoticeCount]int64{
		{What: models.NoticeUnknownToken}: 3, {What: models.NoticeTwice}: 5,
		{BankAccountID: strings.TrimPrefix(path, "/ops/bancos/"), What: models.NoticeGarbage}: 2})
	if err != nil {
		t.Fatal(err)
	}
	says("Último aviso em 22 de nov. de 2026, 09:00.", "em endereço desconhecido: 3, ilegíveis: 2")
	c := h.Checkout(t, payments.NewCheckout{}).ID
	modelstest.Exec(t, h.DB, `INSERT INTO payments (id, livemode, end_to_end_id, txid, checkout_id, settles, amount,
			fee, paid_at, recorded_at, bank_account_id)
		VALUES ('pay_00000000000000000001', true, 'E1', 'x', $1, true, 1, 0, '2026-11-23T12:00:00Z',
			'2026-11-23T12:00:00Z', `+id+`)`, c)
	const missed = "Nenhum Pix chega com aviso do banco desde 23 de nov. de 2026, 09:00."
	shows(t, h.eva.Get(path), "section[aria-labelledby=card-watch]", missed)
	shows(t, h.eva.Get("/ops/saude"), "main", missed)
	modelstest.Exec(t, h.DB, "UPDATE bank_notices SET received_at = '2026-11-23T12:00:01Z'")
	if a := h.eva.Get(path); strings.Contains(a.Find("main").Text(), "com aviso do banco desde") {
		t.Error("a Pix with its notice counts as silent")
	}
	h.Banks.NoticesURL = "https://outro.example"
	says("Ainda não registrados no banco")
	h.eva.Lang = "en"
	h.eva.Post("/preferencias", "lang", "en", "next", "/ops")
	if a := h.eva.Get(path); a.Status != http.StatusOK || !strings.Contains(a.Find("main").Text(), "Bank notices") {
		t.Errorf("in English: %d", a.Status)
	}
}
