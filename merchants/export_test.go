package merchants

import (
	"context"
	"encoding/base64"
	"time"

	"golang.org/x/crypto/argon2"
)

// FormerHash returns the hash of a password with less costs than those of today.
func FormerHash(password string) string {
	salt := []byte("sixteen bytes...")
	key := argon2.IDKey([]byte(password), salt, 1, 8, 1, argonKey)
	return "$argon2id$v=19$m=8,t=1,p=1$" + base64.RawStdEncoding.EncodeToString(salt) + "$" +
		base64.RawStdEncoding.EncodeToString(key)
}

// HoldHashes takes all places of the hash gate, so that every password waits. It returns the
// number of hashes that may wait, a function for the number that wait now, and a function that
// releases the places.
func (s *Service) HoldHashes() (room int, waiting func() int, release func()) {
	places := cap(s.hashes.running)
	for range places {
		s.hashes.running <- struct{}{}
	}
	waiting = func() int { return len(s.hashes.held) }
	return cap(s.hashes.held), waiting, func() {
		for range places {
			<-s.hashes.running
		}
	}
}

// SealsWait sets how long SealAudit waits for open transactions.
func (s *Service) SealsWait(patience time.Duration) { s.patience = patience }

// Hash calls hash as if it hashed a password.
func (s *Service) Hash(ctx context.Context, hash func()) error { return s.hashes.do(ctx, hash) }

// HashesAtOnce returns how many passwords may be hashed at a time.
func (s *Service) HashesAtOnce() int { return cap(s.hashes.running) }

// HashMemory returns how many bytes the hashes in progress take at most, on a machine with a
// number of processors.
func HashMemory(processors int) int { return cap(newHashGate(processors).running) * argonMemory << 10 }

// AwaitAddresses returns when no address of a key is being recorded.
func (s *Service) AwaitAddresses() {
	s.addresses.slots <- struct{}{}
	<-s.addresses.slots
}
