package models

// withdrawalDrift compares withdrawals with their postings, and with what banks paid and what came back. A
// withdrawal that came back before the parts were recorded has one posting for the whole.
const withdrawalDrift = `WITH w AS (
		SELECT w.id, 'withdrawal/' || w.id AS fact, w.account_id || '/live/available' AS available,
			w.account_id || '/live/reserved' AS reserved, w.amount, w.fee, w.status, w.end_to_end_id,
			(SELECT sum(r.amount) FROM withdrawal_returns r WHERE r.withdrawal_id = w.id)::bigint AS back
		FROM withdrawals w WHERE w.id = ANY($1)
	), wanted AS (
		SELECT id AS of, fact, available AS from_book, reserved AS to_book, amount FROM w
		UNION ALL
		SELECT id, fact || '/released', reserved, available, amount
			FROM w WHERE status IN ('CANCELLED', 'REJECTED', 'FAILED')
		UNION ALL
		SELECT id, fact || '/completed', reserved, 'platform/live/paid_out', amount - fee
			FROM w WHERE status IN ('COMPLETED', 'RETURNED')
		UNION ALL
		SELECT id, fact || '/completed', reserved, 'platform/live/fees', fee
			FROM w WHERE status IN ('COMPLETED', 'RETURNED') AND fee > 0
		UNION ALL
		SELECT id, fact || '/returned', 'platform/live/paid_out', available, amount - fee
			FROM w WHERE status = 'RETURNED' AND back IS NULL
		UNION ALL
		SELECT w.id, w.fact || '/returned/' || r.id, 'platform/live/paid_out', w.available, r.amount
			FROM w JOIN withdrawal_returns r ON r.withdrawal_id = w.id
	), facts AS (
		SELECT id AS of, fact || step AS fact
			FROM w CROSS JOIN unnest('{"",/released,/completed,/returned}'::text[]) AS step
		UNION ALL
		SELECT w.id, w.fact || '/returned/' || r.id FROM w JOIN withdrawal_returns r ON r.withdrawal_id = w.id
	)` + asked + `
	UNION ALL
	SELECT id, id, 'what came back', CASE status WHEN 'RETURNED' THEN amount - fee ELSE 0 END, back FROM w
	WHERE CASE status WHEN 'RETURNED' THEN back <> amount - fee WHEN 'COMPLETED' THEN back >= amount - fee
		ELSE back IS NOT NULL END
	UNION ALL
	SELECT w.id, p.id, 'what the bank paid', CASE WHEN w.status IN ('COMPLETED', 'RETURNED') THEN w.amount - w.fee
		ELSE 0 END, p.amount
	FROM w JOIN payout_attempts p ON p.withdrawal_id = w.id
	WHERE p.amount <> w.amount - w.fee OR p.status = 'DONE' AND (w.status NOT IN ('COMPLETED', 'RETURNED')
			OR w.end_to_end_id IS DISTINCT FROM p.end_to_end_id)
		OR p.ended_at IS NULL AND w.status <> 'PROCESSING'`

// withdrawalStep is the SQL condition that f.step is a step that the withdrawal f.id can have.
const withdrawalStep = `CASE WHEN f.step LIKE '/returned/%' THEN
			(SELECT true FROM withdrawal_returns WHERE id = substr(f.step, 11) AND withdrawal_id = f.id)
		ELSE f.step IN ('', '/released', '/completed', '/returned')
			AND (SELECT true FROM withdrawals WHERE id = f.id) END`
