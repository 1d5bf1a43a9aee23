package banks

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"garoupa/models"
)

// tokenBytes is the length of the secret in the address for notices, before its encoding.
const tokenBytes = 32

// noticePath is the path before the token in the address for notices.
const noticePath = "/bank/"

// sealNoticeToken returns a new token for an account, sealed, and its digest.
func (s *Service) sealNoticeToken(accountID string) (sealed, digest []byte) {
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // it never fails
	token := hex.EncodeToString(random)
	return s.Vault.Seal(models.SealedNoticeToken.Place(accountID), token), tokenDigest(token)
}

func tokenDigest(token string) []byte {
	digest := sha256.Sum256([]byte(token))
	return digest[:]
}

// noticeToken returns the token of an account. An account of an older program gets one.
func (s *Service) noticeToken(ctx context.Context, account *models.BankAccount) (string, error) {
	if account.NoticeToken == nil {
		sealed, digest := s.sealNoticeToken(account.ID)
		err := models.SetNoticeToken(ctx, s.DB.Pool, account.ID, sealed, digest)
		if err == nil { // another process may have been faster
			account, err = models.BankAccountByID(ctx, s.DB, account.ID)
		}
		if err != nil {
			return "", fmt.Errorf("banks: make a token for notices: %w", err)
		}
	}
	token, err := s.Vault.Open(models.SealedNoticeToken.Place(account.ID), account.NoticeToken)
	if err != nil {
		return "", fmt.Errorf("banks: open the token for notices of %s: %w", account.ID, err)
	}
	return token, nil
}
