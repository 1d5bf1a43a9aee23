package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// NameProposal is a new name of an account that was approved for live. Buyers see it only after
// staff approved it. An account has at most one pending proposal.
type NameProposal struct {
	ID             string
	AccountID      string
	Before         string // the account's name at the time of the proposal
	Name           string
	Status         ProposalStatus
	ProposedBy     string // a user id
	ProposedAt     time.Time
	DecidedBy      *string // a user id
	DecidedAt      *time.Time
	DecisionReason *string // of a refusal; the owner reads it
}

// ListedNameProposal is a proposal with the name of the person who made it.
type ListedNameProposal struct {
	NameProposal
	Proposer string
}

const nameProposalQuery = `SELECT p.id, p.account_id, p.before, p.name, p.status, p.proposed_by, p.proposed_at,
	p.decided_by, p.decided_at, p.decision_reason, u.name
	FROM name_proposals p JOIN users u ON u.id = p.proposed_by `

func nameProposals(ctx context.Context, q Querier, where string, args ...any) ([]ListedNameProposal, error) {
	rows, err := q.Query(ctx, nameProposalQuery+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p ListedNameProposal, err error) {
		err = row.Scan(&p.ID, &p.AccountID, &p.Before, &p.Name, &p.Status, &p.ProposedBy, &p.ProposedAt,
			&p.DecidedBy, &p.DecidedAt, &p.DecisionReason, &p.Proposer)
		return p, err
	})
}

func oneNameProposal(ctx context.Context, q Querier, where string, args ...any) (*ListedNameProposal, error) {
	found, err := nameProposals(ctx, q, where, args...)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNotFound
	}
	return &found[0], nil
}

// NameProposalByID returns a proposal, or ErrNotFound.
func NameProposalByID(ctx context.Context, q Querier, id string) (*ListedNameProposal, error) {
	if !nameProposalShape.fits(id) {
		return nil, ErrNotFound
	}
	return oneNameProposal(ctx, q, "WHERE p.id = $1", id)
}

// LatestNameProposal returns the last proposal of an account, or ErrNotFound.
func LatestNameProposal(ctx context.Context, q Querier, accountID string) (*ListedNameProposal, error) {
	return oneNameProposal(ctx, q, "WHERE p.account_id = $1 ORDER BY p.proposed_at DESC, p.id DESC LIMIT 1", accountID)
}

// LockPendingName returns the pending proposal of an account and locks its row until tx ends, or
// returns ErrNotFound.
func LockPendingName(tx *Tx, accountID string) (*ListedNameProposal, error) {
	return within(tx, func(ctx context.Context, q Querier) (*ListedNameProposal, error) {
		return oneNameProposal(ctx, q, "WHERE p.account_id = $1 AND p.status = 'PENDING' FOR UPDATE OF p", accountID)
	})
}

// InsertNameProposal writes a pending proposal.
func InsertNameProposal(tx *Tx, p NameProposal) error {
	return tx.exec(`INSERT INTO name_proposals (id, account_id, before, name, proposed_by, proposed_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, p.ID, p.AccountID, p.Before, p.Name, p.ProposedBy, p.ProposedAt)
}

// SaveNameDecision writes the decision about a proposal that the caller has locked.
func SaveNameDecision(tx *Tx, p *NameProposal) error {
	return tx.exec(`UPDATE name_proposals SET status = $2, decided_by = $3, decided_at = $4, decision_reason = $5
		WHERE id = $1`, p.ID, p.Status, p.DecidedBy, p.DecidedAt, p.DecisionReason)
}

// PendingNameProposals lists pending proposals, oldest first, starting after the position.
func PendingNameProposals(ctx context.Context, q Querier, after *Position, limit int) ([]ListedNameProposal, error) {
	if after == nil {
		return nameProposals(ctx, q, "WHERE p.status = 'PENDING' ORDER BY p.proposed_at, p.id LIMIT $1", limit)
	}
	return nameProposals(ctx, q, `WHERE p.status = 'PENDING' AND (p.proposed_at, p.id) > ($2, $3)
		ORDER BY p.proposed_at, p.id LIMIT $1`, limit, after.CreatedAt, after.ID)
}

// DecidedNameProposals lists proposals that are no longer pending, newest first, starting after
// the position.
func DecidedNameProposals(ctx context.Context, q Querier, after *Position, limit int) ([]ListedNameProposal, error) {
	if after == nil {
		return nameProposals(ctx, q, "WHERE p.status <> 'PENDING' ORDER BY p.proposed_at DESC, p.id DESC LIMIT $1",
			limit)
	}
	return nameProposals(ctx, q, `WHERE p.status <> 'PENDING' AND (p.proposed_at, p.id) < ($2, $3)
		ORDER BY p.proposed_at DESC, p.id DESC LIMIT $1`, limit, after.CreatedAt, after.ID)
}

// NameProposalsOf lists the latest proposals of an account, newest first.
func NameProposalsOf(ctx context.Context, q Querier, accountID string, limit int) ([]ListedNameProposal, error) {
	return nameProposals(ctx, q, "WHERE p.account_id = $1 ORDER BY p.proposed_at DESC, p.id DESC LIMIT $2", accountID,
		limit)
}
