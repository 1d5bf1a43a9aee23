package merchants

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"garoupa/models"
)

// Argon2id as OWASP recommends it for 19 MiB: two passes, one lane.
const (
	argonMemory  = 19 * 1024 // KiB
	argonTime    = 2
	argonThreads = 1
	argonKey     = 32
)

// hashQueue is how many hashes may wait for each one in progress. At about 40 ms each, the
// last of them waits a second or two.
const hashQueue = 32

// hashGate limits the password hashes in progress. A hash takes argonMemory and a processor,
// so unlimited log-ins would use all memory of the machine.
type hashGate struct {
	running chan struct{} // holds one value for each hash in progress
	held    chan struct{} // holds one value for each hash in progress or waiting
}

// hashesMost is how many hashes may be in progress on any machine: 8 of them take 152 MiB.
const hashesMost = 8

// newHashGate returns a gate for half of the processors. The others are left to payments.
func newHashGate(processors int) hashGate {
	places := min((processors+1)/2, hashesMost)
	return hashGate{running: make(chan struct{}, places), held: make(chan struct{}, places*(1+hashQueue))}
}

// do runs hash when its turn comes. It fails with models.ErrOverloaded at once if too many
// hashes wait, and with the error of ctx if ctx ends first.
func (g hashGate) do(ctx context.Context, hash func()) error {
	select {
	case g.held <- struct{}{}:
		defer func() { <-g.held }()
	default:
		return models.ErrOverloaded
	}
	select {
	case g.running <- struct{}{}:
		defer func() { <-g.running }()
	case <-ctx.Done():
		return ctx.Err()
	}
	hash()
	return nil
}

// hashed returns the hash of a new password. It fails like hashGate.do.
func (s *Service) hashed(ctx context.Context, password string) (hash string, err error) {
	err = s.hashes.do(ctx, func() { hash = hashPassword(password, s.hashMemory()) })
	return hash, err
}

// isPasswordOf reports whether the password is the user's. It takes the same time if there is
// no user or no password. A hash with former costs is replaced. It fails like hashGate.do.
func (s *Service) isPasswordOf(ctx context.Context, user *models.User, password string) (matches bool, err error) {
	if len(password) > 4*MaxPasswordLength {
		return false, nil
	}
	hash := nobodysHash
	if user.PasswordHash != nil {
		hash = *user.PasswordHash
	}
	err = s.hashes.do(ctx, func() { matches = passwordMatches(hash, password) && user.PasswordHash != nil })
	if err == nil && matches && dated(hash, s.hashMemory()) {
		err = s.rehash(ctx, user, password)
	}
	return matches, err
}

// hashMemory returns how many KiB the hash of a new password takes.
func (s *Service) hashMemory() uint32 { return cmp.Or(s.HashMemory, argonMemory) }

// hashPassword returns the PHC string of a password. memory is in KiB.
func hashPassword(password string, memory uint32) string {
	salt := make([]byte, 16)
	rand.Read(salt) // never fails since Go 1.24
	key := argon2.IDKey([]byte(password), salt, argonTime, memory, argonThreads, argonKey)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, argonTime, argonThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// dated reports whether a hash was made with other costs than those of hashPassword.
func dated(hash string, memory uint32) bool {
	costs := fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memory, argonTime, argonThreads)
	return !strings.HasPrefix(hash, costs)
}

// rehash stores the hash of a password that the user has just shown with the costs of today, unless the
// password was replaced meanwhile.
func (s *Service) rehash(ctx context.Context, user *models.User, password string) error {
	hash, err := s.hashed(ctx, password)
	if err != nil {
		return err
	}
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		return models.ReplacePasswordHash(tx, user.ID, *user.PasswordHash, hash)
	})
}

// passwordMatches reports whether hash belongs to password, using the parameters in hash. A
// malformed hash matches nothing.
func passwordMatches(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var memory, passes uint32
	var threads uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil || passes < 1 ||
		threads < 1 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) == 0 {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}

// nobodysHash is compared if no user has the address, or the user has no password, so that
// this takes as long as for other users. It is the hash of a random text.
const nobodysHash = "$argon2id$v=19$m=19456,t=2,p=1$WaYh95ykGduanukdVZtwmA$VoxS+ixEcrVaRQAuXYQJKaFltd0y09KLjbkk/McKBqA"
