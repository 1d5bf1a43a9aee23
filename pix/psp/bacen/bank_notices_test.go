package bacen_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// listen receives the notices of a bank, which must show its certificate.
func (s *served) listen(t *testing.T) (url string, bodies <-chan []byte) {
	t.Helper()
	certificate, err := s.Bank.Folder.Notices()
	if err != nil {
		t.Fatal(err)
	}
	received := make(chan []byte, 100)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		received <- body
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.VerifyClientCertIfGiven,
		ClientCAs: s.Options.Roots}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL + "/bank/token", received
}

// hints returns the hints of the notices up to one about a Pix.
func (s *served) hints(t *testing.T, bodies <-chan []byte, endToEndID string) (hints []psp.Hint) {
	t.Helper()
	for {
		got, err := s.Hints(<-bodies)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range got {
			if hints = append(hints, h); h.EndToEndID == endToEndID {
				return hints
			}
		}
	}
}

// However a bank writes its notices, they have the ids of what to read.
func TestBank_Notices(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{"generic": "array-notices", "inter": "double-notices", "efi": ""} {
		s := serve(t, name)
		url, bodies := s.listen(t)
		if err := s.RegisterNotices(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if fault != "" {
			s.fault(t, control.Fault{Name: fault})
		}
		id := s.pay(t, control.PayRequest{Code: s.put(t, charge()).CopyPaste})[0]
		want := psp.Hint{TxID: txID, EndToEndID: id}
		if got := s.hints(t, bodies, id); got[len(got)-1] != want {
			t.Errorf("%s: %+v", name, got)
		}
		if fault == "double-notices" {
			s.hints(t, bodies, id)
		}
		if _, err := s.PutReturn(t.Context(), id, "rfd1", 1_00); err != nil {
			t.Fatal(err)
		}
		s.Bank.Clock.Add(2 * time.Second)
		for want.ReturnID = "rfd1"; ; {
			if got := s.hints(t, bodies, id); got[len(got)-1] == want {
				break
			}
		}
	}
}

// Nothing in a notice is believed: the bank knows nothing of the Pix that a forged one names.
func TestBank_ForgedNotice(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	url, bodies := s.listen(t)
	if err := s.RegisterNotices(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	issued := s.put(t, charge())
	s.fault(t, control.Fault{Name: "forged-notice"})
	id := s.pay(t, control.PayRequest{Code: issued.CopyPaste, Amount: 1})[0]
	for _, h := range s.hints(t, bodies, id) {
		if p, err := s.Payment(t.Context(), h.EndToEndID); h.EndToEndID != id {
			kind(t, err, psp.NotFound)
		} else if err != nil || p.Amount != 1 {
			t.Errorf("%+v, %v", p, err)
		}
	}
}

// Without notices the list has the Pix.
func TestBank_NoticeLost(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "no-notices"})
	id := s.pay(t, control.PayRequest{Code: s.put(t, charge()).CopyPaste})[0]
	if all := s.today(t); len(all) != 1 || all[0].EndToEndID != id || all[0].TxID != txID {
		t.Errorf("%+v", all)
	}
}

// payer is the client as one who can send Pix.
func (s *served) payer() psp.Payer { return s.Client.Bank().(psp.Payer) }

// sent reads a payout until the bank has finished it.
func (s *served) sent(t *testing.T, id string) psp.Sent {
	t.Helper()
	s.Bank.Clock.Add(2 * time.Second)
	for {
		sent, err := s.payer().Sent(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if sent.Status != psp.TransferProcessing {
			return sent
		}
	}
}

// A payout whose answer is lost is read, and was sent once.
func TestBank_Payouts(t *testing.T) {
	t.Parallel()
	s := serve(t, "efi")
	url, _ := s.listen(t)
	if err := s.RegisterNotices(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	s.pay(t, control.PayRequest{Code: s.put(t, charge()).CopyPaste})
	out := psp.Payout{ID: "wdr1n1", Key: "ana@example.com", Amount: 20_00}
	s.fault(t, control.Fault{Name: "drop-answer", On: "/gn/pix/", Times: 1})
	_, err := s.payer().Send(t.Context(), out)
	kind(t, err, psp.Ambiguous)
	sent := s.sent(t, out.ID)
	if sent.Status != psp.TransferDone || sent.Amount != 20_00 || sent.EndToEndID == "" {
		t.Errorf("%+v", sent)
	}
	_, err = s.payer().Send(t.Context(), out)
	kind(t, err, psp.Conflict)
	if sum := s.state(t).Sent; sum != 20_00 {
		t.Errorf("%d centavos were sent", sum)
	}
	back := control.ReturnRequest{EndToEndID: sent.EndToEndID, Amount: 5_00}
	if _, err := s.Bank.Control.Return(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	if back := s.sent(t, out.ID).Returns; len(back) != 1 || back[0].Amount != 5_00 || back[0].ID == "" {
		t.Errorf("%+v", back)
	}
	out.ID, out.Amount = "wdr2n1", 1000_00
	if got, err := s.payer().Send(t.Context(), out); err != nil || got.Status != psp.TransferProcessing {
		t.Fatalf("%+v, %v", got, err)
	}
	if got := s.sent(t, out.ID); got.Status != psp.TransferRefused || got.Reason == "" {
		t.Errorf("%+v", got)
	}
	_, err = s.payer().Sent(t.Context(), "wdr3n1")
	kind(t, err, psp.NotFound)
}

func TestBank_Disputes(t *testing.T) {
	t.Parallel()
	s := serve(t, "efi")
	disputer := s.Client.Bank().(psp.Disputer)
	since := s.Bank.Clock.Now().Add(-time.Hour)
	id := s.pay(t, control.PayRequest{Code: s.put(t, charge()).CopyPaste})[0]
	opened, err := s.Bank.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: id})
	if err != nil {
		t.Fatal(err)
	}
	one := func(want psp.DisputeStatus) {
		t.Helper()
		all, err := disputer.Disputes(t.Context(), since)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		if d := all[0]; d.Ref != opened.ID || d.EndToEndID != id || d.Amount != 37_00 || d.Status != want ||
			d.Cause == "" || d.AnswerBy.Before(d.OpenedAt) {
			t.Errorf("%+v, want %s", d, want)
		}
	}
	one(psp.DisputeOpen)
	if err := disputer.Defend(t.Context(), opened.ID, "Entregue em 20/11."); err != nil {
		t.Fatal(err)
	}
	one(psp.DisputeDefended)
	kind(t, disputer.Defend(t.Context(), opened.ID, "Entregue."), psp.Invalid)
	if _, err := s.Bank.Control.CloseDispute(t.Context(), control.CloseRequest{ID: opened.ID,
		Outcome: control.OutcomeReturned}); err != nil {
		t.Fatal(err)
	}
	one(psp.DisputeLost)
	p, err := s.Payment(t.Context(), id)
	if err != nil || len(p.Returns) != 1 || !p.Returns[0].Disputed() || p.Returns[0].Amount != 37_00 {
		t.Errorf("%+v, %v", p, err)
	}
}
