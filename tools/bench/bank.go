package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"garoupa/pix/psp/bank/control"
	bankfolder "garoupa/pix/psp/bank/folder"
)

const (
	bankName = "bank"
	// bankClients is the number of clients that charge at the bank.
	bankClients = 32
	// bankSlow is how long the bank takes where latencies are compared.
	bankSlow = "200ms"
	// bankProfile lets the product make as many calls as it can: the bank for tests has no limits.
	bankProfile = `{"generic": {"reads_per_minute": 6000000, "writes_per_minute": 6000000, "tokens_per_minute": 6000}}`
)

// bankFigures are those of live charges at a bank.
type bankFigures []bankRound

// bankRound is a bare loop of PUTs and the product, one right after the other, each at a slow bank and at one
// that answers at once; and the recording of Pix.
type bankRound struct {
	slowBare, slow result
	bare, product  result
	cpu            usage   // of the product's half at the bank that answers at once
	confirmed      float64 // payments of the simulator a second
	swept          float64 // Pix of the bank's list a second
	alone, beside  result  // at other accounts, while one answers and while it hangs
}

// servedBank is the bank for tests as a process.
type servedBank struct {
	folder  bankfolder.Folder
	control control.Client
	state   control.State
	process *exec.Cmd
}

// serveBank starts a bank in a new folder, with an account of the merchant's installation.
func (s *site) serveBank(ctx context.Context) (b *servedBank, err error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(s.dir, "banco")
	address = "localhost" + address[strings.LastIndex(address, ":"):]
	if _, err := s.command(ctx, "bank", "init", "--address", address, dir); err != nil {
		return nil, err
	}
	b = &servedBank{process: exec.CommandContext(ctx, s.program, "bank", "serve", dir)}
	if b.folder, err = bankfolder.Open(dir); err != nil {
		return nil, err
	}
	b.control = control.Dial(b.folder.Socket())
	b.process.Env = s.environment(s.postgres.URL())
	b.process.Cancel = func() error { return b.process.Process.Signal(syscall.SIGTERM) }
	b.process.WaitDelay = stopWithin
	if err := b.process.Start(); err != nil {
		return nil, fmt.Errorf("start the bank: %w", err)
	}
	return b, eventually(ctx, startWithin, func() (ready bool, err error) {
		state, err := b.control.State(ctx)
		b.state = state
		return err == nil, nil
	})
}

func (b *servedBank) stop() error {
	if err := b.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := b.process.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return nil
	}
	return err
}

// eventually waits until holds returns true.
func eventually(ctx context.Context, within time.Duration, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := holds()
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// bank measures charges at a bank.
func (b *bench) bank(ctx context.Context) (found bankFigures, err error) {
	bank, err := b.site.serveBank(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bank.stop()) }()
	file := filepath.Join(b.site.dir, "profiles.json")
	if err := os.WriteFile(file, []byte(bankProfile), 0o600); err != nil {
		return nil, err
	}
	settings := []string{"GAROUPA_LIVE_PROVIDER=bank", "GAROUPA_BANK_PROFILES=" + file}
	if _, err := b.site.commandWith(ctx, settings, "bank", "add", bank.folder.Dir); err != nil {
		return nil, err
	}
	v, err := b.site.serve(ctx, b.site.program, b.site.postgres.URL(), settings...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.stop()) }()
	m, err := newMeter(ctx, b.site, v)
	if err != nil {
		return nil, err
	}
	bare, err := newBarePuts(ctx, bank)
	if err != nil {
		return nil, err
	}
	for _, side := range []func(context.Context, time.Duration) (result, error){bare.run, b.charges} {
		if _, err := side(ctx, warmUp*time.Second); err != nil {
			return nil, err
		}
	}
	for range b.rounds {
		r, err := b.bankRound(ctx, m, bank, bare)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
		progress(fmt.Sprintf("%s: p50 × %.2f, p99 × %.2f, rate × %.2f; recording × %.2f; beside one that hangs × %.2f",
			bankName, r.p50(), r.p99(), r.rate(), r.recording(), r.others()))
	}
	return found, nil
}

// charges lets clients charge by the product.
func (b *bench) charges(ctx context.Context, length time.Duration) (result, error) {
	return generate(ctx, b.site.listen, bankClients, length, b.creating())
}

func (b *bench) bankRound(ctx context.Context, m meter, bank *servedBank, bare *barePuts) (r bankRound, err error) {
	length := time.Duration(b.seconds) * time.Second
	if err := bank.control.SetFault(ctx, control.Fault{Name: "slow", Value: bankSlow, On: "/cob/"}); err != nil {
		return r, err
	}
	if r.slowBare, err = bare.run(ctx, length); err != nil {
		return r, fmt.Errorf("the bare loop: %w", err)
	}
	if r.slow, err = b.charges(ctx, length); err != nil {
		return r, err
	}
	if err := bank.control.ClearFaults(ctx); err != nil {
		return r, err
	}
	if err := checkpoint(ctx, b.site); err != nil {
		return r, err
	}
	if r.bare, err = bare.run(ctx, length); err != nil {
		return r, fmt.Errorf("the bare loop: %w", err)
	}
	before, err := m.read()
	if err != nil {
		return r, err
	}
	if r.product, err = b.charges(ctx, length); err != nil {
		return r, err
	}
	after, err := m.read()
	if err != nil {
		return r, err
	}
	r.cpu = after.minus(before)
	if r.confirmed, r.swept, err = b.recordings(ctx, bank); err != nil {
		return r, err
	}
	r.alone, r.beside, err = bank.beside(ctx, length)
	return r, err
}

// p50, p99 and rate compare the product with the bare loop; recording compares Pix of the bank's list with
// payments of the simulator.
func (r bankRound) p50() float64 { return r.slow.p50.Seconds() / r.slowBare.p50.Seconds() }

func (r bankRound) p99() float64 { return r.slow.p99.Seconds() / r.slowBare.p99.Seconds() }

func (r bankRound) rate() float64 { return r.product.rate / r.bare.rate }

func (r bankRound) recording() float64 { return r.swept / r.confirmed }

// others compares p99 at the other accounts while one hangs with p99 while it answers.
func (r bankRound) others() float64 { return r.beside.p99.Seconds() / r.alone.p99.Seconds() }

// tables returns the figures of halves of some seconds in Markdown.
func (f bankFigures) tables(seconds int) string {
	var late, fast, other strings.Builder
	fmt.Fprintf(&late, "| bank, %s, %d clients | Bare loop p50 ms | p99 ms | Garoupa p50 ms | p99 ms | p50 × | "+
		"p99 × |\n|---|--:|--:|--:|--:|--:|--:|\n", bankSlow, bankClients)
	fmt.Fprintf(&fast, "| bank, %d clients | Bare loop /s | Garoupa /s | Ratio | Server's µs | Database's µs |\n"+
		"|---|--:|--:|--:|--:|--:|\n", bankClients)
	fmt.Fprintf(&other, "| Pix | Simulator /s | Bank's list /s | Ratio | %d accounts: p99 ms | One hangs | × |\n"+
		"|---|--:|--:|--:|--:|--:|--:|\n", manyAccounts)
	for i, r := range f {
		each := func(d time.Duration) float64 { return d.Seconds() / r.product.rate / float64(seconds) * 1e6 }
		fmt.Fprintf(&late, "| round %d | %s | %s | %s | %s | **%.2f** | **%.2f** |\n", i+1,
			milliseconds(r.slowBare.p50), milliseconds(r.slowBare.p99), milliseconds(r.slow.p50),
			milliseconds(r.slow.p99), r.p50(), r.p99())
		fmt.Fprintf(&fast, "| round %d | %s | %s | **%.2f** | %.0f | %.0f |\n", i+1, rate(r.bare.rate),
			rate(r.product.rate), r.rate(), each(r.cpu.server), each(r.cpu.database))
		fmt.Fprintf(&other, "| round %d | %s | %s | **%.2f** | %s | %s | **%.2f** |\n", i+1, rate(r.confirmed),
			rate(r.swept), r.recording(), milliseconds(r.alone.p99), milliseconds(r.beside.p99), r.others())
	}
	return late.String() + "\n" + fast.String() + "\n" + other.String()
}

// checkout is what the recordings need of the answer to a creation.
type checkout struct {
	ID  string `json:"id"`
	Pix struct {
		CopyPaste string `json:"copyPaste"`
	} `json:"pix"`
}

func readCheckout(answer []byte) (c checkout, err error) {
	if err = json.Unmarshal(answer, &c); err == nil && (c.ID == "" || c.Pix.CopyPaste == "") {
		err = fmt.Errorf("the answer is no checkout: %.200s", answer)
	}
	return c, err
}
