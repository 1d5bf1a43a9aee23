package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// Neither the log at its most talkative, nor an answer, a command or a dump of the database has a secret of the
// bank account or personal data of a buyer's charge, whatever the bank does. The dump opens nothing without
// the secret key.
func TestBank_NoSecrets(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	b.start()
	url := modelstest.NewURL(t)
	p := newProgramOver(t, "DATABASE_URL="+url, "GAROUPA_DEMO=true", "GAROUPA_LIVE_PROVIDER=bank",
		"GAROUPA_LOG_LEVEL=debug")
	said := p.try("bank", "add", b.dir)
	account := strings.TrimSpace(said.out[strings.LastIndex(said.out, ":")+1:])
	server := p.serve()
	key := p.demo().Keys.Live
	bank := control.Dial(b.folder.Socket())
	seen := said.out + said.wrong
	for i, fault := range []control.Fault{{}, {Name: "401", Times: 9}, {Name: "403", On: "/cob", Times: 9},
		{Name: "wrong-amount", Times: 1}, {Name: "drop-answer", On: "/cob", Times: 9},
		{Name: "500-done", On: "/token"}} {
		if fault.Name != "" {
			if err := bank.SetFault(t.Context(), fault); err != nil {
				t.Fatal(err)
			}
		}
		seen += p.answerTo(key, fmt.Sprintf(`{"amount": 4990, "description": "Vaso", "externalId": "%d", "customer":
			{"name": "Josefa Quixaba", "document": "52998224725", "phone": "+55 11 98765-4321"}}`, i))
		checked := p.try("bank", "check", "--charge", account)
		seen += checked.out + checked.wrong
		if err := bank.ClearFaults(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.stop(server, syscall.SIGTERM)
	seen += server.log.String() + server.out.String()

	secrets := bankSecrets(t, b)
	for name, secret := range secrets {
		if strings.Contains(seen, secret) {
			t.Errorf("the log, an answer or a command shows the %s", name)
		}
	}
	for name, personal := range map[string]string{"name": "Quixaba", "document": "52998224725", "phone": "98765"} {
		if strings.Contains(server.log.String(), personal) {
			t.Errorf("the log has the buyer's %s", name)
		}
	}
	dump := dumped(t, url)
	for name, secret := range secrets {
		if strings.Contains(dump, secret) || strings.Contains(dump, hex.EncodeToString([]byte(secret))) {
			t.Errorf("the database has the %s in the clear", name)
		}
	}
	if !strings.Contains(dump, account) || !strings.Contains(dump, b.folder.Account.PixKey) {
		t.Error("the dump is not the whole database")
	}
}

// bankSecrets returns what only the owner of the bank account may know, by name.
func bankSecrets(t *testing.T, b *servedBank) map[string]string {
	t.Helper()
	secrets := map[string]string{"client secret": b.folder.Account.ClientSecret}
	for _, file := range []string{"client.key", "client.crt"} {
		content, err := os.ReadFile(filepath.Join(b.dir, file))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(content), "\n")
		secrets["content of "+file] = lines[1]
	}
	if slices.Contains([]string{secrets["client secret"], secrets["content of client.key"]}, "") {
		t.Fatal("a secret is empty")
	}
	return secrets
}

// answerTo creates a checkout and returns the whole answer.
func (p *program) answerTo(key, body string) string {
	p.t.Helper()
	request, err := http.NewRequest(http.MethodPost, p.url+"/v1/checkouts", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := p.client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// dumped returns every row of every table as text, with bytes in hex.
func dumped(t *testing.T, url string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, table := range tables {
		rows, err := conn.Query(t.Context(), "SELECT t::text FROM "+table+" t")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.Join(lines, "\n"))
	}
	return all.String()
}
