package models

import (
	"context"
	"strconv"
	"strings"
)

// Named is something of an account, other than a charge, that a search found by its words.
type Named struct {
	Kind   string // one of the Named constants
	ID     string // of a product its slug
	Title  string
	Detail string
}

// The kinds of Named.
const (
	NamedProduct  = "product"
	NamedLink     = "link"
	NamedEndpoint = "endpoint"
	NamedKey      = "key"
	NamedMember   = "member"
)

// namedAmong is how many of each kind, the latest, are looked through, and namedAtMost how many are returned.
const (
	namedAmong  = 1000
	namedAtMost = 5
)

// nameable selects what is searched of each kind: $1 is the project, $2 the environment, $3 the account.
var nameable = []string{
	`SELECT 'product' AS kind, slug AS id, name AS title, slug AS detail, coalesce(description, '') AS more
		FROM products WHERE project_id = $1 AND livemode = $2 ORDER BY created_at DESC, id DESC`,
	`SELECT 'link', l.id, d.name, l.id, d.slug FROM payment_links l JOIN products d ON d.id = l.product_id
		WHERE l.project_id = $1 AND l.livemode = $2 ORDER BY l.created_at DESC, l.id DESC`,
	`SELECT 'endpoint', id, url, description, '' FROM webhook_endpoints
		WHERE project_id = $1 AND livemode = $2 AND deleted_at IS NULL`,
	`SELECT 'key', id, name, '…' || last4, id FROM api_keys
		WHERE project_id = $1 AND livemode = $2 AND revoked_at IS NULL ORDER BY created_at DESC`,
	`SELECT 'member', u.id, u.name, u.email, '' FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $3`,
}

// SearchNamed returns the products, links, endpoints, keys and members of the scope and the account of whose names
// or addresses words begin with all words of the text.
func SearchNamed(ctx context.Context, q Reader, accountID string, scope Scope, text string) ([]Named, error) {
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, accountID}}}
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > maxTerms || len([]rune(text)) < minPrefix {
		return nil, nil
	}
	has := query.haveWords("(title || ' ' || detail || ' ' || more)", words)
	var each []string
	for _, sql := range nameable {
		each = append(each, "(SELECT kind, id, title, detail FROM ("+sql+" LIMIT "+strconv.Itoa(namedAmong)+
			") n (kind, id, title, detail, more) WHERE "+has+" LIMIT "+strconv.Itoa(namedAtMost)+")")
	}
	return collect[Named](ctx, q, strings.Join(each, " UNION ALL "), query.args...)
}
