package models

// asked compares the transfers that rows require with the posted ones. It follows the CTEs
// wanted (of, fact, from_book, to_book, amount) and facts (of, fact), which lists all facts
// that the rows may have been posted as.
const asked = `, posted AS (
		SELECT f.of, f.fact, l.from_book, l.to_book, sum(l.amount)::bigint AS amount
			FROM facts f JOIN ledger_transfers l ON l.fact = f.fact
		GROUP BY f.of, f.fact, l.from_book, l.to_book)
	SELECT coalesce(w.of, l.of), fact, from_book || ' to ' || to_book, coalesce(w.amount, 0), coalesce(l.amount, 0)
	FROM wanted w FULL JOIN posted l USING (fact, from_book, to_book) WHERE w.amount IS DISTINCT FROM l.amount`

// env is the environment of a row as part of a book's name.
const env = "CASE WHEN livemode THEN '/live/' ELSE '/test/' END"

const paymentDrift = `WITH paid AS (
		SELECT p.*, CASE WHEN p.livemode THEN '/live/' ELSE '/test/' END AS env,
			j.account_id, b.account_id AS owner, c.status, c.settlement_status, c.settlement_amount,
			c.amount AS charged, c.settles_at, (p.amount - p.fee - coalesce((
				SELECT sum(r.from_pending - r.back_to_pending) FROM refunds r WHERE r.payment_id = p.id), 0))::bigint
				AS net
		FROM payments p LEFT JOIN checkouts c ON c.id = p.checkout_id
			LEFT JOIN projects j ON j.id = c.project_id
			LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
		WHERE p.id = ANY($1)
	), decided AS (
		SELECT p.id, 'exception/' || p.id AS fact, p.env, p.amount, x.fee, x.decision, x.account_id,
			x.return_status, p.owner
		FROM payment_exceptions x JOIN paid p ON p.id = x.payment_id WHERE x.decision IS NOT NULL
	), wanted AS (
		SELECT id AS of, 'payment/' || id AS fact, 'platform' || env || 'clearing' AS from_book,
			CASE WHEN settles THEN account_id || env || 'pending' ELSE 'platform' || env || 'suspense' END
				AS to_book, amount
		FROM paid
		UNION ALL
		SELECT id, 'payment/' || id, account_id || env || 'pending', 'platform' || env || 'fees', fee
			FROM paid WHERE settles AND fee > 0
		UNION ALL
		SELECT id, 'settlement/' || checkout_id, account_id || env || 'pending',
			CASE WHEN owner IS NULL THEN account_id || env || 'available' ELSE 'platform' || env || 'paid_out' END, net
		FROM paid WHERE settles AND settlement_status <> 'PENDING' AND net > 0
		UNION ALL
		SELECT id, fact, 'platform' || env || 'suspense',
			CASE decision WHEN 'ACCEPTED' THEN
					account_id || env || CASE WHEN owner IS NULL THEN 'available' ELSE 'pending' END
				WHEN 'REFUNDED' THEN 'platform' || env || 'refunds'
				ELSE 'platform' || env || 'written_off' END, amount
		FROM decided
		UNION ALL
		SELECT id, fact, account_id || env || 'available', 'platform' || env || 'fees', fee FROM decided WHERE fee > 0
		UNION ALL
		SELECT id, fact || '/returned', 'platform' || env || 'written_off', 'platform' || env || 'refunds', amount
		FROM decided WHERE decision = 'WRITTEN_OFF' AND return_status = 'COMPLETED'
		UNION ALL
		SELECT id, fact, account_id || env || 'pending', 'platform' || env || 'paid_out', amount
		FROM decided WHERE decision = 'ACCEPTED' AND owner IS NOT NULL
	), facts AS (
		SELECT id AS of, 'payment/' || id AS fact FROM paid
		UNION ALL SELECT id, 'exception/' || id || step FROM paid CROSS JOIN unnest('{"",/returned}'::text[]) AS step
		UNION ALL SELECT id, 'settlement/' || checkout_id FROM paid WHERE settles
	)` + asked + `
	UNION ALL
	SELECT id, checkout_id, 'what was paid', CASE WHEN status = 'PAID' THEN charged ELSE 0 END, amount
	FROM paid WHERE settles AND (status <> 'PAID' OR amount <> charged)
	UNION ALL
	SELECT id, checkout_id, 'what was settled', settlement_amount, net
		FROM paid WHERE settles AND settlement_amount <> net
	UNION ALL
	SELECT id, checkout_id, 'what no date settles', 0, net
	FROM paid WHERE settles AND status = 'PAID' AND settlement_status = 'PENDING' AND settles_at IS NULL AND net > 0
	UNION ALL
	SELECT paid.id, paid.checkout_id, 'the bank has no such charge that is paid', 0::bigint, 0::bigint
	FROM paid LEFT JOIN bank_charges b USING (txid)
	WHERE paid.settles AND paid.bank_account_id IS NOT NULL
		AND (b.status, b.bank_account_id, b.checkout_id)
			IS DISTINCT FROM ('PAID', paid.bank_account_id, paid.checkout_id)
	UNION ALL
	SELECT id, checkout_id, 'the money is at another merchant', 0::bigint, 0::bigint
		FROM paid WHERE settles AND owner <> account_id
	UNION ALL
	SELECT id, checkout_id, 'the fee of money that the installation does not have', 0::bigint, fee
		FROM paid WHERE owner IS NOT NULL AND fee > 0`

const checkoutDrift = `SELECT c.id, c.id, 'what was paid', c.amount, 0::bigint FROM checkouts c
	WHERE c.id = ANY($1) AND c.status = 'PAID'
		AND (SELECT true FROM payments WHERE checkout_id = c.id AND settles) IS NULL`

const refundDrift = `WITH r AS (
		SELECT refunds.*, 'refund/' || id AS fact, account_id || ` + env + ` AS owner,
			'platform' || ` + env + ` || 'refunds' AS given, 'platform' || ` + env + ` || 'paid_out' AS outside,
			bank.own IS TRUE AS own
		FROM refunds LEFT JOIN LATERAL (SELECT b.account_id IS NOT NULL AS own FROM payments p
			JOIN bank_accounts b ON b.id = p.bank_account_id WHERE p.id = refunds.payment_id) bank ON true
		WHERE id = ANY($1)
	), wanted AS (
		SELECT id AS of, fact, owner || 'pending' AS from_book, given AS to_book, from_pending + from_paid_out AS amount
			FROM r WHERE from_pending + from_paid_out > 0
		UNION ALL
		SELECT id, fact, outside, owner || 'pending', from_paid_out FROM r WHERE from_paid_out > 0
		UNION ALL
		SELECT id, fact, owner || 'available', given, amount - from_pending - from_blocked - from_paid_out
			FROM r WHERE amount > from_pending + from_blocked + from_paid_out
		UNION ALL
		SELECT id, fact, owner || 'blocked', given, from_blocked FROM r WHERE from_blocked > 0
		UNION ALL
		SELECT id, fact || '/undone', given, owner || 'pending', CASE WHEN own THEN amount ELSE back_to_pending END
			FROM r WHERE back_to_pending > 0 OR own AND status = 'FAILED'
		UNION ALL
		SELECT id, fact || '/undone', CASE WHEN own THEN owner || 'pending' ELSE given END,
			CASE WHEN own THEN outside ELSE owner || 'available' END, amount - back_to_pending
			FROM r WHERE status = 'FAILED' AND amount > back_to_pending
	), facts AS (
		SELECT id AS of, fact || step AS fact FROM r CROSS JOIN unnest('{"",/undone}'::text[]) AS step
	)` + asked

const blockDrift = `WITH b AS (
		SELECT id, 'block/' || id AS fact, account_id || ` + env + ` AS owner, amount, released_at
			FROM blocked_amounts WHERE id = ANY($1)
	), wanted AS (
		SELECT id AS of, fact, owner || 'available' AS from_book, owner || 'blocked' AS to_book, amount FROM b
		UNION ALL
		SELECT id, fact || '/released', owner || 'blocked', owner || 'available', amount
			FROM b WHERE released_at IS NOT NULL
	), facts AS (
		SELECT id AS of, fact || step AS fact FROM b CROSS JOIN unnest('{"",/released}'::text[]) AS step
	)` + asked

// knownFact is the condition that f.fact belongs to a row that requires it. It looks up each
// row separately, because with EXISTS the planner may read all rows.
const knownFact = `coalesce(CASE f.kind
		WHEN 'payment' THEN f.step = '' AND (SELECT true FROM payments WHERE id = f.id)
		WHEN 'exception' THEN f.step IN ('', '/returned') AND (SELECT true FROM payments WHERE id = f.id)
		WHEN 'settlement' THEN f.step = '' AND (SELECT true FROM payments WHERE checkout_id = f.id AND settles)
		WHEN 'withdrawal' THEN ` + withdrawalStep + `
		WHEN 'refund' THEN f.step IN ('', '/undone') AND (SELECT true FROM refunds WHERE id = f.id)
		WHEN 'block' THEN f.step IN ('', '/released')
			AND (SELECT true FROM blocked_amounts WHERE id = f.id)
		WHEN 'dispute' THEN ` + disputeStep + ` END, false)`

// factParts splits a fact such as "withdrawal/wdr_…/completed" into kind, id and step.
const factParts = `split_part(fact, '/', 1) AS kind, split_part(fact, '/', 2) AS id,
	substr(fact, length(split_part(fact, '/', 1) || split_part(fact, '/', 2)) + 2) AS step`

const factDrift = `WITH f AS (SELECT fact, ` + factParts + ` FROM unnest($1::text[]) AS fact)
	SELECT f.fact, f.fact, l.from_book || ' to ' || l.to_book, 0::bigint, sum(l.amount)::bigint
	FROM f JOIN ledger_transfers l USING (fact) WHERE NOT ` + knownFact + ` GROUP BY f.fact, l.from_book, l.to_book`

// accountIDs splits ids such as "acc_…/live" into account and environment.
const accountIDs = `(SELECT id, split_part(id, '/', 1) AS account_id,
	split_part(id, '/', 2) = 'live' AS livemode
	FROM unnest($1::text[]) AS id)`

// snapshotDrift compares each snapshot with the one before it and the transfers between them.
// If each agrees with the one before, each is the sum of all its transfers.
const snapshotDrift = `WITH s AS (
		SELECT i.id AS of, l.* FROM (
			SELECT id, split_part(id, '/', 1) AS account_id, split_part(id, '/', 2) = 'live' AS livemode,
				split_part(id, '/', 3)::bigint AS through_id
			FROM unnest($1::text[]) AS id) i
			JOIN ledger_snapshots l USING (account_id, livemode, through_id)
	)
	SELECT s.of, s.account_id || CASE WHEN s.livemode THEN '/live' ELSE '/test' END || ' up to ' || s.through_id,
		'the snapshot of ' || n.name, n.says, n.sums
	FROM s LEFT JOIN LATERAL (
		SELECT * FROM ledger_snapshots b WHERE b.account_id = s.account_id AND b.livemode = s.livemode
			AND b.through_id < s.through_id
		ORDER BY b.through_id DESC LIMIT 1) b ON true
	CROSS JOIN LATERAL (
		SELECT ` + moves + ` FROM (
			SELECT k.book, m.other, m.amount
			FROM (
				SELECT s.account_id || CASE WHEN s.livemode THEN '/live/' ELSE '/test/' END || kind AS book
				FROM unnest('{pending,available,reserved,blocked}'::text[]) AS kind) k
			CROSS JOIN LATERAL ledger_moved(k.book, coalesce(b.through_id, 0), s.through_id) m) moved) m
	CROSS JOIN LATERAL (VALUES ('gross', s.gross, coalesce(b.gross, 0) + m.gross),
		('fee', s.fee, coalesce(b.fee, 0) + m.fee),
		('refunded', s.refunded, coalesce(b.refunded, 0) + m.refunded),
		('withdrawn', s.withdrawn, coalesce(b.withdrawn, 0) + m.withdrawn),
		('pending', s.pending, coalesce(b.pending, 0) + m.pending),
		('available', s.available, coalesce(b.available, 0) + m.available),
		('reserved', s.reserved, coalesce(b.reserved, 0) + m.reserved),
		('blocked', s.blocked, coalesce(b.blocked, 0) + m.blocked))
			AS n (name, says, sums)
	WHERE n.says <> n.sums`

// heldNow is the current balance of each book of the accounts a.
const heldNow = `held AS (
		SELECT a.id, a.account_id, a.livemode, k.kind,
			(coalesce(CASE k.kind WHEN 'pending' THEN s.pending WHEN 'available' THEN s.available
				WHEN 'reserved' THEN s.reserved ELSE s.blocked END, 0)
			+ (SELECT coalesce(sum(amount), 0)
				FROM ledger_moved(a.id || '/' || k.kind, coalesce(s.through_id, 0), 9223372036854775807))
			)::bigint AS balance
		FROM a CROSS JOIN unnest('{pending,available,reserved,blocked}'::text[]) AS k (kind)
		LEFT JOIN LATERAL (SELECT * FROM ledger_snapshots l
			WHERE l.account_id = a.account_id AND l.livemode = a.livemode
			ORDER BY l.through_id DESC LIMIT 1) s ON true
	)`

// shortOf is how far a book of held may be below zero: available money, by what refunds were short, and
// disputes, less what they released.
const shortOf = `CASE WHEN held.kind = 'available' THEN (SELECT coalesce(sum(r.short), 0)::bigint FROM refunds r
	WHERE r.account_id = held.account_id AND r.livemode = held.livemode AND r.short > 0 AND r.status <> 'FAILED')
	+ (SELECT coalesce(sum(greatest(d.short - d.released, 0)), 0)::bigint FROM disputes d
	WHERE d.account_id = held.account_id AND d.livemode = held.livemode AND d.short > 0)
	ELSE 0::bigint END`

// accountDrift finds books that hold too little, and compares the money in an account's books besides
// pending with the settled checkouts that are not covered yet.
const accountDrift = `WITH a AS MATERIALIZED ` + accountIDs + `, ` + heldNow + `, sums AS (
		SELECT a.id, (SELECT coalesce(sum(c.settlement_amount), 0)
				FROM projects j JOIN checkouts c ON c.project_id = j.id
				WHERE j.account_id = a.account_id AND c.livemode = a.livemode
					AND c.settlement_status = 'AVAILABLE')::bigint AS settled,
			((SELECT sum(balance) FROM held h WHERE h.id = a.id AND h.kind <> 'pending')
				+ coalesce(k.uncovered, 0))::bigint AS held
		FROM a LEFT JOIN account_books k ON k.account_id = a.account_id AND k.livemode = a.livemode)
	SELECT id, id || '/' || kind, 'at least', -short, balance FROM held
		CROSS JOIN LATERAL (SELECT ` + shortOf + ` AS short) least WHERE balance < -short
	UNION ALL
	SELECT id, id, 'settled and not withdrawn', settled, held FROM sums WHERE settled <> held`

// transfersContent is the SHA-256 of the transfers after one id and up to another.
const transfersContent = `sha256(convert_to(coalesce(string_agg(jsonb_build_array(
	t.id, t.fact, t.line, t.from_book, t.to_book, t.amount,
	(extract(epoch FROM t.recorded_at) * 1000000)::bigint)::text, ',' ORDER BY t.id), ''), 'UTF8'))`

// chainedHash is the start of the expression for a proof's hash: the hash of the previous
// proof, and then the content.
const chainedHash = `sha256(coalesce(before.hash, decode(repeat('00', 32), 'hex')) || `

const proofDrift = `SELECT p.number::text,
	'the transfers ' || p.after_id + 1 || ' to ' || p.through_id,
	'they are not those of proof ' || p.number,
	0::bigint, 0::bigint
	FROM ledger_proofs p LEFT JOIN ledger_proofs before ON before.number = p.number - 1
	CROSS JOIN LATERAL (SELECT ` + transfersContent + ` AS content
		FROM ledger_transfers t WHERE t.id > p.after_id AND t.id <= p.through_id) now
	WHERE p.number = ANY($1::text[]::bigint[]) AND (now.content <> p.content OR p.hash <> ` + chainedHash + `p.content)
		OR p.after_id <> coalesce(before.through_id, 0) OR before.number IS NULL AND p.number > 1)`
