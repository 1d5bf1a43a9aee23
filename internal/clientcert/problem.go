package clientcert

// Problem is why files were refused: a code for which pages have a text.
type Problem string

// The problems.
const (
	TooLarge      Problem = "too_large"
	Empty         Problem = "empty"
	Garbage       Problem = "garbage" // no format that Read knows, or damaged
	Unsupported   Problem = "unsupported"
	WrongPassword Problem = "wrong_password" // also if the password is missing, or the encrypted part damaged
	EncryptedKey  Problem = "encrypted_key"  // PEM with an encrypted PKCS#8 key, whatever the password
	NoCertificate Problem = "no_certificate"
	NoKey         Problem = "no_key"
	SeveralKeys   Problem = "several_keys"
	UnreadableKey Problem = "unreadable_key"
	Mismatch      Problem = "mismatch" // the key belongs to none of the certificates
	Weak          Problem = "weak"     // RSA below 2048 bits, a curve below 256 bits
	Expired       Problem = "expired"
	NotYet        Problem = "not_yet"
)

var explanations = map[Problem]string{
	TooLarge:      "a file is larger than 64 KiB",
	Empty:         "the file is empty",
	Garbage:       "the file is damaged, or neither PKCS#12 nor PEM",
	Unsupported:   "this kind of PKCS#12 cannot be read: convert it to PEM, or export it again",
	WrongPassword: "the password is missing or wrong",
	EncryptedKey:  "the PEM key is encrypted: upload a .p12 file, or convert the key",
	NoCertificate: "no certificate in the files",
	NoKey:         "no private key in the files",
	SeveralKeys:   "more than one private key in the files",
	UnreadableKey: "the private key is damaged, or of an unknown kind",
	Mismatch:      "the private key belongs to another certificate",
	Weak:          "the private key is too short",
	Expired:       "the certificate has expired",
	NotYet:        "the certificate is not valid yet",
}

// Error implements error.
func (p Problem) Error() string { return "clientcert: " + explanations[p] }
