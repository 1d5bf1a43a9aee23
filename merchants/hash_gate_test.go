package merchants_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// fillHashes starts as many log-ins as may wait at the gate, and returns a function that lets
// them continue.
func fillHashes(t *testing.T, g *paymentstest.Gateway) (release func()) {
	t.Helper()
	room, waiting, open := g.Merchants.HoldHashes()
	var wait sync.WaitGroup
	for range room {
		wait.Go(func() {
			if _, err := g.Merchants.LogIn(t.Context(), g.Email, "wrong horse battery",
				merchants.Browser{}); !errors.Is(err, merchants.ErrCredentials) {
				t.Errorf("a log-in that had to wait: %v", err)
			}
		})
	}
	for waiting() < room && t.Context().Err() == nil {
		runtime.Gosched()
	}
	return func() {
		open()
		wait.Wait()
	}
}

// Of hundreds of log-ins at once a few are hashed, a few wait, and five hundred are refused at
// once. None of them passes the gate.
func TestLogIn_ManyAtOnce(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	room, _, release := g.Merchants.HoldHashes()
	many := room + 500
	answers := make(chan error, many)
	for i := range many {
		password := "wrong horse battery"
		if i%2 == 0 {
			password = paymentstest.Password
		}
		go func() {
			_, err := g.Merchants.LogIn(t.Context(), g.Email, password, merchants.Browser{})
			answers <- err
		}()
	}
	for range many - room { // these arrive while no password is hashed
		if err := <-answers; !errors.Is(err, models.ErrOverloaded) || !models.Unavailable(err) {
			t.Errorf("a log-in at the full gate: %v", err)
		}
	}
	if len(answers) > 0 {
		t.Errorf("%d log-ins passed while no place was free", len(answers))
	}
	release()
	for range room {
		if err := <-answers; err != nil && !errors.Is(err, merchants.ErrCredentials) {
			t.Errorf("a log-in that had to wait: %v", err)
		}
	}
	if _, err := g.Merchants.LogIn(t.Context(), g.Email, paymentstest.Password, merchants.Browser{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// The hashes in progress take at most 160 MiB on any machine, so that the process stays under 400 MB
// however many people log in at once.
func TestHashes_Memory(t *testing.T) {
	t.Parallel()
	for processors, want := range map[int]int{1: 19, 2: 19, 4: 38, 16: 152, 128: 152} {
		if got := merchants.HashMemory(processors) >> 20; got != want || got > 160 {
			t.Errorf("%d processors: %d MiB, want %d", processors, got, want)
		}
	}
}

// However many passwords are to be hashed at once, no more are being hashed at any moment than
// the gate has places, no more than there are processors. Each takes 19 MiB.
func TestHashes_AtOnce(t *testing.T) {
	t.Parallel()
	m := merchants.New(merchants.Options{})
	var now, most, done atomic.Int32
	var wait sync.WaitGroup
	for range 500 {
		wait.Go(func() {
			err := m.Hash(t.Context(), func() {
				n := now.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				runtime.Gosched()
				now.Add(-1)
			})
			if err == nil {
				done.Add(1)
			} else if !errors.Is(err, models.ErrOverloaded) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	places := m.HashesAtOnce()
	if n := int(most.Load()); n < 1 || n > places || places > runtime.GOMAXPROCS(0) || done.Load() == 0 {
		t.Errorf("%d hashes at once, of %d that were done, with %d places", n, done.Load(), places)
	}
}

// Every operation that hashes a password uses the gate.
func TestHashes_EveryDoor(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	v := logIn(t, g)
	if _, err := m.Invite(t.Context(), g.Owner, merchants.NewInvite{
		Email: "bia@example.com", Role: models.RoleViewer,
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.AskReset(t.Context(), g.Email); err != nil {
		t.Fatal(err)
	}
	invite, reset := g.Link(t, models.MailInvite, "bia@example.com"), g.Link(t, models.MailResetPassword, g.Email)
	doors := map[string]func(ctx context.Context) error{
		"log in": func(ctx context.Context) error {
			_, err := m.LogIn(ctx, "nobody@example.com", password, merchants.Browser{})
			return err
		},
		"sign up": func(ctx context.Context) error {
			_, err := m.SignUp(ctx, merchants.NewMerchant{
				Name: "Bia", Business: "Loja", Email: "loja@example.com", Password: password,
			}, "")
			return err
		},
		"join": func(ctx context.Context) error {
			_, err := m.JoinAsNewcomer(ctx, invite, merchants.Newcomer{Name: "Bia", Password: password}, "")
			return err
		},
		"reset": func(ctx context.Context) error { return m.ResetPassword(ctx, reset, password, "") },
		"prove": func(ctx context.Context) error { return m.Prove(ctx, v, password, merchants.Browser{}) },
		"change": func(ctx context.Context) error {
			return m.ChangePassword(ctx, v, g.Owner, paymentstest.Password, password)
		},
		"first password": func(ctx context.Context) error {
			_, err := m.FirstPassword(ctx, v, g.Owner, password)
			return err
		},
		"add staff": func(ctx context.Context) error {
			_, err := m.AddStaff(ctx, merchants.NewStaff{
				Name: "Eva", Email: "eva@example.com", Password: password, Role: models.StaffReviewer,
			})
			return err
		},
	}
	release := fillHashes(t, g)
	for name, door := range doors {
		if err := door(t.Context()); !errors.Is(err, models.ErrOverloaded) {
			t.Errorf("%s at a full gate: %v", name, err)
		}
	}
	release()
	_, _, release = m.HoldHashes()
	defer release()
	for name, door := range doors {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- door(ctx) }()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s after its client is gone: %v", name, err)
		}
	}
}
