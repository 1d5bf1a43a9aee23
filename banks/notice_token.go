package banks

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

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

// shownToken is the least length of a part of a token that withoutToken leaves out.
const shownToken = 8

// withoutToken replaces the token in a bank's text, also where the text ends within it.
func withoutToken(text, token string) string {
	for n := len(token); n >= shownToken; n-- {
		text = strings.ReplaceAll(text, token[:n], "…")
	}
	return text
}
