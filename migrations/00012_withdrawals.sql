-- +goose Up

-- The books that money leaves to. A movement between accounts does not exist.
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_books;
ALTER TABLE ledger_transfers
    ADD CONSTRAINT ledger_books CHECK (
        from_book ~ '^(platform/(test|live)/(clearing|fees|suspense|paid_out|refunds|written_off)|acc_[0-9a-f]{20}/(test|live)/(pending|available|reserved|blocked))$'
        AND to_book ~ '^(platform/(test|live)/(clearing|fees|suspense|paid_out|refunds|written_off)|acc_[0-9a-f]{20}/(test|live)/(pending|available|reserved|blocked))$'),
    ADD CONSTRAINT ledger_one_account CHECK (
        from_book LIKE 'platform/%' OR to_book LIKE 'platform/%' OR split_part(from_book, '/', 1) = split_part(to_book, '/', 1));

-- What an account's books held once every transfer up to through_id was decided:
-- committed or never to be. A balance is the newest row and the transfers since.
CREATE TABLE ledger_snapshots (
    account_id text NOT NULL,
    livemode   boolean NOT NULL,
    through_id bigint NOT NULL CHECK (through_id > 0),
    gross      bigint NOT NULL, -- ever received
    fee        bigint NOT NULL, -- ever charged
    refunded   bigint NOT NULL, -- ever given back to buyers
    withdrawn  bigint NOT NULL, -- ever paid out
    pending    bigint NOT NULL,
    available  bigint NOT NULL,
    reserved   bigint NOT NULL,
    blocked    bigint NOT NULL,
    taken_at   timestamptz NOT NULL,
    PRIMARY KEY (account_id, livemode, through_id),
    CONSTRAINT ledger_snapshots_balance CHECK (gross - fee - refunded - withdrawn = pending + available + reserved + blocked)
);
CREATE INDEX ledger_snapshots_newest ON ledger_snapshots (through_id);
CREATE INDEX ledger_snapshots_by_time ON ledger_snapshots (account_id, livemode, taken_at);
CREATE TRIGGER ledger_snapshots_final BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_snapshots
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Whoever spends from an account's books holds its row; whoever credits them does not.
CREATE TABLE account_books (
    account_id text NOT NULL REFERENCES accounts,
    livemode   boolean NOT NULL,
    uncovered  bigint NOT NULL DEFAULT 0, -- what left, less what settled checkouts and accepted payments account for
    covering   boolean NOT NULL DEFAULT false, -- settled checkouts may be covered by it now
    PRIMARY KEY (account_id, livemode)
);
CREATE INDEX account_books_covering ON account_books (account_id, livemode) WHERE covering;

ALTER TABLE accounts
    ADD COLUMN settlement_delay            integer CHECK (settlement_delay >= 0), -- seconds, in live; null: the installation's
    ADD COLUMN withdrawal_fee_basis_points integer NOT NULL DEFAULT 0 CHECK (withdrawal_fee_basis_points BETWEEN 0 AND 10000),
    ADD COLUMN withdrawal_fee_fixed        bigint NOT NULL DEFAULT 0 CHECK (withdrawal_fee_fixed >= 0);

-- When a paid checkout's money becomes available is fixed by its payment.
ALTER TABLE checkouts
    ADD COLUMN settles_at timestamptz,
    ADD CONSTRAINT checkouts_settles_at CHECK (settles_at IS NULL OR status = 'PAID');
UPDATE checkouts SET settles_at = paid_at + CASE WHEN livemode THEN interval '24 hours' ELSE interval '10 seconds' END
    WHERE status = 'PAID' AND settlement_status = 'PENDING';
DROP INDEX checkouts_by_payment;
CREATE INDEX checkouts_by_settlement ON checkouts (livemode, settles_at) WHERE status = 'PAID' AND settlement_status = 'PENDING';
CREATE INDEX checkouts_uncovered ON checkouts (project_id, livemode, paid_at, id) WHERE settlement_status = 'AVAILABLE';

-- What staff decided about money that changed no checkout.
ALTER TABLE payment_exceptions
    ADD COLUMN decision   text CHECK (decision IN ('ACCEPTED', 'REFUNDED', 'WRITTEN_OFF')),
    ADD COLUMN account_id text REFERENCES accounts, -- whom the acceptance credited
    ADD COLUMN fee        bigint NOT NULL DEFAULT 0 CHECK (fee >= 0), -- of the acceptance
    ADD COLUMN reason     text CHECK (char_length(reason) BETWEEN 1 AND 500),
    ADD COLUMN return_id  text CHECK (char_length(return_id) BETWEEN 1 AND 64), -- the institution's name for the refund
    ADD COLUMN decided_by text REFERENCES users,
    ADD COLUMN decided_at timestamptz,
    ADD CONSTRAINT payment_exceptions_decided CHECK (
        num_nulls(decision, reason, decided_by, decided_at) IN (0, 4)),
    ADD CONSTRAINT payment_exceptions_accepted CHECK ((decision IS NOT DISTINCT FROM 'ACCEPTED') = (account_id IS NOT NULL)),
    ADD CONSTRAINT payment_exceptions_unmatched CHECK (kind <> 'UNMATCHED' OR decision IS DISTINCT FROM 'ACCEPTED'),
    ADD CONSTRAINT payment_exceptions_fee CHECK (fee = 0 OR decision = 'ACCEPTED');
CREATE INDEX payment_exceptions_open ON payment_exceptions (created_at, payment_id) WHERE decision IS NULL;
CREATE INDEX payment_exceptions_by_page ON payment_exceptions (created_at DESC, payment_id DESC);

-- Where an account's withdrawals go. A row is never another address: who wants one
-- adds a row, and what was asked for keeps the row it was asked with.
CREATE TABLE destinations (
    id          text PRIMARY KEY CHECK (id ~ '^dst_[0-9a-f]{20}$'),
    account_id  text NOT NULL REFERENCES accounts,
    rail        text NOT NULL CHECK (rail IN ('BRL_PIX', 'USDT_WALLET')),
    type        text NOT NULL,
    address     bytea NOT NULL, -- the Pix key or the wallet's address, sealed
    masked      text NOT NULL CHECK (char_length(masked) BETWEEN 1 AND 100),
    digest      text NOT NULL, -- tells whether two are the same, and nothing else
    holder_name text NOT NULL CHECK (char_length(holder_name) BETWEEN 1 AND 200),
    status      text NOT NULL DEFAULT 'PENDING_REVIEW' CHECK (status IN ('PENDING_REVIEW', 'APPROVED', 'REJECTED', 'REMOVED')),
    version     integer NOT NULL DEFAULT 1,
    reason_code text,
    reason      text CHECK (char_length(reason) BETWEEN 1 AND 500),
    created_by  text NOT NULL REFERENCES users,
    created_at  timestamptz NOT NULL,
    reviewed_by text REFERENCES users,
    reviewed_at timestamptz,
    usable_at   timestamptz, -- approved, and the hold is over
    replaced_at timestamptz, -- from then on another one is used
    replaced_by text REFERENCES destinations,
    removed_at  timestamptz,
    CONSTRAINT destinations_type CHECK (CASE rail WHEN 'BRL_PIX' THEN type IN ('CPF', 'CNPJ', 'PHONE', 'EMAIL', 'EVP')
        ELSE type IN ('TRON', 'ETHEREUM', 'POLYGON') END),
    CONSTRAINT destinations_reviewed CHECK ((reviewed_at IS NULL) = (reviewed_by IS NULL)
        AND (reviewed_at IS NOT NULL OR status IN ('PENDING_REVIEW', 'REMOVED'))),
    CONSTRAINT destinations_usable CHECK (status <> 'APPROVED' OR usable_at IS NOT NULL),
    CONSTRAINT destinations_replaced CHECK ((replaced_at IS NULL) = (replaced_by IS NULL)),
    CONSTRAINT destinations_rejected CHECK (status <> 'REJECTED' OR (reason_code IS NOT NULL AND reason IS NOT NULL)),
    CONSTRAINT destinations_removed CHECK ((status = 'REMOVED') = (removed_at IS NOT NULL))
);
CREATE UNIQUE INDEX destinations_one_active ON destinations (account_id, rail) WHERE status = 'APPROVED' AND replaced_at IS NULL;
CREATE UNIQUE INDEX destinations_one_in_review ON destinations (account_id, rail) WHERE status = 'PENDING_REVIEW';
CREATE INDEX destinations_by_account ON destinations (account_id, created_at DESC, id DESC);
CREATE INDEX destinations_in_review ON destinations (created_at, id) WHERE status = 'PENDING_REVIEW';
CREATE INDEX destinations_by_digest ON destinations (digest);

-- +goose StatementBegin
CREATE FUNCTION destinations_keep_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.account_id, NEW.rail, NEW.type, NEW.address, NEW.digest) IS DISTINCT FROM
        (OLD.id, OLD.account_id, OLD.rail, OLD.type, OLD.address, OLD.digest) THEN
        RAISE EXCEPTION 'a destination never becomes another' USING ERRCODE = 'check_violation', CONSTRAINT = 'destinations_keep_address';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER destinations_keep_address BEFORE UPDATE ON destinations FOR EACH ROW EXECUTE FUNCTION destinations_keep_address();

-- Money on its way out. Its states and what each moves: docs/architecture.md.
CREATE TABLE withdrawals (
    id                  text PRIMARY KEY CHECK (id ~ '^wdr_[0-9a-f]{20}$'),
    account_id          text NOT NULL REFERENCES accounts,
    livemode            boolean NOT NULL DEFAULT true CONSTRAINT withdrawals_live_only CHECK (livemode),
    rail                text NOT NULL CHECK (rail IN ('BRL_PIX', 'USDT_WALLET')),
    status              text NOT NULL DEFAULT 'PENDING_REVIEW' CHECK (status IN
        ('PENDING_REVIEW', 'CANCELLED', 'REJECTED', 'APPROVED', 'PROCESSING', 'COMPLETED', 'FAILED', 'RETURNED')),
    version             integer NOT NULL DEFAULT 1, -- grows with every change
    amount              bigint NOT NULL CHECK (amount > 0),
    fee                 bigint NOT NULL CHECK (fee >= 0 AND fee < amount),
    destination_id      text NOT NULL REFERENCES destinations, -- the one of the request, whatever comes later
    requested_by        text NOT NULL, -- the id of an API key or a user
    quote_rate          bigint CHECK (quote_rate > 0), -- BRL for one USDT, times 10^8
    quote_amount        bigint CHECK (quote_amount > 0), -- USDT, times 10^6
    quote_expires_at    timestamptz,
    approval_rate       bigint CHECK (approval_rate > 0), -- the same when it was, or was to be, approved
    approval_amount     bigint CHECK (approval_amount > 0),
    approval_expires_at timestamptz,
    first_approved_by   text REFERENCES users, -- of two, above the four-eyes amount
    first_approved_at   timestamptz,
    approved_by         text REFERENCES users,
    approved_at         timestamptz,
    end_to_end_id       text CHECK (char_length(end_to_end_id) BETWEEN 1 AND 64),
    tx_hash             text CHECK (char_length(tx_hash) BETWEEN 1 AND 100),
    failure_code        text,
    reason              text CHECK (char_length(reason) BETWEEN 1 AND 500),
    created_at          timestamptz NOT NULL,
    completed_at        timestamptz,
    updated_at          timestamptz NOT NULL,
    CONSTRAINT withdrawals_two_people CHECK (first_approved_by <> approved_by),
    CONSTRAINT withdrawals_approved CHECK ((status NOT IN ('PENDING_REVIEW', 'CANCELLED', 'REJECTED')) = (approved_at IS NOT NULL)
        AND (approved_at IS NULL) = (approved_by IS NULL)),
    CONSTRAINT withdrawals_completed CHECK ((status IN ('COMPLETED', 'RETURNED')) = (completed_at IS NOT NULL)),
    CONSTRAINT withdrawals_proof CHECK (completed_at IS NULL
        OR CASE rail WHEN 'BRL_PIX' THEN end_to_end_id IS NOT NULL ELSE tx_hash IS NOT NULL END),
    CONSTRAINT withdrawals_quoted CHECK (num_nulls(quote_rate, quote_amount, quote_expires_at) = CASE rail WHEN 'USDT_WALLET' THEN 0 ELSE 3 END),
    CONSTRAINT withdrawals_requoted CHECK (num_nulls(approval_rate, approval_amount, approval_expires_at) IN (0, 3)
        AND (rail = 'USDT_WALLET' OR approval_rate IS NULL)),
    CONSTRAINT withdrawals_refused CHECK (status NOT IN ('REJECTED', 'FAILED', 'RETURNED') OR (failure_code IS NOT NULL AND reason IS NOT NULL)),
    CONSTRAINT withdrawals_end_to_end_id_unique UNIQUE (end_to_end_id),
    CONSTRAINT withdrawals_tx_hash_unique UNIQUE (tx_hash)
);
CREATE INDEX withdrawals_by_page ON withdrawals (account_id, created_at DESC, id DESC);
CREATE INDEX withdrawals_by_status ON withdrawals (status, created_at, id);
CREATE INDEX withdrawals_by_destination ON withdrawals (destination_id, created_at DESC);

-- +goose StatementBegin
CREATE FUNCTION withdrawals_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> OLD.status AND NOT (OLD.status, NEW.status) IN (
        ('PENDING_REVIEW', 'CANCELLED'), ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'APPROVED'), ('APPROVED', 'PROCESSING'),
        ('APPROVED', 'FAILED'), ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED'), ('COMPLETED', 'RETURNED')) THEN
        RAISE EXCEPTION 'a withdrawal does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_transition';
    END IF;
    IF (NEW.id, NEW.account_id, NEW.livemode, NEW.rail, NEW.amount, NEW.fee, NEW.destination_id, NEW.created_at, NEW.quote_rate, NEW.quote_amount)
        IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.livemode, OLD.rail, OLD.amount, OLD.fee, OLD.destination_id, OLD.created_at, OLD.quote_rate, OLD.quote_amount)
        OR NEW.version <= OLD.version THEN
        RAISE EXCEPTION 'what was asked for does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_pinned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER withdrawals_transition BEFORE UPDATE ON withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawals_transition();

-- Money of a payment that went back to the buyer out of the account's balance.
CREATE TABLE refunds (
    id         text PRIMARY KEY CHECK (id ~ '^rfd_[0-9a-f]{20}$'),
    payment_id text NOT NULL REFERENCES payments,
    account_id text NOT NULL REFERENCES accounts,
    livemode   boolean NOT NULL,
    amount     bigint NOT NULL CHECK (amount > 0),
    reason     text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
    return_id  text CHECK (char_length(return_id) BETWEEN 1 AND 64), -- the institution's name for it
    created_by text NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    CONSTRAINT refunds_return_id_unique UNIQUE (livemode, return_id)
);
CREATE INDEX refunds_by_payment ON refunds (payment_id);
CREATE INDEX refunds_by_account ON refunds (account_id, livemode, created_at DESC, id DESC);

-- +goose StatementBegin
CREATE FUNCTION refunds_within_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE paid bigint;
BEGIN
    SELECT amount INTO paid FROM payments WHERE id = NEW.payment_id FOR NO KEY UPDATE;
    IF (SELECT sum(amount) FROM refunds WHERE payment_id = NEW.payment_id) > paid THEN
        RAISE EXCEPTION 'more would go back than was paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER refunds_within_payment AFTER INSERT OR UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION refunds_within_payment();

-- Money of an account that staff hold back.
CREATE TABLE blocked_amounts (
    id             text PRIMARY KEY CHECK (id ~ '^blk_[0-9a-f]{20}$'),
    account_id     text NOT NULL REFERENCES accounts,
    livemode       boolean NOT NULL,
    amount         bigint NOT NULL CHECK (amount > 0),
    reason         text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
    created_by     text NOT NULL REFERENCES users,
    created_at     timestamptz NOT NULL,
    release_reason text CHECK (char_length(release_reason) BETWEEN 1 AND 500),
    released_by    text REFERENCES users,
    released_at    timestamptz,
    CONSTRAINT blocked_amounts_released CHECK (num_nulls(release_reason, released_by, released_at) IN (0, 3))
);
CREATE INDEX blocked_amounts_by_account ON blocked_amounts (account_id, livemode, created_at DESC, id DESC);

-- Events about withdrawals go to every project of the account that asked for them.
ALTER TABLE events
    ADD COLUMN withdrawal_id text REFERENCES withdrawals,
    ADD CONSTRAINT events_about_one CHECK (checkout_id IS NULL OR withdrawal_id IS NULL),
    ADD CONSTRAINT events_one_each_withdrawal UNIQUE (withdrawal_id, project_id, type);

-- +goose Down
ALTER TABLE events DROP COLUMN withdrawal_id;
DROP TABLE blocked_amounts, refunds, withdrawals, destinations, account_books, ledger_snapshots;
DROP FUNCTION refunds_within_payment, withdrawals_transition, destinations_keep_address;
ALTER TABLE payment_exceptions DROP COLUMN decision, DROP COLUMN account_id, DROP COLUMN fee, DROP COLUMN reason,
    DROP COLUMN return_id, DROP COLUMN decided_by, DROP COLUMN decided_at;
DROP INDEX checkouts_uncovered, checkouts_by_settlement;
ALTER TABLE checkouts DROP COLUMN settles_at;
CREATE INDEX checkouts_by_payment ON checkouts (livemode, paid_at) WHERE status = 'PAID' AND settlement_status = 'PENDING';
ALTER TABLE accounts DROP COLUMN settlement_delay, DROP COLUMN withdrawal_fee_basis_points, DROP COLUMN withdrawal_fee_fixed;
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_one_account;
