package merchants

import (
	"context"
	"errors"
	"slices"

	"garoupa/internal/input"
	"garoupa/models"
)

// SaveReason saves a reason for decisions of a kind. Only supervisors may call it. It fails with Invalid, which names
// "kind" and "text": Taken if the kind has the text, TooLong if it has models.MostReasons; or with
// refusal.Forbidden.
func (s *Service) SaveReason(ctx context.Context, by models.Actor, kind models.ReasonKind, text string) error {
	problems := Invalid{}
	problems.text(&text)
	if !slices.Contains(models.ReasonKinds, kind) {
		problems["kind"] = Unknown
	}
	if err := problems.orNil(); err != nil {
		return err
	}
	by.AccountID = ""
	reason := models.DecisionReason{ID: models.NewReasonID(), Kind: kind, Text: text, CreatedBy: by.UserID,
		CreatedAt: s.now()}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := staffFor(tx, by, models.Matter{}, models.ManageReasons); err != nil {
			return err
		}
		if added, err := models.InsertReason(tx, reason); err != nil {
			return err
		} else if !added {
			return Invalid{"text": TooLong}
		}
		return s.auditChange(tx, by, "reason.saved", reason.ID, change{after: map[string]string{"text": text}},
			map[string]string{"decision": string(kind)})
	})
	return reasonFailure(err, "save reason")
}

// EditReason changes the text of a saved reason from the version seen. What was decided keeps its own text. Only
// supervisors may call it. It fails with Invalid like SaveReason, ErrChanged if the reason was changed or retired
// since, models.ErrNotFound, or refusal.Forbidden.
func (s *Service) EditReason(ctx context.Context, by models.Actor, id string, seen int, text string) error {
	problems := Invalid{}
	problems.text(&text)
	if err := problems.orNil(); err != nil {
		return err
	}
	return s.changeReason(ctx, by, id, seen, "reason.edited", func(r *models.DecisionReason) change {
		before := r.Text
		r.Text = text
		return change{before: map[string]string{"text": before}, after: map[string]string{"text": text}}
	})
}

// RetireReason ends that a saved reason can be picked. It fails like EditReason.
func (s *Service) RetireReason(ctx context.Context, by models.Actor, id string, seen int) error {
	return s.changeReason(ctx, by, id, seen, "reason.retired", func(r *models.DecisionReason) change {
		now := s.now()
		r.RetiredBy, r.RetiredAt = &by.UserID, &now
		return change{before: map[string]string{"text": r.Text}}
	})
}

// changeReason lets do change a live reason of the version seen, and returns what it changed for the audit log.
func (s *Service) changeReason(ctx context.Context, by models.Actor, id string, seen int, action string,
	do func(*models.DecisionReason) change) error {
	by.AccountID = ""
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := staffFor(tx, by, models.Matter{}, models.ManageReasons); err != nil {
			return err
		}
		reason, err := models.LockReason(tx, id)
		if err != nil {
			return err
		}
		if reason.RetiredAt != nil || reason.Version != seen {
			return ErrChanged
		}
		c := do(reason)
		if err := models.SaveReason(tx, reason); err != nil {
			return err
		}
		return s.auditChange(tx, by, action, id, c, map[string]string{"decision": string(reason.Kind)})
	})
	return reasonFailure(err, "change reason")
}

func reasonFailure(err error, doing string) error {
	if models.Violates(err, models.ReasonsOnce) {
		return Invalid{"text": Taken}
	}
	if _, wrong := errors.AsType[Invalid](err); wrong {
		return err
	}
	return expected(err, doing, ErrChanged, models.ErrNotFound)
}

// text trims a reason that is saved, and checks it like one that is given.
func (p Invalid) text(text *string) {
	reason, ok := input.Reason(*text)
	if *text = reason; !ok {
		p["text"] = Malformed
	}
}
