// Command garoupa is the gateway: it serves the API and the pages, runs the jobs,
// and has the commands that an operator needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"garoupa/api"
	"garoupa/internal/requestid"
	"garoupa/internal/tracing"
)

// command is one verb of the program.
type command struct {
	name, summary string
	// run receives the flags that follow the verb.
	run func(ctx context.Context, in invocation) error
}

// invocation is what a command works with.
type invocation struct {
	settings settings
	args     []string
	out      io.Writer // for results; the log goes to standard error
	flags    *flag.FlagSet
}

// errUsage reports wrong arguments that the flag set has explained already.
var errUsage = errors.New("usage")

func commands() []command {
	return []command{
		{"serve", "serve the API and the pages, and run the jobs", serve},
		{"migrate", "upgrade the database's schema to this program's", migrate},
		{"demo", "add a demo merchant with keys, a product and staff", demo},
		{"simulate", "act as the simulator's bank: pay, expire or cancel a checkout", simulate},
		{"listen", "forward test events to your machine, signed", listen},
		{"trigger", "create a test checkout through the API, so that it sends an event", trigger},
		{"verify", "check the signature of a webhook delivery", verify},
		{"bank", "be a bank on this machine that speaks API Pix, for tests", bank},
		{"audit", "verify what a receiver of the audit log has", audit},
		{"staff", "add people who work for the installation", staff},
		{"people", "end a person's sessions, remove lost second factors, or unlink from the provider", people},
		{"rotate-key", "seal the values of the previous secret key with the new one", rotateKey},
		{"check", "check the database, its schema and the books", check},
		{"version", "print the version", version},
	}
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) (status int) {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(os.Stdout)
		return 0
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return execute(c, args[1:])
		}
	}
	fmt.Fprintf(os.Stderr, "garoupa: unknown command %q\n\n", args[0])
	usage(os.Stderr)
	return 2
}

func execute(c command, args []string) (status int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	in := invocation{args: args, out: os.Stdout, flags: flag.NewFlagSet("garoupa "+c.name, flag.ContinueOnError)}
	in.flags.Usage = func() {
		fmt.Fprintf(in.flags.Output(), "garoupa %s: %s\n", c.name, c.summary)
		in.flags.PrintDefaults()
	}
	err := error(nil)
	if !asksHelp(args) { // help works with any environment
		in.settings, err = readSettings(environment())
		setLog(in.settings.LogLevel)
	}
	if err == nil {
		err = c.run(ctx, in)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	// One line, even if several errors were joined.
	fmt.Fprintln(os.Stderr, "garoupa:", strings.Join(strings.Fields(err.Error()), " "))
	return 1
}

// parse reads the command's flags, which may be before and after its words, and returns the
// words. There must be as many words as want names.
func (in invocation) parse(want ...string) (words []string, err error) {
	if help := in.flags.Usage; len(want) > 0 {
		in.flags.Usage = func() {
			fmt.Fprintf(in.flags.Output(), "usage: %s [flags] %s\n", in.flags.Name(), strings.Join(want, " "))
			help()
		}
	}
	for args := in.args; ; args = in.flags.Args()[1:] {
		if err := in.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, errUsage
		}
		if in.flags.NArg() == 0 {
			break
		}
		words = append(words, in.flags.Arg(0))
	}
	if len(words) != len(want) {
		fmt.Fprintf(in.flags.Output(), "usage: %s %s\n", in.flags.Name(), strings.Join(want, " "))
		in.flags.PrintDefaults()
		return nil, errUsage
	}
	return words, nil
}

// explain adds a paragraph to the command's help.
func (in invocation) explain(text string) {
	help := in.flags.Usage
	in.flags.Usage = func() {
		help()
		fmt.Fprintf(in.flags.Output(), "\n%s\n", text)
	}
}

func asksHelp(args []string) bool {
	for _, arg := range args {
		if arg == "-h" || arg == "-help" || arg == "--help" {
			return true
		}
	}
	return false
}

func usage(w io.Writer) {
	fmt.Fprint(w, "garoupa is a Pix payment gateway.\n\n"+
		"usage: garoupa <command> [flags]; garoupa <command> --help explains a command\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-12s%s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nSettings come from the environment: docs/settings.md.\n")
}

func environment() map[string]string {
	vars := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	return vars
}

func version(_ context.Context, in invocation) error {
	if _, err := in.parse(); err != nil {
		return err
	}
	fmt.Fprintln(in.out, "garoupa", api.Version)
	return nil
}

// setLog writes the log to standard error: text at a terminal, otherwise JSON.
func setLog(level slog.Level) {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: onOneLine}
	var handler slog.Handler = slog.NewJSONHandler(os.Stderr, options)
	if isTerminal(os.Stderr) {
		handler = slog.NewTextHandler(os.Stderr, options)
	}
	slog.SetDefault(slog.New(withRequestID{handler}))
	log.SetOutput(io.Discard) // net/http logs what clients send
}

// onOneLine writes an error on one line: pgx reports each host on a separate line.
func onOneLine(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		return slog.String(a.Key, strings.Join(strings.Fields(err.Error()), " "))
	}
	return a
}

// isTerminal reports whether the file is a terminal.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// withRequestID adds the request's id to every log line of a request, and the id of its trace if it is recorded.
type withRequestID struct{ slog.Handler }

// Handle implements slog.Handler.
func (h withRequestID) Handle(ctx context.Context, r slog.Record) error {
	if id := requestid.Of(ctx); id != "" {
		r.AddAttrs(slog.String("requestId", id))
	}
	if id := tracing.ID(ctx); id != "" {
		r.AddAttrs(slog.String("traceId", id))
	}
	return h.Handler.Handle(ctx, r)
}
