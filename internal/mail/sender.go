package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"garoupa/models"
)

// sendTimeout bounds one conversation with the SMTP server.
const sendTimeout = 20 * time.Second

// Server is the SMTP server that receives our mails.
type Server struct {
	host, user, password string
	port                 int
	implicitTLS          bool
}

// ParseServer reads smtp://user:password@host:587 or smtps://… . The user may be omitted,
// and the port too: it is 587, or 465 for smtps. Errors never repeat the address.
func ParseServer(address string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, errors.New("must be smtp://user:password@host:587 or smtps://user:password@host:465")
	}
	s := &Server{host: u.Hostname(), port: 587, implicitTLS: u.Scheme == "smtps", user: u.User.Username()}
	s.password, _ = u.User.Password()
	if s.implicitTLS {
		s.port = 465
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("has a port that is not a number from 1 to 65535")
		}
	}
	return s, nil
}

func (s *Server) dial(ctx context.Context, config *tls.Config) (net.Conn, error) {
	address := net.JoinHostPort(s.host, strconv.Itoa(s.port))
	if s.implicitTLS {
		return (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", address)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", address)
}

// policy returns whether STARTTLS is required. A connection that begins encrypted does not
// need it.
func (s *Server) policy() gomail.TLSPolicy {
	if s.implicitTLS || s.near() {
		return gomail.TLSOpportunistic
	}
	return gomail.TLSMandatory
}

// near reports whether the server is on this machine or in its network: an address that is
// loopback or private, or a name without a dot. Such a server may be used without TLS, but
// is then never sent the password. Any other server without TLS is refused.
func (s *Server) near() bool {
	if ip, err := netip.ParseAddr(s.host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate()
	}
	return !strings.Contains(s.host, ".")
}

// Sender sends mails. It is safe for concurrent use.
type Sender struct {
	*Writer
	Server *Server
	From   mail.Address
	Roots  *x509.CertPool // nil: the system's
}

// Failure reports why a mail was not sent: the step that failed and the server's code. It
// contains neither the address nor the server's words, which may repeat it.
type Failure struct {
	Step      string
	Code      int  // from SMTP; 0: none
	Permanent bool // the recipient is refused permanently
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Code == 0 {
		return "mail: " + f.Step + " failed"
	}
	return fmt.Sprintf("mail: %s failed with %d", f.Step, f.Code)
}

// Send writes the texts of a mail and hands it to the server. If a process dies in between
// and the mail is handed over twice, both copies have the same Message-ID. It fails with a
// *Failure.
func (s *Sender) Send(ctx context.Context, m *models.Mail) error {
	letter, err := s.Write(ctx, m)
	if err != nil {
		return err
	}
	message := gomail.NewMsg()
	message.FromMailAddress(&s.From)
	if err := message.To(m.To); err != nil {
		return &Failure{Step: "reading the address", Permanent: true}
	}
	message.Subject(letter.Subject)
	message.SetMessageIDWithValue(m.ID + s.From.Address[strings.LastIndexByte(s.From.Address, '@'):])
	message.SetDateWithValue(m.CreatedAt)
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetBodyString(gomail.TypeTextPlain, letter.Text)
	message.AddAlternativeString(gomail.TypeTextHTML, letter.HTML)
	return failure(s.hand(ctx, message))
}

// hand gives the message to the server. It closes the connection itself: the library would
// leave it open when the log-in fails.
func (s *Sender) hand(ctx context.Context, message *gomail.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	config := &tls.Config{ServerName: s.Server.host, RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
	conn, err := s.Server.dial(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	options := []gomail.Option{
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
		gomail.WithTimeout(sendTimeout), gomail.WithTLSConfig(config), gomail.WithTLSPolicy(s.Server.policy()),
		gomail.WithoutNoop(),
	}
	if s.Server.user != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.Server.user),
			gomail.WithPassword(s.Server.password))
	}
	client, err := gomail.NewClient(s.Server.host, options...)
	if err != nil {
		return err
	}
	talk, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := client.SendWithSMTPClient(talk, message); err != nil {
		return err
	}
	_ = client.CloseWithSMTPClient(talk) // the server has accepted the mail, even if this fails
	return nil
}

// failure keeps only the part of an error that may be logged.
func failure(err error) error {
	if err == nil {
		return nil
	}
	refused, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		f := &Failure{Step: "connecting or logging in"}
		if answer, ok := errors.AsType[*textproto.Error](err); ok {
			f.Code = answer.Code
		}
		return f
	}
	steps := map[gomail.SendErrReason]string{
		gomail.ErrSMTPMailFrom: "naming the sender", gomail.ErrSMTPRcptTo: "naming the recipient",
		gomail.ErrSMTPData:      "sending",
		gomail.ErrSMTPDataClose: "sending", gomail.ErrWriteContent: "sending",
	}
	step := steps[refused.Reason]
	if step == "" {
		step = "talking to the server"
	}
	code := refused.ErrorCode()
	return &Failure{Step: step, Code: code, Permanent: refused.Reason == gomail.ErrSMTPRcptTo && code >= 500}
}
