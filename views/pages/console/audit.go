package console

import (
	"time"

	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// AuditProps is GET /ops/auditoria: all acts.
type AuditProps struct {
	Shell layouts.OpsShell
	Seal  AuditSeal
	List  base.AuditList
}

// AuditSeal says up to where the log is sealed, and whether it agrees with its seals.
type AuditSeal struct {
	Through   int64 // the last line; 0: nothing is sealed yet
	ThroughAt time.Time
	Lines     int64
	SHA256    string     // of the last seal, in hexadecimal
	CheckedAt *time.Time // nil: never
	Flaws     []string   // in words
}
