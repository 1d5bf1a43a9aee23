package models

import "context"

// SellingWays is how a member said that they sell. The zero value means that the member has not said it.
type SellingWays struct {
	SellsByLink, SellsByAPI bool
}

// SetSellingWays stores how a member sells.
func SetSellingWays(ctx context.Context, h Handle, accountID, userID string, ways SellingWays) error {
	return h.gorm(ctx).Model(&Member{}).Where("account_id = ? AND user_id = ?", accountID, userID).
		Updates(map[string]any{"sells_by_link": ways.SellsByLink, "sells_by_api": ways.SellsByAPI}).Error
}

// LinkSteps says how far a scope is with selling by links.
type LinkSteps struct {
	Product bool   // it has one
	LinkID  string // the newest link, "" for none
	Used    bool   // a buyer made a checkout at a link
	Paid    bool   // and paid it
	Open    string // the newest pending checkout of the newest link, "" for none
}

// LinkStepsOf returns how far a scope is with selling by links.
func LinkStepsOf(ctx context.Context, q Querier, scope Scope) (*LinkSteps, error) {
	return one[LinkSteps](ctx, q, `WITH links AS (
			SELECT id, created_at FROM payment_links WHERE project_id = $1 AND livemode = $2
		), newest AS (SELECT id FROM links ORDER BY created_at DESC, id DESC LIMIT 1)
		SELECT EXISTS (SELECT FROM products WHERE project_id = $1 AND livemode = $2) AS product,
			coalesce((SELECT id FROM newest), '') AS link_id,
			EXISTS (SELECT FROM links l JOIN checkouts c ON c.payment_link_id = l.id) AS used,
			EXISTS (SELECT FROM links l JOIN checkouts c ON c.payment_link_id = l.id WHERE c.status = 'PAID') AS paid,
			coalesce((SELECT c.id FROM newest JOIN checkouts c ON c.payment_link_id = newest.id
				WHERE c.status = 'PENDING' ORDER BY c.created_at DESC LIMIT 1), '') AS open`,
		scope.ProjectID, scope.Environment)
}
