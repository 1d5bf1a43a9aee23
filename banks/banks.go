// Package banks contains the operations on accounts at banks, the installation's and merchants' own: who
// proposes and approves them, how their credentials are replaced without a gap, and the clients that use
// them. Each exported method of Service that changes something is one operation and one
// transaction, and records its change in the audit log.
//
// A bank account of the installation and each of its credentials are proposed by one supervisor and approved by
// another. An own one is proposed by its merchant's owner and approved by a supervisor, and takes effect a day
// later (docs/rules.md, "Bank accounts"). Secrets, certificates and keys are sealed, and leave
// this package only towards the bank.
package banks

import (
	"log/slog"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	"garoupa/internal/auth/vault"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/pix/psp/bacen"
)

// Options configure a Service. All but Proxy, NoticesURL and Called are required.
type Options struct {
	DB       *models.DB
	Vault    *vault.Vault
	Profiles map[string]bacen.Profile // the banks that accounts can be at, by name
	Proxy    *url.URL                 // for calls of banks; nil for none

	// NoticesURL is the URL, without a slash at its end, below which banks reach the Receivers of all
	// processes; "" if the gateway receives no notices.
	NoticesURL string

	// AllowPrivate permits banks on private addresses, and the bank for tests. It is for
	// development and demonstrations.
	AllowPrivate bool

	// Called is told of each call of a bank with active credentials. It may be nil, and must not block.
	Called func(operation, outcome string, took time.Duration)

	Now func() time.Time
	Log *slog.Logger
}

// Service runs the operations. It is safe for concurrent use.
type Service struct {
	Options
	started time.Time

	mu       sync.Mutex
	clients  map[string]*bacen.Client // by the id of the credentials
	accounts map[string]forAccount    // by the id of the bank account
	heard    heard
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{Options: o, clients: map[string]*bacen.Client{}, accounts: map[string]forAccount{},
		heard: newHeard()}
	s.started = s.now()
	return s
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// ErrChanged reports that an object has changed since the actor saw it, because another person
// acted first.
var ErrChanged = refusal.Changed

var (
	errRole = refusal.New(refusal.Forbidden, "The person's role does not include this.")
	errOwn  = refusal.New(refusal.Forbidden, "The person who proposed it may not approve it.")
)

// manager checks that the actor is staff who may manage banks, and locks that until tx ends.
func manager(tx *models.Tx, by models.Actor) error {
	decider, err := models.LockDecider(tx, by.UserID, models.Matter{})
	if err != nil {
		return err
	}
	if !decider.StaffRole.Can(models.ManageBanks) {
		return errRole
	}
	return nil
}

// record writes a change of a bank account, and of its credentials if they are not nil, to the audit log. It
// mails it to all who may manage banks, or to the owner of the merchant whose account it is.
func (s *Service) record(tx *models.Tx, by models.Actor, action string, account *models.BankAccount,
	credential *models.BankCredential) error {
	now, detail := s.now(), facts(account, credential)
	entry := models.AuditEntry{
		At: now, Actor: by.ID(), Action: action, ObjectID: account.ID, Detail: detail, IP: by.IP,
		RequestID: by.RequestID,
	}
	if account.Own() {
		entry.AccountID = *account.AccountID
	}
	if err := models.InsertAudit(tx, entry); err != nil {
		return err
	}
	if account.Own() {
		fact := action + "/" + account.ID + "/" + now.Format(time.RFC3339Nano)
		return s.tellOwner(tx, account, models.MailOwnBankChanged, fact,
			map[string]string{"bank_name": account.Name, "certificate": detail["certificate"],
				"bank_change": "own_" + strings.TrimPrefix(action, "bank_account."), "at": now.Format(time.RFC3339)})
	}
	params := map[string]string{
		"bank": account.ID, "bank_name": detail["name"], "bank_change": strings.TrimPrefix(action, "bank_account."),
		"at": now.Format(time.RFC3339),
	}
	if certificate := detail["certificate"]; certificate != "" {
		params["certificate"] = certificate
	}
	if by.UserID != models.ActorSystem {
		person, err := models.UserByID(tx.Context(), tx, by.UserID)
		if err != nil {
			return err
		}
		params["by"] = person.Name
	}
	return s.tell(tx, models.MailBankAccountChanged, action+"/"+account.ID+"/"+now.Format(time.RFC3339Nano), params)
}

// tell mails all who may manage banks, once for each fact.
func (s *Service) tell(tx *models.Tx, kind, fact string, params map[string]string) error {
	people, err := models.StaffWho(tx.Context(), tx, models.ManageBanks)
	if err != nil {
		return err
	}
	letters := make([]models.Mail, 0, len(people))
	for _, person := range people {
		own := maps.Clone(params)
		own["name"] = person.Name
		letters = append(letters, models.Mail{Fact: fact, To: person.Email, Language: person.Language, Kind: kind,
			Params: own, CreatedAt: s.now()})
	}
	return models.InsertMails(tx, letters...)
}
