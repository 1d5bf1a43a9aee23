package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"garoupa/internal/auth/vault"
	"garoupa/models"
)

const secretFile = "secret.key"

// openVault opens the vault with GAROUPA_SECRET_KEY or, if that is unset, with the key in
// the data folder, which the first start creates. Values sealed with
// GAROUPA_SECRET_KEY_PREVIOUS open too.
func openVault(s settings) (*vault.Vault, error) {
	hexKey := s.SecretKey
	if hexKey == "" {
		var err error
		if hexKey, err = secretFromFile(filepath.Join(s.DataDir, secretFile)); err != nil {
			return nil, err
		}
	}
	key, err := decodeSecretKey(hexKey)
	if err != nil {
		return nil, fmt.Errorf("the secret key in %s %w", filepath.Join(s.DataDir, secretFile), err)
	}
	if s.SecretKeyPrevious == "" {
		return vault.New(key)
	}
	previous, err := decodeSecretKey(s.SecretKeyPrevious)
	if err != nil {
		return nil, fmt.Errorf("GAROUPA_SECRET_KEY_PREVIOUS %w", err)
	}
	return vault.New(key, previous)
}

// requireKey fails if there is no secret key yet: a command that created one, in whatever
// folder it runs, would seal values that no server can open.
func requireKey(s settings) error {
	path := filepath.Join(s.DataDir, secretFile)
	if s.SecretKey != "" {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("GAROUPA_SECRET_KEY is not set, and %s cannot be read: %w", path, err)
	}
	return nil
}

func secretFromFile(path string) (string, error) {
	text, err := readOrCreate(path, func() string {
		key := make([]byte, vault.MinKeyLength)
		rand.Read(key) // never fails since Go 1.24
		return hex.EncodeToString(key)
	})
	if err != nil {
		return "", fmt.Errorf("the secret key: %w", err)
	}
	return text, nil
}

// readOrCreate returns the text of a file, without the space around the text. If the file does not exist,
// readOrCreate creates it with a fresh text; only this user may read the file.
func readOrCreate(path string, fresh func() string) (string, error) {
	raw, err := os.ReadFile(path)
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return strings.TrimSpace(string(raw)), err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(temporary.Name())
	if _, err := temporary.WriteString(fresh()); err != nil {
		return "", err
	}
	if err := errors.Join(temporary.Sync(), temporary.Close()); err != nil {
		return "", err
	}
	// Link, not rename: when two processes start together, both use the first text.
	if err := os.Link(temporary.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	raw, err = os.ReadFile(path)
	return strings.TrimSpace(string(raw)), err
}

func decodeSecretKey(hexKey string) ([]byte, error) {
	key, err := hex.DecodeString(hexKey)
	if err != nil || len(key) < vault.MinKeyLength {
		return nil, fmt.Errorf("must be at least %d hex digits; openssl rand -hex 32 makes one", 2*vault.MinKeyLength)
	}
	return key, nil
}

// checkKey returns the vault with the database's root. It refuses a key that did not seal
// the existing values: they could not be opened, and the other instances could not open new
// ones.
func checkKey(ctx context.Context, db *models.DB, v *vault.Vault) (*vault.Vault, error) {
	stored, err := models.KeyCheck(ctx, db.Pool, v.SealRoot())
	if err != nil {
		return nil, fmt.Errorf("check the secret key: %w", err)
	}
	if v, err = v.OpenRoot(stored); err != nil {
		return nil,
			errors.New("GAROUPA_SECRET_KEY (or the data folder's secret.key) is not the key that this database is " +
				"sealed with; to change the key, set GAROUPA_SECRET_KEY_PREVIOUS to the previous key until " +
				"garoupa rotate-key has ended")
	}
	return v, nil
}
