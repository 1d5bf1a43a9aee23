package dashboard

import (
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// AuditProps is GET /app/auditoria: the acts on the merchant's own account.
type AuditProps struct {
	Shell layouts.Shell
	List  base.AuditList
}
