package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/auth/vault"
	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/webhook"
)

// with returns the program with additional settings.
func (p *program) with(settings ...string) *program {
	return &program{t: p.t, env: append(p.env[:len(p.env):len(p.env)], settings...), url: p.url, data: p.data}
}

// sealedAll opens every sealed value with a key, by place, and counts those of other keys.
func sealedAll(t *testing.T, db *models.DB, hexKey string) (texts map[string]string, others int) {
	t.Helper()
	key, err := decodeSecretKey(hexKey)
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.New(key)
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string]string{}
	for _, column := range models.SealedColumns {
		rows, err := db.Pool.Query(t.Context(), fmt.Sprintf("SELECT id, %s FROM %s WHERE %[1]s IS NOT NULL",
			column.Column, column.Table))
		if err != nil {
			t.Fatal(err)
		}
		values, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			ID     string
			Sealed []byte
		}])
		if err != nil || len(values) == 0 {
			t.Fatalf("%s has %d values, %v: the test would prove nothing", column, len(values), err)
		}
		for _, value := range values {
			text, err := v.Open(column.Place(value.ID), value.Sealed)
			if err != nil {
				others++
			} else {
				texts[column.String()+" "+value.ID] = text
			}
		}
	}
	return texts, others
}

// holds reports whether all contains everything in before.
func holds(all, before map[string]string) bool {
	for place, text := range before {
		if all[place] != text {
			return false
		}
	}
	return true
}

// sealBank adds a bank account whose credentials are sealed.
func (s *shop) sealBank() error {
	now, id := time.Now(), models.NewBankCredentialID()
	account := models.BankAccount{ID: models.NewBankAccountID(), Name: "Conta", Profile: "generic", Overrides: "{}",
		PixKey: "loja@exemplo.com.br", HolderName: "Loja", HolderDocument: "11222333000181",
		Status: models.BankAccountDraft, Version: 1, CreatedAt: now, NoticeDigest: bytes.Repeat([]byte{1}, 32)}
	account.NoticeToken = s.vault.Seal(models.SealedNoticeToken.Place(account.ID), "endereço")
	credential := models.BankCredential{ID: id, BankAccountID: account.ID, ClientID: "cliente", Subject: "CN=Loja",
		Fingerprint: strings.Repeat("0", 64), ExpiresAt: now.Add(time.Hour), Status: models.CredentialNew,
		CreatedAt:    now,
		ClientSecret: s.vault.Seal(models.SealedBankSecret.Place(id), "segredo"),
		AppKey:       s.vault.Seal(models.SealedAppKey.Place(id), "aplicativo"),
		Certificate:  s.vault.Seal(models.SealedCertificate.Place(id), "certificado"),
		PrivateKey:   s.vault.Seal(models.SealedPrivateKey.Place(id), "chave"),
	}
	return s.db.InTx(s.t.Context(), func(tx *models.Tx) error {
		if err := models.InsertBankAccount(tx, &account); err != nil {
			return err
		}
		return models.InsertBankCredential(tx, &credential)
	})
}

// seal fills every column that holds sealed values, the column of phones with many rows.
func (s *shop) seal(phones int) {
	s.t.Helper()
	by := models.Actor{AccountID: s.account.ID}
	if err := s.db.Pool.QueryRow(s.t.Context(), "SELECT user_id FROM members WHERE account_id = $1 AND role = 'OWNER'",
		s.account.ID).Scan(&by.UserID); err != nil {
		s.t.Fatal(err)
	}
	ids, sealed, documents := make([]string, phones), make([][]byte, phones), make([][]byte, phones)
	for i := range phones {
		ids[i] = models.NewCheckoutID()
		sealed[i] = s.vault.Seal(models.SealedCustomerPhone.Place(ids[i]), fmt.Sprintf("+55 11 9%08d", i))
		documents[i] = s.vault.Seal(models.SealedDocument.Place(ids[i]), fmt.Sprintf("%011d", i))
	}
	var endpoint string
	for _, step := range []func() error{
		func() error {
			_, err := s.db.Pool.Exec(s.t.Context(),
				`INSERT INTO checkouts (id, project_id, livemode, amount, description, external_id, customer_phone,
					sealed_document, document_digest, txid, copy_paste, created_at, expires_at)
				SELECT id, $3, false, 1, 'x', 'x', phone, document, sha256(document), md5(id), 'x', now(),
					now() + interval '1 day'
				FROM unnest($1::text[], $2::bytea[], $4::bytea[]) AS t (id, phone, document)`, ids, sealed,
				s.scope.ProjectID, documents)
			return err
		},
		s.sealBank,
		func() error { _, err := s.merchants.BeginTOTP(s.t.Context(), by.UserID); return err },
		func() error {
			_, err := s.payments.RequestDestination(s.t.Context(), models.Actor{UserID: by.UserID}, s.account.ID,
				payments.NewDestination{
					Rail: models.RailPix, Type: "EMAIL", Address: "marina@exemplo.com.br", HolderName: "Ateliê Aurora"})
			return err
		},
		func() error {
			_, err := s.db.Pool.Exec(s.t.Context(), "UPDATE users SET email_verified_at = now()")
			return err
		},
		func() error {
			_, err := s.db.Pool.Exec(s.t.Context(), `UPDATE accounts SET production_access = 'NOT_REQUESTED'
				WHERE id = $1`, s.account.ID)
			return err
		},
		func() error {
			_, err := s.merchants.RequestAccess(s.t.Context(), by, merchants.AccessForm{
				LegalName: "Aurora Cerâmica Ltda", Document: "12.abc.345/01de-35", Website: "aurora.example",
				Sells: "Vasos", MonthlyVolume: money.Cents(20_000_00),
				ContactName: "Ana Lima", ContactEmail: "ana@aurora.example", ContactPhone: "+55 (11) 91234-5678",
			})
			return err
		},
		func() error { return s.merchants.WithdrawAccessRequest(s.t.Context(), by) },
		func() error {
			return s.merchants.SaveAccessDraft(s.t.Context(), by,
				merchants.AccessDraft{LegalName: "Aurora Cerâmica Ltda"})
		},
		func() error {
			return s.db.Pool.QueryRow(s.t.Context(), "SELECT id FROM webhook_endpoints").Scan(&endpoint)
		},
		func() error {
			secret, err := s.merchants.RotateSecret(s.t.Context(), by, s.scope, endpoint, s.secrets["/0"][34:])
			s.secrets["/0"] = secret
			return err
		},
	} {
		if err := step(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// The secret key is replaced while the program serves; the command is killed in the middle
// and run again. Nothing is lost at any point, ids and signatures that derive from the
// installation stay, and in the end the old key is useless.
func TestRotateKey(t *testing.T) {
	t.Parallel()
	first, second, third := strings.Repeat("1a", 32), strings.Repeat("2b", 32), strings.Repeat("3c", 32)
	const phones = 3000
	s := newShop(t, 1, func(http.ResponseWriter, *http.Request, parcel, int) {}, "GAROUPA_SECRET_KEY="+first)
	s.seal(phones)
	before, others := sealedAll(t, s.db.DB, first)
	if others != 0 || len(before) < phones {
		t.Fatalf("%d values, %d of another key", len(before), others)
	}
	server := s.serve()
	link := s.link("one")
	cursor := s.cursor()
	s.stop(server, syscall.SIGTERM)

	old, both, only := s.with(), s.with("GAROUPA_SECRET_KEY="+second,
		"GAROUPA_SECRET_KEY_PREVIOUS="+first), s.with("GAROUPA_SECRET_KEY="+second)
	wrong(t, only, "is not the key that this database is sealed with", "serve")
	server = both.serve()
	s.delivers(1)

	s.killInTheMiddle(both)
	_, others = sealedAll(t, s.db.DB, second)
	if done := len(before) - others; done <= 0 || done >= phones || others <= 0 {
		t.Errorf("killed in the middle, %d values are done and %d are not", done, others)
	}
	s.delivers(2)
	wrong(t, only, "is not the key that this database is sealed with", "demo")

	if out := both.run("rotate-key"); !strings.Contains(out, "All is sealed with GAROUPA_SECRET_KEY.") {
		t.Errorf("rotate-key says %s", out)
	}
	if out := both.run("rotate-key"); strings.Count(out, " 0 resealed") != len(models.SealedColumns) {
		t.Errorf("again it says %s", out)
	}
	s.delivers(3)
	s.stop(server, syscall.SIGTERM)
	after, others := sealedAll(t, s.db.DB, second)
	if others != 0 || !holds(after, before) {
		t.Errorf("%d values of %d, %d of another key", len(after), len(before), others)
	}

	wrong(t, old, "is not the key that this database is sealed with", "serve")
	server = only.serve()
	s.delivers(4)
	if again := s.link("one"); again != link {
		t.Errorf("the Idempotency-Key that created %s now creates %s", link, again)
	}
	if got, want := s.link("two"), "plink_"+s.vault.Digest(s.scope.ProjectID, "test", "two")[:16]; got != want {
		t.Errorf("a new link is %s; with the first key it would be %s", got, want)
	}
	if status := s.list(cursor); status != http.StatusOK {
		t.Errorf("an earlier cursor: %d", status)
	}
	s.stop(server, syscall.SIGTERM)

	last := s.with("GAROUPA_SECRET_KEY="+third, "GAROUPA_SECRET_KEY_PREVIOUS="+second)
	last.run("rotate-key")
	if after, others := sealedAll(t, s.db.DB, third); others != 0 || !holds(after, before) {
		t.Errorf("after a second change, %d values, %d of another key", len(after), others)
	}
	server = s.with("GAROUPA_SECRET_KEY=" + third).serve()
	if got, want := s.link("three"), "plink_"+s.vault.Digest(s.scope.ProjectID, "test", "three")[:16]; got != want {
		t.Errorf("a new link is %s; with the first key it would be %s", got, want)
	}
	s.stop(server, syscall.SIGTERM)
	for _, odd := range s.odd {
		t.Error(odd)
	}
}

// A value that neither key opens is reported, and the old key must be kept.
func TestRotateKey_Foreign(t *testing.T) {
	t.Parallel()
	first, second := strings.Repeat("1a", 32), strings.Repeat("2b", 32)
	s := newShop(t, 1, func(http.ResponseWriter, *http.Request, parcel, int) {}, "GAROUPA_SECRET_KEY="+first)
	s.seal(3)
	var broken string
	if err := s.db.Pool.QueryRow(t.Context(), `UPDATE checkouts
		SET customer_phone = set_byte(customer_phone, 20, get_byte(customer_phone,
		20) # 1) WHERE id = (SELECT min(id) FROM checkouts) RETURNING id`).Scan(&broken); err != nil {
		t.Fatal(err)
	}
	both := s.with("GAROUPA_SECRET_KEY="+second, "GAROUPA_SECRET_KEY_PREVIOUS="+first)
	if r := both.try("rotate-key"); r.status != 1 || strings.Count(r.out, broken+" opens with neither key") != 1 ||
		!strings.Contains(r.out, "2 resealed") || !strings.Contains(r.wrong, "not all is sealed with the new key") {
		t.Errorf("with one that is broken: %+v", r)
	}
	if _, others := sealedAll(t, s.db.DB, second); others != 1 {
		t.Errorf("%d values are not done", others)
	}
	wrong(t, s.with("GAROUPA_SECRET_KEY="+second), "is not the key", "serve")
	modelstest.Exec(t, s.db.DB, "UPDATE checkouts SET customer_phone = NULL WHERE id = $1", broken)
	both.run("rotate-key")
	var tables []string
	rows, err := s.db.Pool.Query(t.Context(),
		"SELECT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O'")
	if err != nil {
		t.Fatal(err)
	}
	if tables, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(tables) > 0 {
		t.Errorf("triggers are off at %v, %v", tables, err)
	}
	wrong(t, s.with("GAROUPA_SECRET_KEY="+strings.Repeat("4d", 32)), "is not the key", "rotate-key")
}

// The key in the data folder is replaced as docs/operations.md says: moved away, given as
// the previous key, and no longer needed after the command. The command creates no key.
func TestRotateKey_File(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	p := newProgram(t)
	made := p.demo("--webhook-url", in.url+"/hook")
	n := 0
	delivers := func() {
		t.Helper()
		n++
		p.run("trigger", "checkout.created", "--server", p.url, "--key", made.Keys.Test)
		for id, attempts := range in.wait("/hook", n) {
			if !webhook.Verify(*made.WebhookSecret, attempts[0].header.Get("x-svc-signature"),
				[]byte(attempts[0].body)) {
				t.Errorf("%s is not signed with the earlier secret", id)
			}
		}
	}
	path, moved := filepath.Join(p.data, secretFile), filepath.Join(p.data, "before.key")
	before, err := os.ReadFile(path)
	if err == nil {
		err = os.Rename(path, moved)
	}
	if err != nil {
		t.Fatal(err)
	}

	both := p.with("GAROUPA_SECRET_KEY_PREVIOUS=" + string(before))
	wrong(t, both, "secret.key", "rotate-key")
	if _, err := os.Stat(path); err == nil {
		t.Error("rotate-key made a key")
	}
	server := both.serve()
	if key, err := os.ReadFile(path); err != nil || bytes.Equal(key, before) || len(key) != len(before) {
		t.Errorf("the new file holds %d bytes, %v", len(key), err)
	}
	delivers()
	wrong(t, p, "is not the key", "rotate-key")
	if out := both.run("rotate-key"); !strings.Contains(out, "2 resealed") ||
		!strings.Contains(out, "All is sealed") {
		t.Errorf("rotate-key says %s", out)
	}
	delivers()
	p.stop(server, syscall.SIGTERM)

	server = p.serve()
	delivers()
	p.stop(server, syscall.SIGTERM)
	if err := os.Rename(moved, path); err != nil {
		t.Fatal(err)
	}
	wrong(t, p, "is not the key", "serve")
}

// killInTheMiddle runs the command while a row is locked, and kills it when it waits for
// that row.
func (s *shop) killInTheMiddle(p *program) {
	s.t.Helper()
	tx, err := s.db.Pool.Begin(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	for _, statement := range []string{
		"SET LOCAL idle_in_transaction_session_timeout = 0", // a slow machine takes long to come to that row
		`SELECT 1 FROM checkouts WHERE id = (SELECT id FROM checkouts WHERE customer_phone IS NOT NULL
			ORDER BY id OFFSET 1600 LIMIT 1) FOR UPDATE`,
	} {
		if _, err := tx.Exec(s.t.Context(), statement); err != nil {
			s.t.Fatal(err)
		}
	}
	command := p.command("rotate-key")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.until("rotate-key waits for a row", func() bool {
		var waiting bool
		err := s.db.Pool.QueryRow(s.t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'
			AND query LIKE 'UPDATE checkouts SET customer_phone%')`).Scan(&waiting)
		if err != nil {
			s.t.Fatal(err)
		}
		return waiting
	})
	_ = command.Process.Kill()
	if err := command.Wait(); err == nil {
		s.t.Errorf("it ended by itself: %s", &out)
	}
}
