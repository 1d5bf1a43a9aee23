package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/folder"
)

// servedBank is "garoupa bank serve" as a process, and the account's software that calls it.
type servedBank struct {
	*program
	dir     string
	folder  folder.Folder
	profile string // the bank that it imitates; "" is the standard

	process *exec.Cmd
	base    string // of the API
	client  *http.Client
	token   string
}

func newServedBank(t *testing.T) *servedBank {
	t.Helper()
	return newServedBankAt(t, "localhost:0")
}

// newServedBankAt is newServedBank with an address, which the bank has again when it is started again.
func newServedBankAt(t *testing.T, address string) *servedBank {
	t.Helper()
	dir, err := os.MkdirTemp("", "bank") // the path of a socket has room for about 100 characters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &servedBank{program: newProgramOver(t, "DATABASE_URL=postgres://nowhere.invalid/none"),
		dir: filepath.Join(dir, "banco")}
	if out := b.run("bank", "init", b.dir, "--address", address); !strings.Contains(out, "bank serve "+b.dir) {
		t.Errorf("init says %s", out)
	}
	if b.folder, err = folder.Open(b.dir); err != nil {
		t.Fatal(err)
	}
	certificate, err := b.folder.Client()
	if err != nil {
		t.Fatal(err)
	}
	authorities, err := b.folder.Authorities()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities,
		Certificates: []tls.Certificate{certificate}}}
	t.Cleanup(transport.CloseIdleConnections)
	b.client = &http.Client{Transport: transport}
	return b
}

// start serves the bank, and returns once it has said where.
func (b *servedBank) start() {
	b.t.Helper()
	b.process = b.command("bank", "serve", b.dir, "--profile", cmp.Or(b.profile, "generic"))
	out, err := b.process.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.process.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(b.kill)
	var tokenURL string
	for lines := bufio.NewScanner(out); tokenURL == "" && lines.Scan(); {
		if name, value, _ := strings.Cut(strings.TrimSpace(lines.Text()), " "); name == "API" {
			b.base = strings.TrimSpace(value)
		} else if name == "Token" {
			tokenURL = strings.TrimSpace(value)
		}
	}
	r, err := http.NewRequest(http.MethodPost, tokenURL, strings.NewReader("grant_type=client_credentials"))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if b.profile != "" { // only the program calls this bank
		return
	}
	r.SetBasicAuth(b.folder.Account.ClientID, b.folder.Account.ClientSecret)
	var granted struct {
		Token string `json:"access_token"`
	}
	if status := b.do(r, &granted); status != http.StatusOK {
		b.t.Fatalf("the token's answer is %d", status)
	}
	b.token = granted.Token
}

// kill ends the bank as a power cut does. It may be called twice.
func (b *servedBank) kill() {
	_ = b.process.Process.Kill()
	_ = b.process.Wait()
}

// do sends a request and returns the status, 0 without a complete answer.
func (b *servedBank) do(r *http.Request, into any) (status int) {
	answer, err := b.client.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || json.NewDecoder(bytes.NewReader(body)).Decode(into) != nil {
		return 0
	}
	return answer.StatusCode
}

// charge creates a charge of R$ 1.00, or reads it if method is GET, and returns its code.
func (b *servedBank) charge(method, txID string) (status int, code string) {
	body := strings.NewReader(`{"calendario":{"expiracao":3600},"valor":{"original":"1.00"},"chave":"` +
		b.folder.Account.PixKey + `"}`)
	r, err := http.NewRequest(method, b.base+"/cob/"+txID, body)
	if err != nil {
		b.t.Error(err)
		return 0, ""
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	var charge struct {
		Code string `json:"pixCopiaECola"`
	}
	return b.do(r, &charge), charge.Code
}

// The bank is killed (SIGKILL) while charges are created and paid. Whatever it has answered is
// there when it is served again.
func TestBank_Kill(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	var mu sync.Mutex
	var created, paid []string
	for round, answers := range []int{3, 20, 60} {
		b.start()
		var clients sync.WaitGroup
		for client := range 4 {
			clients.Go(func() {
				for i := 0; ; i++ {
					txID := fmt.Sprintf("teste%09d%09d%09d", round, client, i)
					status, code := b.charge(http.MethodPut, txID)
					if status != http.StatusCreated {
						return
					}
					p, err := control.Dial(b.folder.Socket()).Pay(t.Context(), control.PayRequest{Code: code})
					mu.Lock()
					created = append(created, txID)
					if err == nil {
						paid = append(paid, p.EndToEndIDs...)
					}
					if answers--; answers == 0 { // the other clients' requests are in progress
						_ = b.process.Process.Kill()
					}
					mu.Unlock()
				}
			})
		}
		clients.Wait()
		b.kill()
	}
	b.start()
	for _, txID := range created {
		if status, _ := b.charge(http.MethodGet, txID); status != http.StatusOK {
			t.Errorf("the charge %s is %d after the kill", txID, status)
		}
	}
	state, err := control.Dial(b.folder.Socket()).State(t.Context())
	if err != nil || state.Received < int64(len(paid))*100 || state.Charges < len(created) || state.Paid < len(paid) {
		t.Errorf("%d charges and %d payments were answered; the bank has %+v, %v", len(created), len(paid), state, err)
	}
}

// A person who has read the guide pays a code, breaks the bank and looks at it.
func TestBank_Commands(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	if got := b.try("bank", "state", b.dir); got.status != 1 || !strings.Contains(got.wrong, "no bank serves") {
		t.Errorf("without a server state says %+v", got)
	}
	b.start()
	_, code := b.charge(http.MethodPut, "teste000000000000000000000001")
	paid := strings.TrimPrefix(strings.TrimSpace(b.run("bank", "pay", b.dir, code, "--amount", "150")), "Paid: ")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"Return app", []string{"return", b.dir, paid, "--amount", "50"}},
		{"Dispute inf", []string{"med", b.dir, paid, "--amount", "30"}},
		{"The bank has the fault slow=1s on /cob, 2 more times.",
			[]string{"fault", b.dir, "slow=1s", "--on", "/cob", "--times", "2"}},
		{"blocked R$ 0.30", []string{"state", b.dir}},
		{"Fault     slow=1s on /cob, 2 more times", []string{"state", b.dir}},
		{`"received":150`, []string{"state", b.dir, "--json"}},
		{"The bank has no faults.", []string{"fault", b.dir, "clear"}},
	} {
		if out := b.run(append([]string{"bank"}, c.args...)...); !strings.Contains(out, c.want) {
			t.Errorf("%v says %s", c.args, out)
		}
	}
	for want, args := range map[string][]string{
		"unknown command":    {"flood"},
		"is not empty":       {"init", b.dir},
		"another process":    {"serve", b.dir},
		"is not a fault":     {"fault", b.dir, "flood"},
		"paid already":       {"pay", b.dir, code},
		"is not a profile":   {"serve", b.dir, "--profile", "stone"},
		"there is no charge": {"remove", b.dir, "x"},
		"has no bank.json":   {"state", t.TempDir()},
	} {
		if got := b.try(append([]string{"bank"}, args...)...); got.status != 1 || !strings.Contains(got.wrong, want) {
			t.Errorf("%v says %+v", args, got)
		}
	}
	if got := b.try("bank"); got.status != 0 || !strings.Contains(got.wrong, "med-close") {
		t.Errorf("bank alone says %+v", got)
	}
}
