package models

// disputeDrift compares disputes with their postings. What is blocked was posted at the opening, and for each refund
// of the payment that failed afterwards.
const disputeDrift = `WITH d AS (
		SELECT id, payment_id, 'dispute/' || id AS fact, account_id || ` + env + ` AS owner, blocked, released
			FROM disputes WHERE id = ANY($1)
	), failed AS (
		SELECT d.id AS of, d.fact || '/raised/' || r.id AS fact, r.amount, d.owner
			FROM d JOIN refunds r ON r.payment_id = d.payment_id AND r.status = 'FAILED'
	), raised AS (
		SELECT f.of, f.fact, l.from_book, l.to_book, l.amount FROM failed f JOIN ledger_transfers l ON l.fact = f.fact
		WHERE l.from_book = f.owner || 'available' AND l.to_book = f.owner || 'blocked' AND l.amount <= f.amount
	), wanted AS (
		SELECT id AS of, fact, owner || 'available' AS from_book, owner || 'blocked' AS to_book, opened AS amount
			FROM d CROSS JOIN LATERAL (SELECT (d.blocked - coalesce(sum(raised.amount), 0))::bigint AS opened
				FROM raised WHERE raised.of = d.id) o WHERE opened <> 0
		UNION ALL
		SELECT * FROM raised
		UNION ALL
		SELECT id, fact || '/released', owner || 'blocked', owner || 'available', released FROM d WHERE released > 0
	), facts AS (
		SELECT id AS of, fact || step AS fact FROM d CROSS JOIN unnest('{"",/released}'::text[]) AS step
		UNION ALL
		SELECT failed.of, failed.fact FROM failed
	)` + asked

// disputeStep is the SQL condition that f.step is a step that the dispute f.id can have: its opening, "/released", or
// "/raised/" and a failed refund of its payment.
const disputeStep = `CASE WHEN f.step LIKE '/raised/%' THEN (SELECT true FROM refunds r
				JOIN disputes d ON d.payment_id = r.payment_id
				WHERE r.id = substr(f.step, 9) AND r.status = 'FAILED' AND d.id = f.id)
			ELSE f.step IN ('', '/released') AND (SELECT true FROM disputes WHERE id = f.id) END`
