package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// ProposalStatus is the status of a fee proposal.
type ProposalStatus string

const (
	ProposalPending   ProposalStatus = "PENDING"
	ProposalApproved  ProposalStatus = "APPROVED"
	ProposalRefused   ProposalStatus = "REFUSED"
	ProposalWithdrawn ProposalStatus = "WITHDRAWN" // by its author
)

// FeeProposal is the fees that one member of staff proposes for an account. They take effect
// only when another member approves them. An account has at most one pending proposal.
type FeeProposal struct {
	ID             string
	AccountID      string
	Fee            *money.Fee // of charges; nil means the installation's fee
	WithdrawalFee  *money.Fee // nil means the installation's fee
	StartsAt       *time.Time // nil means from the approval on
	Reason         string     // shown to the account's owner after the approval
	Status         ProposalStatus
	ProposedBy     string // a user id
	ProposedAt     time.Time
	DecidedBy      *string // a user id
	DecidedAt      *time.Time
	DecisionReason *string // reason of a refusal, for staff
}

// ListedFeeProposal is a proposal with the names of the account and the people.
type ListedFeeProposal struct {
	FeeProposal
	AccountName string
	Proposer    string
	Decider     string // "" while pending
}

// FeeProposalsOnePending is the constraint that allows an account one pending proposal.
const FeeProposalsOnePending = "fee_proposals_one_pending"

const feeProposalQuery = `SELECT p.id, p.account_id, p.basis_points, p.fixed, p.withdrawal_basis_points,
	p.withdrawal_fixed, p.starts_at, p.reason, p.status, p.proposed_by, p.proposed_at,
	p.decided_by, p.decided_at, p.decision_reason, a.name, u.name, coalesce(d.name, '')
	FROM fee_proposals p JOIN accounts a ON a.id = p.account_id JOIN users u ON u.id = p.proposed_by
	LEFT JOIN users d ON d.id = p.decided_by `

func scanFeeProposal(row pgx.CollectableRow) (p ListedFeeProposal, err error) {
	var points, withdrawalPoints *int64
	var fixed, withdrawalFixed *money.Cents
	err = row.Scan(&p.ID, &p.AccountID, &points, &fixed, &withdrawalPoints, &withdrawalFixed, &p.StartsAt, &p.Reason,
		&p.Status, &p.ProposedBy, &p.ProposedAt,
		&p.DecidedBy, &p.DecidedAt, &p.DecisionReason, &p.AccountName, &p.Proposer, &p.Decider)
	p.Fee, p.WithdrawalFee = feeOf(points, fixed), feeOf(withdrawalPoints, withdrawalFixed)
	return p, err
}

func feeProposals(ctx context.Context, q Querier, where string, args ...any) ([]ListedFeeProposal, error) {
	rows, err := q.Query(ctx, feeProposalQuery+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanFeeProposal)
}

func oneFeeProposal(ctx context.Context, q Querier, where string, args ...any) (*ListedFeeProposal, error) {
	found, err := feeProposals(ctx, q, where, args...)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNotFound
	}
	return &found[0], nil
}

// FeeProposalByID returns a proposal, or ErrNotFound.
func FeeProposalByID(ctx context.Context, q Querier, id string) (*ListedFeeProposal, error) {
	if !feeProposalShape.fits(id) {
		return nil, ErrNotFound
	}
	return oneFeeProposal(ctx, q, "WHERE p.id = $1", id)
}

// PendingFeeProposal returns the pending proposal of an account, or ErrNotFound.
func PendingFeeProposal(ctx context.Context, q Querier, accountID string) (*ListedFeeProposal, error) {
	return oneFeeProposal(ctx, q, "WHERE p.account_id = $1 AND p.status = 'PENDING'", accountID)
}

// LatestFeeProposal returns the proposal of an account with the latest creation or decision,
// or ErrNotFound.
func LatestFeeProposal(ctx context.Context, q Querier, accountID string) (*ListedFeeProposal, error) {
	return oneFeeProposal(ctx, q, `WHERE p.account_id = $1
		ORDER BY coalesce(p.decided_at, p.proposed_at) DESC, p.status = 'PENDING' DESC LIMIT 1`, accountID)
}

// LockFeeProposal returns a proposal and locks its row until tx ends, or returns ErrNotFound.
func LockFeeProposal(tx *Tx, id string) (*ListedFeeProposal, error) {
	return within(tx, func(ctx context.Context, q Querier) (*ListedFeeProposal, error) {
		return oneFeeProposal(ctx, q, "WHERE p.id = $1 FOR UPDATE OF p", id)
	})
}

// FeeProposalCount returns the number of proposals ever made for an account. The form for a
// new proposal uses it as a version.
func FeeProposalCount(ctx context.Context, q Querier, accountID string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT count(*) FROM fee_proposals WHERE account_id = $1", accountID).Scan(&n)
	return n, err
}

// InsertFeeProposal writes a pending proposal. If the account has another one, it fails with a
// violation of FeeProposalsOnePending.
func InsertFeeProposal(tx *Tx, p FeeProposal) error {
	points, fixed := feeColumns(p.Fee)
	withdrawalPoints, withdrawalFixed := feeColumns(p.WithdrawalFee)
	return tx.exec(`INSERT INTO fee_proposals (id, account_id, basis_points, fixed, withdrawal_basis_points,
			withdrawal_fixed, starts_at, reason, proposed_by, proposed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		p.ID, p.AccountID, points, fixed, withdrawalPoints, withdrawalFixed, p.StartsAt, p.Reason, p.ProposedBy,
		p.ProposedAt)
}

// SaveFeeDecision writes the decision about a proposal that the caller has locked.
func SaveFeeDecision(tx *Tx, p *FeeProposal) error {
	return tx.exec(`UPDATE fee_proposals SET status = $2, decided_by = $3, decided_at = $4, decision_reason = $5
		WHERE id = $1`, p.ID, p.Status, p.DecidedBy, p.DecidedAt, p.DecisionReason)
}

// PendingFeeProposals lists pending proposals, oldest first, starting after the position.
func PendingFeeProposals(ctx context.Context, q Querier, after *Position, limit int) ([]ListedFeeProposal, error) {
	if after == nil {
		return feeProposals(ctx, q, "WHERE p.status = 'PENDING' ORDER BY p.proposed_at, p.id LIMIT $1", limit)
	}
	return feeProposals(ctx, q, `WHERE p.status = 'PENDING' AND (p.proposed_at, p.id) > ($2, $3)
		ORDER BY p.proposed_at, p.id LIMIT $1`,
		limit, after.CreatedAt, after.ID)
}

// DecidedFeeProposals lists proposals that are no longer pending, newest first, starting after
// the position.
func DecidedFeeProposals(ctx context.Context, q Querier, after *Position, limit int) ([]ListedFeeProposal, error) {
	if after == nil {
		return feeProposals(ctx, q, "WHERE p.status <> 'PENDING' ORDER BY p.proposed_at DESC, p.id DESC LIMIT $1",
			limit)
	}
	return feeProposals(ctx, q, `WHERE p.status <> 'PENDING' AND (p.proposed_at, p.id) < ($2, $3)
		ORDER BY p.proposed_at DESC, p.id DESC LIMIT $1`,
		limit, after.CreatedAt, after.ID)
}

// FeeProposalsOf lists the latest proposals for an account, newest first.
func FeeProposalsOf(ctx context.Context, q Querier, accountID string, limit int) ([]ListedFeeProposal, error) {
	return feeProposals(ctx, q, "WHERE p.account_id = $1 ORDER BY p.proposed_at DESC, p.id DESC LIMIT $2", accountID,
		limit)
}
