-- The schema that the migrations make, for reading. Written by make generate.
-- River's tables (river_*) and goose's are left out.

CREATE TABLE access_decisions (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    account_id text NOT NULL,
    request_id text,
    outcome text NOT NULL,
    reason_code text,
    reason text,
    decided_by text NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    CONSTRAINT access_decisions_pkey PRIMARY KEY (id),
    CONSTRAINT access_decisions_outcome_check CHECK (outcome = ANY (ARRAY['APPROVED'::text, 'REJECTED'::text, 'RETURNED'::text, 'REVOKED'::text])),
    CONSTRAINT access_decisions_reason CHECK (num_nulls(reason_code, reason) =
        CASE outcome
            WHEN 'APPROVED'::text THEN 2
            ELSE 0
        END),
    CONSTRAINT access_decisions_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 1000),
    CONSTRAINT access_decisions_reason_code_check CHECK (reason_code ~ '^[A-Z_]{3,40}$'::text),
    CONSTRAINT access_decisions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT access_decisions_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
    CONSTRAINT access_decisions_request_id_fkey FOREIGN KEY (request_id) REFERENCES access_requests(id)
);
CREATE INDEX access_decisions_by_account ON access_decisions USING btree (account_id, id DESC);
CREATE UNIQUE INDEX access_decisions_once ON access_decisions USING btree (request_id, (outcome = 'REVOKED'::text));
CREATE TRIGGER access_decisions_final BEFORE DELETE OR UPDATE OR TRUNCATE ON access_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE access_drafts (
    id text NOT NULL,
    answers bytea NOT NULL,
    saved_by text NOT NULL,
    saved_at timestamp with time zone NOT NULL,
    CONSTRAINT access_drafts_pkey PRIMARY KEY (id),
    CONSTRAINT access_drafts_answers_check CHECK (octet_length(answers) <= 65536),
    CONSTRAINT access_drafts_id_fkey FOREIGN KEY (id) REFERENCES accounts(id),
    CONSTRAINT access_drafts_saved_by_fkey FOREIGN KEY (saved_by) REFERENCES users(id)
);

CREATE TABLE access_requests (
    id text NOT NULL,
    account_id text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING_REVIEW'::text,
    version integer NOT NULL DEFAULT 1,
    legal_name text NOT NULL,
    document text NOT NULL,
    website text,
    sells text,
    monthly_volume bigint NOT NULL,
    contact_name text NOT NULL,
    contact_email text NOT NULL,
    contact_phone bytea NOT NULL,
    submitted_by text NOT NULL,
    submitted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    answers bytea,
    document_digest bytea,
    email_digest bytea,
    CONSTRAINT access_requests_pkey PRIMARY KEY (id),
    CONSTRAINT access_requests_contact_email_check CHECK (char_length(contact_email) >= 3 AND char_length(contact_email) <= 254),
    CONSTRAINT access_requests_contact_name_check CHECK (char_length(contact_name) >= 1 AND char_length(contact_name) <= 200),
    CONSTRAINT access_requests_document_check CHECK (document ~ '^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$'::text OR document = id),
    CONSTRAINT access_requests_id_check CHECK (id ~ '^acr_[0-9a-f]{20}$'::text),
    CONSTRAINT access_requests_legal_name_check CHECK (char_length(legal_name) >= 1 AND char_length(legal_name) <= 200),
    CONSTRAINT access_requests_monthly_volume_check CHECK (monthly_volume > 0),
    CONSTRAINT access_requests_sealed CHECK (
        CASE
            WHEN answers IS NULL THEN num_nonnulls(document_digest, email_digest) = 0
            ELSE num_nulls(document_digest, email_digest) = 0 AND octet_length(document_digest) = 32 AND octet_length(email_digest) = 32 AND document = id AND contact_name = id AND contact_email = id
        END),
    CONSTRAINT access_requests_sells CHECK (website IS NOT NULL OR sells IS NOT NULL),
    CONSTRAINT access_requests_sells_check CHECK (char_length(sells) >= 1 AND char_length(sells) <= 1000),
    CONSTRAINT access_requests_status_check CHECK (status = ANY (ARRAY['PENDING_REVIEW'::text, 'WITHDRAWN'::text, 'APPROVED'::text, 'REJECTED'::text, 'RETURNED'::text, 'REVOKED'::text])),
    CONSTRAINT access_requests_website_check CHECK (char_length(website) >= 1 AND char_length(website) <= 2048),
    CONSTRAINT access_requests_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT access_requests_submitted_by_fkey FOREIGN KEY (submitted_by) REFERENCES users(id)
);
CREATE INDEX access_requests_by_account ON access_requests USING btree (account_id, submitted_at DESC, id DESC);
CREATE INDEX access_requests_by_digest ON access_requests USING btree (document_digest) WHERE document_digest IS NOT NULL;
CREATE INDEX access_requests_by_document ON access_requests USING btree (document);
CREATE INDEX access_requests_by_page ON access_requests USING btree (updated_at DESC, id DESC) WHERE status <> 'PENDING_REVIEW'::text;
CREATE INDEX access_requests_in_review ON access_requests USING btree (submitted_at, id) WHERE status = 'PENDING_REVIEW'::text;
CREATE UNIQUE INDEX access_requests_one_pending ON access_requests USING btree (account_id) WHERE status = 'PENDING_REVIEW'::text;
CREATE INDEX access_requests_plain ON access_requests USING btree (id) WHERE answers IS NULL AND document <> id;
CREATE TRIGGER access_requests_transition BEFORE UPDATE ON access_requests FOR EACH ROW EXECUTE FUNCTION access_requests_transition();

CREATE TABLE account_books (
    account_id text NOT NULL,
    livemode boolean NOT NULL,
    uncovered bigint NOT NULL DEFAULT 0,
    covering boolean NOT NULL DEFAULT false,
    spendings bigint NOT NULL DEFAULT 0,
    completed bigint NOT NULL DEFAULT 0,
    CONSTRAINT account_books_pkey PRIMARY KEY (account_id, livemode),
    CONSTRAINT account_books_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX account_books_covering ON account_books USING btree (account_id, livemode) WHERE covering;
CREATE TRIGGER account_books_stay BEFORE DELETE OR TRUNCATE ON account_books FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_books_stay_theirs BEFORE UPDATE ON account_books FOR EACH ROW WHEN (old.account_id IS DISTINCT FROM new.account_id OR old.livemode IS DISTINCT FROM new.livemode) EXECUTE FUNCTION refuse_change();

CREATE TABLE account_fees (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    account_id text NOT NULL,
    basis_points integer,
    fixed bigint,
    valid_from timestamp with time zone NOT NULL,
    proposal_id text,
    reason text,
    proposed_by text,
    approved_by text,
    written_at timestamp with time zone NOT NULL,
    withdrawal_basis_points integer,
    withdrawal_fixed bigint,
    CONSTRAINT account_fees_pkey PRIMARY KEY (id),
    CONSTRAINT account_fees_proposal_id_key UNIQUE (proposal_id),
    CONSTRAINT account_fees_basis_points_check CHECK (basis_points >= 0 AND basis_points <= 10000),
    CONSTRAINT account_fees_fixed_check CHECK (fixed >= 0 AND fixed <= '999999999999'::bigint),
    CONSTRAINT account_fees_not_before CHECK (proposal_id IS NULL OR valid_from >= written_at),
    CONSTRAINT account_fees_proposed CHECK (num_nulls(proposal_id, reason, proposed_by, approved_by) = ANY (ARRAY[0, 4])),
    CONSTRAINT account_fees_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT account_fees_two_people CHECK (proposed_by <> approved_by),
    CONSTRAINT account_fees_whole CHECK (num_nulls(basis_points, fixed) = ANY (ARRAY[0, 2])),
    CONSTRAINT account_fees_withdrawal CHECK ((num_nulls(withdrawal_basis_points, withdrawal_fixed) = ANY (ARRAY[0, 2])) AND withdrawal_basis_points >= 0 AND withdrawal_basis_points <= 10000 AND withdrawal_fixed >= 0 AND withdrawal_fixed <= '999999999999'::bigint),
    CONSTRAINT account_fees_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT account_fees_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES users(id),
    CONSTRAINT account_fees_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES fee_proposals(id),
    CONSTRAINT account_fees_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id)
);
CREATE INDEX account_fees_by_account ON account_fees USING btree (account_id, id DESC);
CREATE TRIGGER account_fees_final BEFORE DELETE OR UPDATE OR TRUNCATE ON account_fees FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE account_limits (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    account_id text NOT NULL,
    min_amount bigint,
    max_amount bigint,
    settlement_delay integer,
    destination_hold integer,
    valid_from timestamp with time zone NOT NULL,
    reason text,
    written_by text,
    written_at timestamp with time zone NOT NULL,
    webhook_endpoints integer,
    CONSTRAINT account_limits_pkey PRIMARY KEY (id),
    CONSTRAINT account_limits_destination_hold_check CHECK (destination_hold >= 0),
    CONSTRAINT account_limits_max_amount_check CHECK (max_amount >= 1 AND max_amount <= '999999999999'::bigint),
    CONSTRAINT account_limits_min_amount_check CHECK (min_amount >= 1 AND min_amount <= '999999999999'::bigint),
    CONSTRAINT account_limits_not_before CHECK (written_by IS NULL OR valid_from >= written_at),
    CONSTRAINT account_limits_range CHECK (max_amount >= min_amount),
    CONSTRAINT account_limits_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT account_limits_settlement_delay_check CHECK (settlement_delay >= 0),
    CONSTRAINT account_limits_webhook_endpoints CHECK (webhook_endpoints >= 1 AND webhook_endpoints <= 64),
    CONSTRAINT account_limits_written CHECK (num_nulls(reason, written_by) = ANY (ARRAY[0, 2])),
    CONSTRAINT account_limits_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT account_limits_written_by_fkey FOREIGN KEY (written_by) REFERENCES users(id)
);
CREATE INDEX account_limits_by_account ON account_limits USING btree (account_id, id DESC);
CREATE TRIGGER account_limits_final BEFORE DELETE OR UPDATE OR TRUNCATE ON account_limits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE account_notes (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    account_id text NOT NULL,
    text text NOT NULL,
    written_by text NOT NULL,
    written_at timestamp with time zone NOT NULL,
    CONSTRAINT account_notes_pkey PRIMARY KEY (id),
    CONSTRAINT account_notes_text_check CHECK (char_length(text) >= 1 AND char_length(text) <= 2000),
    CONSTRAINT account_notes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT account_notes_written_by_fkey FOREIGN KEY (written_by) REFERENCES users(id)
);
CREATE INDEX account_notes_by_account ON account_notes USING btree (account_id, id DESC);
CREATE TRIGGER account_notes_final BEFORE DELETE OR UPDATE OR TRUNCATE ON account_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE account_proofs (
    account_id text NOT NULL,
    livemode boolean NOT NULL,
    through_id bigint NOT NULL,
    settled bigint NOT NULL,
    rest bigint NOT NULL,
    CONSTRAINT account_proofs_pkey PRIMARY KEY (account_id, livemode)
);

CREATE TABLE accounts (
    id text NOT NULL,
    name text NOT NULL,
    document text,
    city text NOT NULL DEFAULT 'SAO PAULO'::text,
    production_access text NOT NULL DEFAULT 'NOT_REQUESTED'::text,
    suspended boolean NOT NULL DEFAULT false,
    live_blocked boolean NOT NULL DEFAULT false,
    withdrawals_blocked boolean NOT NULL DEFAULT false,
    fee_basis_points integer NOT NULL DEFAULT 99,
    fee_fixed bigint NOT NULL DEFAULT 0,
    min_amount bigint NOT NULL DEFAULT 1,
    max_amount bigint NOT NULL DEFAULT 100000000,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    settlement_delay integer,
    withdrawal_fee_basis_points integer NOT NULL DEFAULT 0,
    withdrawal_fee_fixed bigint NOT NULL DEFAULT 0,
    second_factor_required boolean NOT NULL DEFAULT false,
    CONSTRAINT accounts_pkey PRIMARY KEY (id),
    CONSTRAINT accounts_check CHECK (max_amount >= min_amount AND max_amount <= '999999999999'::bigint),
    CONSTRAINT accounts_city_check CHECK (char_length(city) >= 1 AND char_length(city) <= 60),
    CONSTRAINT accounts_document_check CHECK (document ~ '^[0-9A-Z]{11,14}$'::text),
    CONSTRAINT accounts_fee_basis_points_check CHECK (fee_basis_points >= 0 AND fee_basis_points <= 10000),
    CONSTRAINT accounts_fee_fixed_check CHECK (fee_fixed >= 0),
    CONSTRAINT accounts_id_check CHECK (id ~ '^acc_[0-9a-f]{20}$'::text),
    CONSTRAINT accounts_min_amount_check CHECK (min_amount >= 1),
    CONSTRAINT accounts_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 200),
    CONSTRAINT accounts_production_access_check CHECK (production_access = ANY (ARRAY['NOT_REQUESTED'::text, 'PENDING_REVIEW'::text, 'APPROVED'::text, 'REJECTED'::text])),
    CONSTRAINT accounts_settlement_delay_check CHECK (settlement_delay >= 0),
    CONSTRAINT accounts_withdrawal_fee_basis_points_check CHECK (withdrawal_fee_basis_points >= 0 AND withdrawal_fee_basis_points <= 10000),
    CONSTRAINT accounts_withdrawal_fee_fixed_check CHECK (withdrawal_fee_fixed >= 0)
);
CREATE INDEX accounts_by_page ON accounts USING btree (created_at DESC, id DESC);

CREATE TABLE api_key_networks (
    key_id text NOT NULL,
    network text NOT NULL,
    first_used_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    CONSTRAINT api_key_networks_pkey PRIMARY KEY (key_id, network),
    CONSTRAINT api_key_networks_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id)
);
CREATE INDEX api_key_networks_by_use ON api_key_networks USING btree (last_used_at);

CREATE TABLE api_keys (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    last4 text NOT NULL,
    permissions text[] NOT NULL,
    created_by text,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_ip text NOT NULL DEFAULT ''::text,
    refunds boolean NOT NULL DEFAULT false,
    events boolean NOT NULL DEFAULT false,
    ends_at timestamp with time zone,
    networks cidr[] NOT NULL DEFAULT '{}'::cidr[],
    audit boolean NOT NULL DEFAULT false,
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    CONSTRAINT api_keys_secret_unique UNIQUE (secret_hash),
    CONSTRAINT api_keys_audit CHECK (livemode OR NOT audit),
    CONSTRAINT api_keys_id_check CHECK (id ~ '^key_[0-9a-f]{20}$'::text),
    CONSTRAINT api_keys_last4_check CHECK (char_length(last4) = 4),
    CONSTRAINT api_keys_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
    CONSTRAINT api_keys_networks CHECK (cardinality(networks) <= 20),
    CONSTRAINT api_keys_permissions_check CHECK (permissions <@ ARRAY['CHECKOUT:CREATE'::text, 'CHECKOUT:READ'::text, 'BALANCE:READ'::text, 'WITHDRAWAL:CREATE'::text, 'WITHDRAWAL:READ'::text, 'PAYMENT_LINK:CREATE'::text, 'PAYMENT_LINK:READ'::text]),
    CONSTRAINT api_keys_secret_hash_check CHECK (octet_length(secret_hash) = 32),
    CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
    CONSTRAINT api_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX api_keys_by_project ON api_keys USING btree (project_id, livemode, created_at DESC);
CREATE INDEX api_keys_ends_at ON api_keys USING btree (ends_at) WHERE ends_at IS NOT NULL AND revoked_at IS NULL;

CREATE TABLE api_requests (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    request_id text NOT NULL,
    at timestamp with time zone NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    status smallint NOT NULL,
    duration integer NOT NULL,
    key_id text NOT NULL,
    error_code text NOT NULL DEFAULT ''::text,
    request text NOT NULL DEFAULT ''::text,
    answer text NOT NULL DEFAULT ''::text,
    object_id text NOT NULL DEFAULT ''::text,
    CONSTRAINT api_requests_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX api_requests_broken ON ONLY api_requests USING btree (project_id, livemode, id DESC) WHERE status >= 500;
CREATE INDEX api_requests_by_object ON ONLY api_requests USING btree (object_id, id DESC) WHERE object_id <> ''::text;
CREATE INDEX api_requests_by_page ON ONLY api_requests USING btree (project_id, livemode, id DESC);
CREATE INDEX api_requests_by_request_id ON ONLY api_requests USING btree (request_id);
CREATE INDEX api_requests_by_time ON ONLY api_requests USING brin (at);
CREATE INDEX api_requests_failed ON ONLY api_requests USING btree (project_id, livemode, id DESC) WHERE status >= 400;

CREATE TABLE api_requests_before (
    id bigint NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    request_id text NOT NULL,
    at timestamp with time zone NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    status smallint NOT NULL,
    duration integer NOT NULL,
    key_id text NOT NULL,
    error_code text NOT NULL DEFAULT ''::text,
    request text NOT NULL DEFAULT ''::text,
    answer text NOT NULL DEFAULT ''::text,
    object_id text NOT NULL DEFAULT ''::text,
    CONSTRAINT api_requests_before_pkey PRIMARY KEY (id)
);
ALTER TABLE api_requests ATTACH PARTITION api_requests_before FOR VALUES FROM (MINVALUE) TO ('1000000000000000');
CREATE INDEX api_requests_before_broken ON api_requests_before USING btree (project_id, livemode, id DESC) WHERE status >= 500;
CREATE INDEX api_requests_before_by_object ON api_requests_before USING btree (object_id, id DESC) WHERE object_id <> ''::text;
CREATE INDEX api_requests_before_by_page ON api_requests_before USING btree (project_id, livemode, id DESC);
CREATE INDEX api_requests_before_by_request_id ON api_requests_before USING btree (request_id);
CREATE INDEX api_requests_before_by_time ON api_requests_before USING brin (at);
CREATE INDEX api_requests_before_failed ON api_requests_before USING btree (project_id, livemode, id DESC) WHERE status >= 400;

CREATE TABLE audit_counts (
    source text NOT NULL,
    minute timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT audit_counts_pkey PRIMARY KEY (source, minute)
);
CREATE INDEX audit_counts_by_minute ON audit_counts USING btree (minute);

CREATE TABLE audit_log (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    account_id text,
    action text NOT NULL,
    object_id text NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}'::jsonb,
    ip text NOT NULL DEFAULT ''::text,
    before jsonb NOT NULL DEFAULT '{}'::jsonb,
    after jsonb NOT NULL DEFAULT '{}'::jsonb,
    request_id text NOT NULL DEFAULT ''::text,
    actor_role text NOT NULL DEFAULT ''::text,
    CONSTRAINT audit_log_pkey PRIMARY KEY (id),
    CONSTRAINT audit_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX audit_log_by_account ON audit_log USING btree (account_id, id DESC);
CREATE INDEX audit_log_by_actor ON audit_log USING btree (actor, id DESC);
CREATE INDEX audit_log_by_object ON audit_log USING btree (object_id, id DESC);
CREATE INDEX audit_log_by_request ON audit_log USING btree (request_id) WHERE request_id <> ''::text;
CREATE TRIGGER audit_log_final BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_seals (
    number bigint NOT NULL,
    through bigint NOT NULL,
    lines bytea NOT NULL,
    hash bytea NOT NULL,
    sealed_at timestamp with time zone NOT NULL,
    CONSTRAINT audit_seals_pkey PRIMARY KEY (number),
    CONSTRAINT audit_seals_through_key UNIQUE (through),
    CONSTRAINT audit_seals_hash CHECK (octet_length(hash) = 32),
    CONSTRAINT audit_seals_lines CHECK (octet_length(lines) > 0 AND (octet_length(lines) % 40) = 0),
    CONSTRAINT audit_seals_number_check CHECK (number > 0),
    CONSTRAINT audit_seals_through_check CHECK (through > 0)
);
CREATE TRIGGER audit_seals_final BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_stream (
    one boolean NOT NULL DEFAULT true,
    seal bigint NOT NULL,
    leased_by text NOT NULL,
    leased_until timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    failing_since timestamp with time zone,
    failure text NOT NULL DEFAULT ''::text,
    CONSTRAINT audit_stream_pkey PRIMARY KEY (one),
    CONSTRAINT audit_stream_one CHECK (one),
    CONSTRAINT audit_stream_seal CHECK (seal >= 0)
);

CREATE TABLE bank_accounts (
    id text NOT NULL,
    name text NOT NULL,
    profile text NOT NULL,
    overrides jsonb NOT NULL DEFAULT '{}'::jsonb,
    sandbox boolean NOT NULL,
    pix_key text NOT NULL,
    account_number text NOT NULL DEFAULT ''::text,
    holder_name text NOT NULL,
    holder_document text NOT NULL,
    status text NOT NULL DEFAULT 'DRAFT'::text,
    version integer NOT NULL DEFAULT 1,
    created_by text,
    created_at timestamp with time zone NOT NULL,
    notice_token bytea,
    notice_digest bytea,
    account_id text,
    CONSTRAINT bank_accounts_pkey PRIMARY KEY (id),
    CONSTRAINT bank_accounts_account_number CHECK (char_length(account_number) <= 40),
    CONSTRAINT bank_accounts_holder_document CHECK (holder_document ~ '^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$'::text),
    CONSTRAINT bank_accounts_holder_name CHECK (char_length(holder_name) >= 1 AND char_length(holder_name) <= 200),
    CONSTRAINT bank_accounts_id CHECK (id ~ '^bnk_[0-9a-f]{20}$'::text),
    CONSTRAINT bank_accounts_name CHECK (char_length(name) >= 1 AND char_length(name) <= 80),
    CONSTRAINT bank_accounts_notice_token CHECK ((notice_token IS NULL) = (notice_digest IS NULL) AND (notice_digest IS NULL OR octet_length(notice_digest) = 32)),
    CONSTRAINT bank_accounts_overrides CHECK (jsonb_typeof(overrides) = 'object'::text),
    CONSTRAINT bank_accounts_pix_key CHECK (char_length(pix_key) >= 1 AND char_length(pix_key) <= 77),
    CONSTRAINT bank_accounts_profile CHECK (char_length(profile) >= 1 AND char_length(profile) <= 40),
    CONSTRAINT bank_accounts_status CHECK (status = ANY (ARRAY['DRAFT'::text, 'ACTIVE'::text, 'RETIRING'::text, 'CLOSED'::text])),
    CONSTRAINT bank_accounts_version CHECK (version > 0),
    CONSTRAINT bank_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT bank_accounts_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id)
);
CREATE INDEX bank_accounts_account ON bank_accounts USING btree (account_id);
CREATE INDEX bank_accounts_created_by ON bank_accounts USING btree (created_by);
CREATE UNIQUE INDEX bank_accounts_draft_once_ours ON bank_accounts USING btree (profile, sandbox, pix_key) WHERE status = 'DRAFT'::text AND account_id IS NULL;
CREATE UNIQUE INDEX bank_accounts_key_once ON bank_accounts USING btree (profile, sandbox, pix_key) WHERE status = ANY (ARRAY['ACTIVE'::text, 'RETIRING'::text]);
CREATE UNIQUE INDEX bank_accounts_notice_digest ON bank_accounts USING btree (notice_digest);
CREATE UNIQUE INDEX bank_accounts_one_active_each ON bank_accounts USING btree (COALESCE(account_id, ''::text)) WHERE status = 'ACTIVE'::text;
CREATE UNIQUE INDEX bank_accounts_own_draft ON bank_accounts USING btree (account_id) WHERE status = 'DRAFT'::text;
CREATE TRIGGER bank_accounts_closed BEFORE UPDATE ON bank_accounts FOR EACH ROW WHEN (new.status = 'CLOSED'::text AND old.status <> 'CLOSED'::text) EXECUTE FUNCTION bank_accounts_closed();
CREATE TRIGGER bank_accounts_stay_theirs BEFORE UPDATE ON bank_accounts FOR EACH ROW WHEN (old.account_id IS DISTINCT FROM new.account_id) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bank_accounts_transition BEFORE UPDATE ON bank_accounts FOR EACH ROW EXECUTE FUNCTION bank_accounts_transition();

CREATE TABLE bank_calls (
    bank_account_id text NOT NULL,
    hour timestamp with time zone NOT NULL,
    operation text NOT NULL,
    outcome text NOT NULL,
    n bigint NOT NULL,
    total_ms bigint NOT NULL,
    max_ms bigint NOT NULL,
    CONSTRAINT bank_calls_pkey PRIMARY KEY (bank_account_id, hour, operation, outcome),
    CONSTRAINT bank_calls_max_ms CHECK (max_ms >= 0 AND max_ms <= total_ms),
    CONSTRAINT bank_calls_n CHECK (n > 0),
    CONSTRAINT bank_calls_operation CHECK (char_length(operation) >= 1 AND char_length(operation) <= 40),
    CONSTRAINT bank_calls_outcome CHECK (char_length(outcome) >= 1 AND char_length(outcome) <= 40),
    CONSTRAINT bank_calls_total_ms CHECK (total_ms >= 0),
    CONSTRAINT bank_calls_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id)
);
CREATE INDEX bank_calls_hour ON bank_calls USING btree (hour);

CREATE TABLE bank_charges (
    txid text NOT NULL,
    bank_account_id text NOT NULL,
    project_id text NOT NULL,
    checkout_id text NOT NULL,
    generation integer NOT NULL,
    amount bigint NOT NULL,
    expiration integer NOT NULL,
    status text NOT NULL DEFAULT 'CREATING'::text,
    bank_created_at timestamp with time zone,
    payable_until timestamp with time zone,
    revision integer NOT NULL DEFAULT 0,
    checks integer NOT NULL DEFAULT 0,
    next_check_at timestamp with time zone,
    failure text NOT NULL DEFAULT ''::text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT bank_charges_pkey PRIMARY KEY (txid),
    CONSTRAINT bank_charges_amount CHECK (amount > 0),
    CONSTRAINT bank_charges_checkout_id CHECK (checkout_id ~ '^chk_[0-9a-f]{20}$'::text),
    CONSTRAINT bank_charges_expiration CHECK (expiration > 0),
    CONSTRAINT bank_charges_failure CHECK (char_length(failure) <= 200),
    CONSTRAINT bank_charges_generation CHECK (generation >= 0),
    CONSTRAINT bank_charges_looked_at CHECK ((status = ANY (ARRAY['CREATING'::text, 'OPEN'::text, 'REMOVING'::text])) = (next_check_at IS NOT NULL)),
    CONSTRAINT bank_charges_status CHECK (status = ANY (ARRAY['CREATING'::text, 'OPEN'::text, 'PAID'::text, 'REMOVING'::text, 'REMOVED'::text, 'LAPSED'::text, 'REFUSED'::text, 'CONFLICT'::text])),
    CONSTRAINT bank_charges_times CHECK (status <> 'OPEN'::text OR num_nulls(bank_created_at, payable_until) = 0),
    CONSTRAINT bank_charges_txid CHECK (txid ~ '^[0-9A-Za-z]{26,35}$'::text),
    CONSTRAINT bank_charges_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id),
    CONSTRAINT bank_charges_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX bank_charges_conflict ON bank_charges USING btree (bank_account_id, created_at) WHERE status = 'CONFLICT'::text;
CREATE INDEX bank_charges_due ON bank_charges USING btree (bank_account_id, next_check_at) WHERE next_check_at IS NOT NULL;
CREATE UNIQUE INDEX bank_charges_generation_once ON bank_charges USING btree (checkout_id, generation);
CREATE UNIQUE INDEX bank_charges_open_once ON bank_charges USING btree ((
CASE
    WHEN status = ANY (ARRAY['CREATING'::text, 'OPEN'::text, 'REMOVING'::text, 'CONFLICT'::text]) THEN checkout_id
    ELSE NULL::text
END));
CREATE TRIGGER bank_charges_transition BEFORE UPDATE ON bank_charges FOR EACH ROW EXECUTE FUNCTION bank_charges_transition();

CREATE TABLE bank_credentials (
    id text NOT NULL,
    bank_account_id text NOT NULL,
    client_id text NOT NULL,
    client_secret bytea,
    app_key bytea,
    certificate bytea,
    private_key bytea,
    subject text NOT NULL,
    fingerprint text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    status text NOT NULL DEFAULT 'NEW'::text,
    created_by text,
    created_at timestamp with time zone NOT NULL,
    approved_by text,
    approved_at timestamp with time zone,
    retired_at timestamp with time zone,
    applies_at timestamp with time zone,
    CONSTRAINT bank_credentials_pkey PRIMARY KEY (id),
    CONSTRAINT bank_credentials_applies_at CHECK (applies_at IS NULL OR approved_at IS NOT NULL AND applies_at >= approved_at),
    CONSTRAINT bank_credentials_client_id CHECK (char_length(client_id) >= 1 AND char_length(client_id) <= 200),
    CONSTRAINT bank_credentials_fingerprint CHECK (fingerprint ~ '^[0-9a-f]{64}$'::text),
    CONSTRAINT bank_credentials_four_eyes CHECK (approved_by <> created_by AND (approved_by IS NULL) = (created_by IS NULL OR approved_at IS NULL)),
    CONSTRAINT bank_credentials_id CHECK (id ~ '^bcr_[0-9a-f]{20}$'::text),
    CONSTRAINT bank_credentials_sealed CHECK (status = 'RETIRED'::text OR num_nulls(client_secret, certificate, private_key) = 0),
    CONSTRAINT bank_credentials_status CHECK (status = ANY (ARRAY['NEW'::text, 'ACTIVE'::text, 'RETIRED'::text])),
    CONSTRAINT bank_credentials_subject CHECK (char_length(subject) >= 1 AND char_length(subject) <= 200),
    CONSTRAINT bank_credentials_times CHECK ((retired_at IS NULL) = (status <> 'RETIRED'::text) AND (status <> 'ACTIVE'::text OR approved_at IS NOT NULL)),
    CONSTRAINT bank_credentials_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES users(id),
    CONSTRAINT bank_credentials_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id),
    CONSTRAINT bank_credentials_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id)
);
CREATE INDEX bank_credentials_approved_by ON bank_credentials USING btree (approved_by);
CREATE INDEX bank_credentials_bank_account ON bank_credentials USING btree (bank_account_id, created_at);
CREATE INDEX bank_credentials_created_by ON bank_credentials USING btree (created_by);
CREATE INDEX bank_credentials_due ON bank_credentials USING btree (applies_at) WHERE status = 'NEW'::text;
CREATE UNIQUE INDEX bank_credentials_one_active ON bank_credentials USING btree (bank_account_id) WHERE status = 'ACTIVE'::text;
CREATE UNIQUE INDEX bank_credentials_one_new ON bank_credentials USING btree (bank_account_id) WHERE status = 'NEW'::text;
CREATE INDEX bank_credentials_retired ON bank_credentials USING btree (retired_at) WHERE private_key IS NOT NULL;
CREATE TRIGGER bank_credentials_apply_then BEFORE UPDATE ON bank_credentials FOR EACH ROW WHEN (old.applies_at IS NOT NULL AND old.applies_at IS DISTINCT FROM new.applies_at) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bank_credentials_transition BEFORE UPDATE ON bank_credentials FOR EACH ROW EXECUTE FUNCTION bank_credentials_transition();

CREATE TABLE bank_days (
    bank_account_id text NOT NULL,
    day date NOT NULL,
    bank_pix bigint NOT NULL DEFAULT 0,
    bank_pix_sum bigint NOT NULL DEFAULT 0,
    books_pix bigint NOT NULL DEFAULT 0,
    books_pix_sum bigint NOT NULL DEFAULT 0,
    bank_returns bigint NOT NULL DEFAULT 0,
    bank_returns_sum bigint NOT NULL DEFAULT 0,
    books_returns bigint NOT NULL DEFAULT 0,
    books_returns_sum bigint NOT NULL DEFAULT 0,
    differing jsonb NOT NULL DEFAULT '[]'::jsonb,
    compared_at timestamp with time zone,
    progress jsonb,
    retry_at timestamp with time zone,
    differs boolean NOT NULL GENERATED ALWAYS AS (differing <> '[]'::jsonb OR bank_pix <> books_pix OR bank_pix_sum <> books_pix_sum OR bank_returns <> books_returns OR bank_returns_sum <> books_returns_sum) STORED,
    CONSTRAINT bank_days_pkey PRIMARY KEY (bank_account_id, day),
    CONSTRAINT bank_days_differing CHECK (jsonb_typeof(differing) = 'array'::text),
    CONSTRAINT bank_days_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id)
);
CREATE INDEX bank_days_differing_days ON bank_days USING btree (bank_account_id, day) WHERE differs;

CREATE TABLE bank_notice_counts (
    bank_account_id text NOT NULL,
    hour timestamp with time zone NOT NULL,
    what text NOT NULL,
    n bigint NOT NULL,
    CONSTRAINT bank_notice_counts_pkey PRIMARY KEY (bank_account_id, hour, what),
    CONSTRAINT bank_notice_counts_n CHECK (n > 0),
    CONSTRAINT bank_notice_counts_what CHECK (what = ANY (ARRAY['UNKNOWN_TOKEN'::text, 'UNPROVEN'::text, 'GARBAGE'::text, 'TOO_LARGE'::text, 'TOO_MANY'::text, 'REPEATED'::text]))
);

CREATE TABLE bank_notices (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    bank_account_id text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    digest bytea NOT NULL,
    hints jsonb NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    next_try_at timestamp with time zone,
    done_at timestamp with time zone,
    outcome text,
    CONSTRAINT bank_notices_pkey PRIMARY KEY (id),
    CONSTRAINT bank_notices_digest CHECK (octet_length(digest) = 32),
    CONSTRAINT bank_notices_done CHECK (num_nulls(next_try_at, done_at) = 1 AND (done_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT bank_notices_hints CHECK (jsonb_typeof(hints) = 'array'::text),
    CONSTRAINT bank_notices_outcome CHECK (outcome = ANY (ARRAY['RECORDED'::text, 'READ'::text, 'REPEATED'::text, 'SWEPT'::text, 'FOREIGN'::text, 'UNKNOWN'::text, 'EMPTY'::text, 'GIVEN_UP'::text])),
    CONSTRAINT bank_notices_tries CHECK (tries >= 0),
    CONSTRAINT bank_notices_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id)
);
CREATE INDEX bank_notices_by_age ON bank_notices USING btree (received_at);
CREATE INDEX bank_notices_due ON bank_notices USING btree (next_try_at) WHERE done_at IS NULL;
CREATE INDEX bank_notices_received ON bank_notices USING btree (bank_account_id, received_at);
CREATE UNIQUE INDEX bank_notices_waiting_once ON bank_notices USING btree (bank_account_id, digest) WHERE done_at IS NULL;

CREATE TABLE bank_registrations (
    bank_account_id text NOT NULL,
    address text NOT NULL DEFAULT ''::text,
    registered_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    tries integer NOT NULL DEFAULT 0,
    next_try_at timestamp with time zone NOT NULL,
    failure text NOT NULL DEFAULT ''::text,
    CONSTRAINT bank_registrations_pkey PRIMARY KEY (bank_account_id),
    CONSTRAINT bank_registrations_address CHECK (char_length(address) <= 200),
    CONSTRAINT bank_registrations_failure CHECK (char_length(failure) <= 200),
    CONSTRAINT bank_registrations_times CHECK ((num_nulls(registered_at, confirmed_at) = ANY (ARRAY[0, 2])) AND (address = ''::text) = (registered_at IS NULL)),
    CONSTRAINT bank_registrations_tries CHECK (tries >= 0),
    CONSTRAINT bank_registrations_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id)
);

CREATE TABLE bank_states (
    bank_account_id text NOT NULL,
    last_answer_at timestamp with time zone,
    last_failure_at timestamp with time zone,
    silent_since timestamp with time zone,
    held_since timestamp with time zone,
    last_failure text NOT NULL DEFAULT ''::text,
    failed_at timestamp with time zone,
    skew_ms bigint NOT NULL DEFAULT 0,
    granted_scopes text[],
    CONSTRAINT bank_states_pkey PRIMARY KEY (bank_account_id),
    CONSTRAINT bank_states_last_failure CHECK (char_length(last_failure) <= 300),
    CONSTRAINT bank_states_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id)
);

CREATE TABLE bank_sweeps (
    bank_account_id text NOT NULL,
    leased_until timestamp with time zone NOT NULL,
    started_at timestamp with time zone NOT NULL,
    watermark timestamp with time zone NOT NULL,
    swept_at timestamp with time zone,
    swept_deep_at timestamp with time zone,
    old_from timestamp with time zone,
    old_read_at timestamp with time zone,
    hurries integer NOT NULL DEFAULT 0,
    disputes_read_at timestamp with time zone,
    payouts_leased_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
    disputes_known_until timestamp with time zone,
    CONSTRAINT bank_sweeps_pkey PRIMARY KEY (bank_account_id),
    CONSTRAINT bank_sweeps_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id)
);

CREATE TABLE blocked_amounts (
    id text NOT NULL,
    account_id text NOT NULL,
    livemode boolean NOT NULL,
    amount bigint NOT NULL,
    reason text NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    release_reason text,
    released_by text,
    released_at timestamp with time zone,
    CONSTRAINT blocked_amounts_pkey PRIMARY KEY (id),
    CONSTRAINT blocked_amounts_amount_check CHECK (amount > 0),
    CONSTRAINT blocked_amounts_id_check CHECK (id ~ '^blk_[0-9a-f]{20}$'::text),
    CONSTRAINT blocked_amounts_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT blocked_amounts_release_reason_check CHECK (char_length(release_reason) >= 1 AND char_length(release_reason) <= 500),
    CONSTRAINT blocked_amounts_released CHECK (num_nulls(release_reason, released_by, released_at) = ANY (ARRAY[0, 3])),
    CONSTRAINT blocked_amounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT blocked_amounts_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
    CONSTRAINT blocked_amounts_released_by_fkey FOREIGN KEY (released_by) REFERENCES users(id)
);
CREATE INDEX blocked_amounts_by_account ON blocked_amounts USING btree (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX blocked_amounts_by_time ON blocked_amounts USING btree (COALESCE(released_at, created_at));

CREATE TABLE brands (
    account_id text NOT NULL,
    accent text,
    support text,
    logo bytea,
    logo_hash text,
    logo_width integer,
    logo_height integer,
    updated_at timestamp with time zone NOT NULL,
    thanks text,
    thanks_label text,
    thanks_url text,
    CONSTRAINT brands_pkey PRIMARY KEY (account_id),
    CONSTRAINT brands_accent_check CHECK (accent ~ '^#[0-9a-f]{6}$'::text),
    CONSTRAINT brands_logo_check CHECK (octet_length(logo) >= 1 AND octet_length(logo) <= 16384),
    CONSTRAINT brands_logo_hash_check CHECK (logo_hash ~ '^[0-9a-f]{32}$'::text),
    CONSTRAINT brands_logo_height_check CHECK (logo_height >= 1 AND logo_height <= 120),
    CONSTRAINT brands_logo_whole CHECK (num_nulls(logo, logo_hash, logo_width, logo_height) = ANY (ARRAY[0, 4])),
    CONSTRAINT brands_logo_width_check CHECK (logo_width >= 1 AND logo_width <= 480),
    CONSTRAINT brands_support_check CHECK (char_length(support) >= 3 AND char_length(support) <= 254),
    CONSTRAINT brands_thanks CHECK (char_length(thanks) >= 1 AND char_length(thanks) <= 280),
    CONSTRAINT brands_thanks_button CHECK ((thanks_label IS NULL) = (thanks_url IS NULL) AND (thanks_url IS NULL OR char_length(thanks_label) >= 1 AND char_length(thanks_label) <= 40 AND thanks_url ~~ 'https://_%'::text AND char_length(thanks_url) <= 500)),
    CONSTRAINT brands_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX brands_by_logo ON brands USING btree (logo_hash);

CREATE TABLE buyers_ended (
    only_one boolean NOT NULL DEFAULT true,
    through timestamp with time zone NOT NULL,
    CONSTRAINT buyers_ended_pkey PRIMARY KEY (only_one),
    CONSTRAINT buyers_ended_only_one_check CHECK (only_one)
);

CREATE TABLE buyers_kept (
    checkout_id text NOT NULL,
    CONSTRAINT buyers_kept_pkey PRIMARY KEY (checkout_id),
    CONSTRAINT buyers_kept_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id)
);

CREATE TABLE checkout_hours (
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    hour timestamp with time zone NOT NULL,
    created integer NOT NULL,
    paid integer NOT NULL,
    volume bigint NOT NULL,
    converted integer NOT NULL DEFAULT 0,
    created_volume bigint NOT NULL DEFAULT 0,
    converted_volume bigint NOT NULL DEFAULT 0,
    CONSTRAINT checkout_hours_pkey PRIMARY KEY (project_id, livemode, hour),
    CONSTRAINT checkout_hours_created_check CHECK (created >= 0),
    CONSTRAINT checkout_hours_paid_check CHECK (paid >= 0),
    CONSTRAINT checkout_hours_volume_check CHECK (volume >= 0),
    CONSTRAINT checkout_hours_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);

CREATE TABLE checkout_hours_until (
    only_one boolean NOT NULL DEFAULT true,
    until timestamp with time zone NOT NULL,
    recorded timestamp with time zone NOT NULL,
    converted timestamp with time zone NOT NULL DEFAULT '2020-01-01 00:00:00+00'::timestamp with time zone,
    summed_from timestamp with time zone,
    summed_until timestamp with time zone,
    CONSTRAINT checkout_hours_until_pkey PRIMARY KEY (only_one),
    CONSTRAINT checkout_hours_until_only_one_check CHECK (only_one)
);

CREATE TABLE checkout_words (
    checkout_id text NOT NULL,
    words tsvector NOT NULL,
    CONSTRAINT checkout_words_pkey PRIMARY KEY (checkout_id)
);
CREATE INDEX checkout_words_words ON checkout_words USING gin (words);

CREATE TABLE checkout_words_until (
    one boolean NOT NULL DEFAULT true,
    since timestamp with time zone,
    until timestamp with time zone,
    CONSTRAINT checkout_words_until_pkey PRIMARY KEY (one),
    CONSTRAINT checkout_words_until_check CHECK ((since IS NULL) = (until IS NULL) AND since <= until),
    CONSTRAINT checkout_words_until_one_check CHECK (one)
);

CREATE TABLE checkouts (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    status text NOT NULL DEFAULT 'PENDING'::text,
    amount bigint NOT NULL,
    description text NOT NULL,
    external_id text NOT NULL,
    customer_name text,
    customer_email text,
    customer_document text,
    customer_phone bytea,
    metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
    txid text NOT NULL,
    copy_paste text NOT NULL,
    qr_png bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    paid_at timestamp with time zone,
    settlement_status text NOT NULL DEFAULT 'PENDING'::text,
    settlement_amount bigint,
    payment_link_id text,
    settles_at timestamp with time zone,
    closed_at timestamp with time zone,
    sealed_document bytea,
    document_digest bytea,
    units integer,
    CONSTRAINT checkouts_pkey PRIMARY KEY (id),
    CONSTRAINT checkouts_txid_unique UNIQUE (txid),
    CONSTRAINT checkouts_amount_check CHECK (amount >= 1 AND amount <= '999999999999'::bigint),
    CONSTRAINT checkouts_check CHECK (expires_at > created_at),
    CONSTRAINT checkouts_closed_at CHECK (closed_at IS NULL OR (status = ANY (ARRAY['EXPIRED'::text, 'CANCELLED'::text]))),
    CONSTRAINT checkouts_copy_paste_check CHECK (copy_paste <> ''::text),
    CONSTRAINT checkouts_description_check CHECK (char_length(description) >= 1 AND char_length(description) <= 500),
    CONSTRAINT checkouts_document_digest CHECK ((sealed_document IS NULL) = (document_digest IS NULL) AND (document_digest IS NULL OR octet_length(document_digest) = 32)),
    CONSTRAINT checkouts_external_id_check CHECK (char_length(external_id) >= 1 AND char_length(external_id) <= 255),
    CONSTRAINT checkouts_id_check CHECK (id ~ '^chk_[0-9a-f]{20}$'::text),
    CONSTRAINT checkouts_paid_at CHECK ((status = 'PAID'::text) = (paid_at IS NOT NULL)),
    CONSTRAINT checkouts_settled_is_paid CHECK (settlement_status = 'PENDING'::text OR status = 'PAID'::text),
    CONSTRAINT checkouts_settlement CHECK ((settlement_status = 'PENDING'::text) = (settlement_amount IS NULL)),
    CONSTRAINT checkouts_settlement_status_check CHECK (settlement_status = ANY (ARRAY['PENDING'::text, 'AVAILABLE'::text, 'COMPLETED'::text])),
    CONSTRAINT checkouts_settles_at CHECK (settles_at IS NULL OR status = 'PAID'::text),
    CONSTRAINT checkouts_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'PAID'::text, 'EXPIRED'::text, 'CANCELLED'::text])),
    CONSTRAINT checkouts_txid_check CHECK (txid ~ '^[a-zA-Z0-9]{26,35}$'::text),
    CONSTRAINT checkouts_units CHECK (units IS NULL OR units >= 1 AND units <= 100 AND payment_link_id IS NOT NULL),
    CONSTRAINT checkouts_payment_link_id_fkey FOREIGN KEY (payment_link_id) REFERENCES payment_links(id),
    CONSTRAINT checkouts_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX checkouts_by_creation ON checkouts USING brin (created_at) WITH (autosummarize='on');
CREATE INDEX checkouts_by_customer_email ON checkouts USING btree (project_id, livemode, lower(customer_email) COLLATE "C") WHERE customer_email IS NOT NULL;
CREATE INDEX checkouts_by_document ON checkouts USING btree (project_id, document_digest) WHERE document_digest IS NOT NULL;
CREATE INDEX checkouts_by_expiry ON checkouts USING btree (expires_at) WHERE status = 'PENDING'::text;
CREATE INDEX checkouts_by_external_id ON checkouts USING btree (project_id, livemode, external_id, created_at, id);
CREATE INDEX checkouts_by_name_alone ON checkouts USING btree (project_id, livemode, lower(customer_name) COLLATE "C") WHERE customer_name IS NOT NULL AND customer_email IS NULL AND customer_document IS NULL AND document_digest IS NULL;
CREATE INDEX checkouts_by_page ON checkouts USING btree (project_id, livemode, created_at, id) INCLUDE (amount);
CREATE INDEX checkouts_by_paid_at ON checkouts USING btree (project_id, livemode, paid_at) INCLUDE (amount) WHERE status = 'PAID'::text;
CREATE INDEX checkouts_by_payment_link ON checkouts USING btree (payment_link_id, created_at DESC) WHERE payment_link_id IS NOT NULL;
CREATE INDEX checkouts_by_settlement ON checkouts USING btree (livemode, settles_at) WHERE status = 'PAID'::text AND settlement_status = 'PENDING'::text;
CREATE INDEX checkouts_by_status ON checkouts USING btree (project_id, livemode, status, created_at, id);
CREATE INDEX checkouts_by_units ON checkouts USING btree (payment_link_id, status) INCLUDE (units) WHERE units IS NOT NULL;
CREATE INDEX checkouts_plain_document ON checkouts USING btree (project_id) WHERE customer_document IS NOT NULL;
CREATE INDEX checkouts_self_paying ON checkouts USING btree (created_at) WHERE status = 'PENDING'::text AND NOT livemode AND (amount % 100::bigint) = 7;
CREATE INDEX checkouts_uncovered ON checkouts USING btree (project_id, livemode, paid_at, id) WHERE settlement_status = 'AVAILABLE'::text;
CREATE INDEX checkouts_unsettled ON checkouts USING btree (project_id, livemode, paid_at) WHERE status = 'PAID'::text AND settlement_status = 'PENDING'::text;
CREATE TRIGGER checkouts_change_words AFTER UPDATE OF customer_name ON checkouts FOR EACH ROW WHEN (old.customer_name IS DISTINCT FROM new.customer_name) EXECUTE FUNCTION checkouts_change_words();
CREATE TRIGGER checkouts_customer AFTER UPDATE OF customer_name, customer_email, customer_document, document_digest ON checkouts FOR EACH ROW WHEN (old.customer_name IS DISTINCT FROM new.customer_name OR old.customer_email IS DISTINCT FROM new.customer_email OR old.customer_document IS DISTINCT FROM new.customer_document OR old.document_digest IS DISTINCT FROM new.document_digest) EXECUTE FUNCTION checkouts_customer();
CREATE TRIGGER checkouts_settle_posted AFTER UPDATE ON checkouts FOR EACH ROW WHEN (old.settlement_status = 'PENDING'::text AND new.settlement_status <> 'PENDING'::text) EXECUTE FUNCTION checkouts_settle_posted();

CREATE TABLE customers (
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    key bytea NOT NULL,
    checkout_id text NOT NULL,
    last_at timestamp with time zone NOT NULL,
    name text,
    email text,
    CONSTRAINT customers_pkey PRIMARY KEY (project_id, livemode, key),
    CONSTRAINT customers_checkout_id_key UNIQUE (checkout_id),
    CONSTRAINT customers_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX customers_by_email ON customers USING btree (project_id, livemode, lower(email) COLLATE "C") WHERE email IS NOT NULL;
CREATE INDEX customers_by_name ON customers USING btree (project_id, livemode, lower(name) COLLATE "C") WHERE name IS NOT NULL;
CREATE INDEX customers_by_page ON customers USING btree (project_id, livemode, last_at DESC, checkout_id DESC);

CREATE TABLE customers_until (
    only_one boolean NOT NULL DEFAULT true,
    since timestamp with time zone,
    until timestamp with time zone,
    CONSTRAINT customers_until_pkey PRIMARY KEY (only_one),
    CONSTRAINT customers_until_only_one_check CHECK (only_one)
);

CREATE TABLE decision_reasons (
    id text NOT NULL,
    kind text NOT NULL,
    place integer NOT NULL,
    text text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_by text,
    retired_at timestamp with time zone,
    CONSTRAINT decision_reasons_pkey PRIMARY KEY (id),
    CONSTRAINT decision_reasons_id_check CHECK (id ~ '^rsn_[0-9a-f]{20}$'::text),
    CONSTRAINT decision_reasons_kind CHECK (kind = ANY (ARRAY['access'::text, 'destination'::text, 'withdrawal'::text, 'payment'::text, 'exception'::text, 'dispute'::text, 'fee'::text, 'name'::text, 'block'::text, 'switch'::text, 'proposal'::text, 'limits'::text])),
    CONSTRAINT decision_reasons_place_check CHECK (place >= 1 AND place <= 50),
    CONSTRAINT decision_reasons_retired CHECK (num_nulls(retired_by, retired_at) = ANY (ARRAY[0, 2])),
    CONSTRAINT decision_reasons_text_check CHECK (char_length(text) >= 10 AND char_length(text) <= 500),
    CONSTRAINT decision_reasons_version_check CHECK (version > 0),
    CONSTRAINT decision_reasons_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
    CONSTRAINT decision_reasons_retired_by_fkey FOREIGN KEY (retired_by) REFERENCES users(id)
);
CREATE UNIQUE INDEX decision_reasons_place ON decision_reasons USING btree (kind, place) WHERE retired_at IS NULL;
CREATE UNIQUE INDEX decision_reasons_text ON decision_reasons USING btree (kind, text) WHERE retired_at IS NULL;

CREATE TABLE default_fees (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    basis_points integer NOT NULL,
    fixed bigint NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    CONSTRAINT default_fees_pkey PRIMARY KEY (id),
    CONSTRAINT default_fees_basis_points_check CHECK (basis_points >= 0 AND basis_points <= 10000),
    CONSTRAINT default_fees_fixed_check CHECK (fixed >= 0 AND fixed <= '999999999999'::bigint)
);
CREATE TRIGGER default_fees_final BEFORE DELETE OR UPDATE OR TRUNCATE ON default_fees FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE destinations (
    id text NOT NULL,
    account_id text NOT NULL,
    rail text NOT NULL,
    type text NOT NULL,
    address bytea NOT NULL,
    masked text NOT NULL,
    digest text NOT NULL,
    holder_name text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING_REVIEW'::text,
    version integer NOT NULL DEFAULT 1,
    reason_code text,
    reason text,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    reviewed_by text,
    reviewed_at timestamp with time zone,
    usable_at timestamp with time zone,
    replaced_at timestamp with time zone,
    replaced_by text,
    removed_at timestamp with time zone,
    CONSTRAINT destinations_pkey PRIMARY KEY (id),
    CONSTRAINT destinations_holder_name_check CHECK (char_length(holder_name) >= 1 AND char_length(holder_name) <= 200),
    CONSTRAINT destinations_id_check CHECK (id ~ '^dst_[0-9a-f]{20}$'::text),
    CONSTRAINT destinations_masked_check CHECK (char_length(masked) >= 1 AND char_length(masked) <= 100),
    CONSTRAINT destinations_rail_check CHECK (rail = ANY (ARRAY['BRL_PIX'::text, 'USDT_WALLET'::text])),
    CONSTRAINT destinations_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT destinations_rejected CHECK (status <> 'REJECTED'::text OR reason_code IS NOT NULL AND reason IS NOT NULL),
    CONSTRAINT destinations_removed CHECK ((status = 'REMOVED'::text) = (removed_at IS NOT NULL)),
    CONSTRAINT destinations_replaced CHECK ((replaced_at IS NULL) = (replaced_by IS NULL)),
    CONSTRAINT destinations_reviewed CHECK ((reviewed_at IS NULL) = (reviewed_by IS NULL) AND (reviewed_at IS NOT NULL OR (status = ANY (ARRAY['PENDING_REVIEW'::text, 'REMOVED'::text])))),
    CONSTRAINT destinations_status_check CHECK (status = ANY (ARRAY['PENDING_REVIEW'::text, 'APPROVED'::text, 'REJECTED'::text, 'REMOVED'::text])),
    CONSTRAINT destinations_type CHECK (
        CASE rail
            WHEN 'BRL_PIX'::text THEN type = ANY (ARRAY['CPF'::text, 'CNPJ'::text, 'PHONE'::text, 'EMAIL'::text, 'EVP'::text])
            ELSE type = ANY (ARRAY['TRON'::text, 'ETHEREUM'::text, 'POLYGON'::text])
        END),
    CONSTRAINT destinations_usable CHECK (status <> 'APPROVED'::text OR usable_at IS NOT NULL),
    CONSTRAINT destinations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT destinations_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
    CONSTRAINT destinations_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES destinations(id),
    CONSTRAINT destinations_reviewed_by_fkey FOREIGN KEY (reviewed_by) REFERENCES users(id)
);
CREATE INDEX destinations_by_account ON destinations USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX destinations_by_digest ON destinations USING btree (digest);
CREATE INDEX destinations_in_review ON destinations USING btree (created_at, id) WHERE status = 'PENDING_REVIEW'::text;
CREATE UNIQUE INDEX destinations_one_active ON destinations USING btree (account_id, rail) WHERE status = 'APPROVED'::text AND replaced_at IS NULL;
CREATE UNIQUE INDEX destinations_one_in_review ON destinations USING btree (account_id, rail) WHERE status = 'PENDING_REVIEW'::text;
CREATE TRIGGER destinations_keep_address BEFORE UPDATE ON destinations FOR EACH ROW EXECUTE FUNCTION destinations_keep_address();

CREATE TABLE devices (
    id text NOT NULL,
    user_id text NOT NULL,
    place bytea NOT NULL,
    name text NOT NULL,
    ip text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT devices_pkey PRIMARY KEY (id),
    CONSTRAINT devices_once UNIQUE (user_id, place),
    CONSTRAINT devices_id_form CHECK (id ~ '^dev_[0-9a-f]{20}$'::text),
    CONSTRAINT devices_place CHECK (octet_length(place) = 32),
    CONSTRAINT devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX devices_by_use ON devices USING btree (last_seen_at);

CREATE TABLE dispute_files (
    id text NOT NULL,
    dispute_id text NOT NULL,
    place integer NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    content bytea NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT dispute_files_pkey PRIMARY KEY (id),
    CONSTRAINT dispute_files_content CHECK (octet_length(content) >= 1 AND octet_length(content) <= 2097152),
    CONSTRAINT dispute_files_id CHECK (id ~ '^dfl_[0-9a-f]{20}$'::text),
    CONSTRAINT dispute_files_media_type CHECK (media_type = ANY (ARRAY['application/pdf'::text, 'image/jpeg'::text, 'image/png'::text])),
    CONSTRAINT dispute_files_name CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
    CONSTRAINT dispute_files_place CHECK (place >= 1 AND place <= 5),
    CONSTRAINT dispute_files_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
    CONSTRAINT dispute_files_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id)
);
CREATE UNIQUE INDEX dispute_files_places ON dispute_files USING btree (dispute_id, place);

CREATE TABLE disputes (
    id text NOT NULL,
    bank_account_id text,
    payment_id text NOT NULL,
    account_id text,
    livemode boolean NOT NULL,
    bank_ref text NOT NULL,
    cause text NOT NULL,
    amount bigint NOT NULL,
    blocked bigint NOT NULL,
    short bigint NOT NULL,
    released bigint NOT NULL DEFAULT 0,
    status text NOT NULL,
    bank_status text NOT NULL DEFAULT ''::text,
    answer_by timestamp with time zone NOT NULL,
    defense text,
    defense_by text,
    defense_at timestamp with time zone,
    sending_at timestamp with time zone,
    defense_sent_at timestamp with time zone,
    opened_by text,
    opened_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    closed_by text,
    close_reason text,
    closed_at timestamp with time zone,
    CONSTRAINT disputes_pkey PRIMARY KEY (id),
    CONSTRAINT disputes_amount CHECK (amount > 0),
    CONSTRAINT disputes_answered CHECK ((defense_by IS NULL OR defense_at IS NOT NULL) AND (defense IS NULL OR defense_by IS NOT NULL) AND (status <> 'ACCEPTED'::text OR defense_at IS NOT NULL)),
    CONSTRAINT disputes_bank_ref CHECK (char_length(bank_ref) >= 1 AND char_length(bank_ref) <= 80),
    CONSTRAINT disputes_bank_status CHECK (char_length(bank_status) <= 64),
    CONSTRAINT disputes_blocked CHECK (blocked >= 0 AND blocked <= amount AND short >= 0 AND short <= blocked AND released >= 0 AND released <= blocked AND (blocked = 0 OR account_id IS NOT NULL)),
    CONSTRAINT disputes_cause CHECK (char_length(cause) <= 200),
    CONSTRAINT disputes_close_reason CHECK (char_length(close_reason) >= 1 AND char_length(close_reason) <= 500),
    CONSTRAINT disputes_closed CHECK ((closed_at IS NOT NULL) = (status = ANY (ARRAY['WON'::text, 'LOST'::text]))),
    CONSTRAINT disputes_defense CHECK (char_length(defense) >= 1 AND char_length(defense) <= 4000),
    CONSTRAINT disputes_id CHECK (id ~ '^dsp_[0-9a-f]{20}$'::text),
    CONSTRAINT disputes_status CHECK (status = ANY (ARRAY['OPEN'::text, 'DEFENDED'::text, 'ACCEPTED'::text, 'WON'::text, 'LOST'::text])),
    CONSTRAINT disputes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT disputes_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id),
    CONSTRAINT disputes_closed_by_fkey FOREIGN KEY (closed_by) REFERENCES users(id),
    CONSTRAINT disputes_defense_by_fkey FOREIGN KEY (defense_by) REFERENCES users(id),
    CONSTRAINT disputes_opened_by_fkey FOREIGN KEY (opened_by) REFERENCES users(id),
    CONSTRAINT disputes_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);
CREATE INDEX disputes_by_account ON disputes USING btree (account_id, livemode, opened_at DESC, id DESC);
CREATE INDEX disputes_by_close ON disputes USING btree (closed_at);
CREATE INDEX disputes_by_creation ON disputes USING btree (created_at);
CREATE INDEX disputes_by_payment ON disputes USING btree (payment_id);
CREATE UNIQUE INDEX disputes_once ON disputes USING btree (COALESCE(bank_account_id, ''::text), bank_ref);
CREATE INDEX disputes_open ON disputes USING btree (answer_by, id) WHERE status = ANY (ARRAY['OPEN'::text, 'DEFENDED'::text, 'ACCEPTED'::text]);
CREATE INDEX disputes_short ON disputes USING btree (account_id, livemode) WHERE short > 0;
CREATE TRIGGER disputes_transition BEFORE UPDATE ON disputes FOR EACH ROW EXECUTE FUNCTION disputes_transition();

CREATE TABLE event_epochs (
    epoch integer NOT NULL,
    began_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT event_epochs_pkey PRIMARY KEY (epoch)
);

CREATE TABLE events (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    type text NOT NULL,
    checkout_id text,
    body bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    test boolean NOT NULL DEFAULT false,
    withdrawal_id text,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    seen pg_snapshot DEFAULT pg_current_snapshot(),
    epoch integer NOT NULL DEFAULT 0,
    refund_id text,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT events_about_one CHECK (checkout_id IS NULL OR withdrawal_id IS NULL),
    CONSTRAINT events_id_check CHECK (id ~ '^evt_[0-9a-f]{24}$'::text),
    CONSTRAINT events_seen CHECK (seen IS NOT NULL OR tx = '1'::xid8),
    CONSTRAINT events_test_is_about_nothing CHECK (NOT test OR checkout_id IS NULL)
) PARTITION BY RANGE (month);
CREATE INDEX events_by_epoch ON ONLY events USING btree (project_id, epoch, tx) WHERE NOT livemode;
CREATE INDEX events_by_page ON ONLY events USING btree (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX events_by_type ON ONLY events USING btree (project_id, livemode, type, created_at DESC, id DESC) WHERE type <> ALL (ARRAY['checkout.created'::text, 'checkout.paid'::text]);
CREATE INDEX events_refunds_by_checkout ON ONLY events USING btree (checkout_id) WHERE refund_id IS NOT NULL;

CREATE TABLE events_before (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    type text NOT NULL,
    checkout_id text,
    body bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    test boolean NOT NULL DEFAULT false,
    withdrawal_id text,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    seen pg_snapshot DEFAULT pg_current_snapshot(),
    epoch integer NOT NULL DEFAULT 0,
    refund_id text,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT events_pkey PRIMARY KEY (id),
    CONSTRAINT events_one_each_withdrawal UNIQUE (withdrawal_id, project_id, type),
    CONSTRAINT events_about_one CHECK (checkout_id IS NULL OR withdrawal_id IS NULL),
    CONSTRAINT events_before CHECK (month < '2026-11-01'::date),
    CONSTRAINT events_id_check CHECK (id ~ '^evt_[0-9a-f]{24}$'::text),
    CONSTRAINT events_seen CHECK (seen IS NOT NULL OR tx = '1'::xid8),
    CONSTRAINT events_test_is_about_nothing CHECK (NOT test OR checkout_id IS NULL),
    CONSTRAINT events_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id),
    CONSTRAINT events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
    CONSTRAINT events_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds(id),
    CONSTRAINT events_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id)
);
ALTER TABLE events ATTACH PARTITION events_before FOR VALUES FROM (MINVALUE) TO ('2026-11-01');
CREATE INDEX events_before_by_epoch ON events_before USING btree (project_id, epoch, tx) WHERE NOT livemode;
CREATE INDEX events_before_by_page ON events_before USING btree (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX events_before_by_type ON events_before USING btree (project_id, livemode, type, created_at DESC, id DESC) WHERE type <> ALL (ARRAY['checkout.created'::text, 'checkout.paid'::text]);
CREATE INDEX events_before_refunds_by_checkout ON events_before USING btree (checkout_id) WHERE refund_id IS NOT NULL;
CREATE UNIQUE INDEX events_one_each_checkout ON events_before USING btree (checkout_id, type) WHERE refund_id IS NULL;
CREATE UNIQUE INDEX events_one_each_refund ON events_before USING btree (refund_id, type) WHERE refund_id IS NOT NULL;

CREATE TABLE events_other (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    type text NOT NULL,
    checkout_id text,
    body bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    test boolean NOT NULL DEFAULT false,
    withdrawal_id text,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    seen pg_snapshot DEFAULT pg_current_snapshot(),
    epoch integer NOT NULL DEFAULT 0,
    refund_id text,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT events_other_pkey PRIMARY KEY (id),
    CONSTRAINT events_one_each_withdrawal_other UNIQUE (withdrawal_id, project_id, type),
    CONSTRAINT events_about_one CHECK (checkout_id IS NULL OR withdrawal_id IS NULL),
    CONSTRAINT events_id_check CHECK (id ~ '^evt_[0-9a-f]{24}$'::text),
    CONSTRAINT events_seen CHECK (seen IS NOT NULL OR tx = '1'::xid8),
    CONSTRAINT events_test_is_about_nothing CHECK (NOT test OR checkout_id IS NULL),
    CONSTRAINT events_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id),
    CONSTRAINT events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
    CONSTRAINT events_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds(id),
    CONSTRAINT events_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id)
);
ALTER TABLE events ATTACH PARTITION events_other DEFAULT;
CREATE UNIQUE INDEX events_one_each_checkout_other ON events_other USING btree (checkout_id, type) WHERE refund_id IS NULL;
CREATE UNIQUE INDEX events_one_each_refund_other ON events_other USING btree (refund_id, type) WHERE refund_id IS NOT NULL;
CREATE INDEX events_other_checkout_id_idx ON events_other USING btree (checkout_id) WHERE refund_id IS NOT NULL;
CREATE INDEX events_other_project_id_epoch_tx_idx ON events_other USING btree (project_id, epoch, tx) WHERE NOT livemode;
CREATE INDEX events_other_project_id_livemode_created_at_id_idx ON events_other USING btree (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX events_other_project_id_livemode_type_created_at_id_idx ON events_other USING btree (project_id, livemode, type, created_at DESC, id DESC) WHERE type <> ALL (ARRAY['checkout.created'::text, 'checkout.paid'::text]);

CREATE TABLE examinations (
    kind text NOT NULL,
    examined_at timestamp with time zone NOT NULL,
    flaws text[] NOT NULL,
    reached bigint NOT NULL DEFAULT 0,
    CONSTRAINT examinations_pkey PRIMARY KEY (kind),
    CONSTRAINT examinations_kind_check CHECK (kind = ANY (ARRAY['audit'::text, 'books'::text, 'books_full'::text]))
);

CREATE TABLE fee_proposals (
    id text NOT NULL,
    account_id text NOT NULL,
    basis_points integer,
    fixed bigint,
    starts_at timestamp with time zone,
    reason text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING'::text,
    proposed_by text NOT NULL,
    proposed_at timestamp with time zone NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    decision_reason text,
    withdrawal_basis_points integer,
    withdrawal_fixed bigint,
    CONSTRAINT fee_proposals_pkey PRIMARY KEY (id),
    CONSTRAINT fee_proposals_basis_points_check CHECK (basis_points >= 0 AND basis_points <= 10000),
    CONSTRAINT fee_proposals_decided CHECK (num_nulls(decided_by, decided_at) =
        CASE status
            WHEN 'PENDING'::text THEN 2
            ELSE 0
        END),
    CONSTRAINT fee_proposals_decision_reason_check CHECK (char_length(decision_reason) >= 1 AND char_length(decision_reason) <= 500),
    CONSTRAINT fee_proposals_fixed_check CHECK (fixed >= 0 AND fixed <= '999999999999'::bigint),
    CONSTRAINT fee_proposals_id_check CHECK (id ~ '^fpr_[0-9a-f]{20}$'::text),
    CONSTRAINT fee_proposals_own CHECK (status <> 'WITHDRAWN'::text OR decided_by = proposed_by),
    CONSTRAINT fee_proposals_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT fee_proposals_refused CHECK ((status = 'REFUSED'::text) = (decision_reason IS NOT NULL)),
    CONSTRAINT fee_proposals_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REFUSED'::text, 'WITHDRAWN'::text])),
    CONSTRAINT fee_proposals_two_people CHECK (status <> 'APPROVED'::text OR decided_by <> proposed_by),
    CONSTRAINT fee_proposals_whole CHECK (num_nulls(basis_points, fixed) = ANY (ARRAY[0, 2])),
    CONSTRAINT fee_proposals_withdrawal CHECK ((num_nulls(withdrawal_basis_points, withdrawal_fixed) = ANY (ARRAY[0, 2])) AND withdrawal_basis_points >= 0 AND withdrawal_basis_points <= 10000 AND withdrawal_fixed >= 0 AND withdrawal_fixed <= '999999999999'::bigint),
    CONSTRAINT fee_proposals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT fee_proposals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
    CONSTRAINT fee_proposals_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id)
);
CREATE INDEX fee_proposals_by_account ON fee_proposals USING btree (account_id, proposed_at DESC, id DESC);
CREATE INDEX fee_proposals_by_page ON fee_proposals USING btree (proposed_at DESC, id DESC);
CREATE UNIQUE INDEX fee_proposals_one_pending ON fee_proposals USING btree (account_id) WHERE status = 'PENDING'::text;
CREATE INDEX fee_proposals_pending ON fee_proposals USING btree (proposed_at, id) WHERE status = 'PENDING'::text;
CREATE TRIGGER fee_proposals_decided_once BEFORE UPDATE ON fee_proposals FOR EACH ROW EXECUTE FUNCTION fee_proposals_decided_once();

CREATE TABLE former_tokens (
    token_hash bytea NOT NULL,
    session_id text NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    proven_at timestamp with time zone NOT NULL,
    second_factor boolean NOT NULL,
    CONSTRAINT former_tokens_pkey PRIMARY KEY (token_hash),
    CONSTRAINT former_tokens_token_hash CHECK (octet_length(token_hash) = 32),
    CONSTRAINT former_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
CREATE INDEX former_tokens_by_session ON former_tokens USING btree (session_id);

CREATE TABLE idempotency_keys (
    owner_id text NOT NULL,
    livemode boolean NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    resource_id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (owner_id, livemode, operation, key),
    CONSTRAINT idempotency_keys_key_check CHECK (char_length(key) >= 1 AND char_length(key) <= 255),
    CONSTRAINT idempotency_keys_request_hash_check CHECK (octet_length(request_hash) = 32)
);

CREATE TABLE installation (
    singleton boolean NOT NULL DEFAULT true,
    key_check bytea NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT installation_pkey PRIMARY KEY (singleton),
    CONSTRAINT installation_singleton_check CHECK (singleton)
);

CREATE TABLE invites (
    id text NOT NULL,
    account_id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    invited_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    accepted_by text,
    revoked_at timestamp with time zone,
    CONSTRAINT invites_pkey PRIMARY KEY (id),
    CONSTRAINT invites_accepted CHECK ((accepted_at IS NULL) = (accepted_by IS NULL)),
    CONSTRAINT invites_email_check CHECK (email = lower(email) AND char_length(email) >= 3 AND char_length(email) <= 254),
    CONSTRAINT invites_id_check CHECK (id ~ '^inv_[0-9a-f]{20}$'::text),
    CONSTRAINT invites_one_end CHECK (accepted_at IS NULL OR revoked_at IS NULL),
    CONSTRAINT invites_role_check CHECK (role = ANY (ARRAY['ADMIN'::text, 'DEVELOPER'::text, 'FINANCE'::text, 'VIEWER'::text])),
    CONSTRAINT invites_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES users(id),
    CONSTRAINT invites_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT invites_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id)
);
CREATE INDEX invites_by_end ON invites USING btree (COALESCE(accepted_at, revoked_at, expires_at));
CREATE UNIQUE INDEX invites_one_open ON invites USING btree (account_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL;

CREATE TABLE ledger_doubts (
    kind text NOT NULL,
    id text NOT NULL,
    CONSTRAINT ledger_doubts_pkey PRIMARY KEY (kind, id)
);

CREATE TABLE ledger_hours (
    account_id text NOT NULL,
    livemode boolean NOT NULL,
    hour timestamp with time zone NOT NULL,
    first_id bigint NOT NULL,
    last_id bigint NOT NULL,
    CONSTRAINT ledger_hours_pkey PRIMARY KEY (account_id, livemode, hour)
);

CREATE TABLE ledger_hours_through (
    one boolean NOT NULL DEFAULT true,
    through_id bigint NOT NULL,
    CONSTRAINT ledger_hours_through_pkey PRIMARY KEY (one),
    CONSTRAINT ledger_hours_through_one_check CHECK (one)
);

CREATE TABLE ledger_pass (
    one boolean NOT NULL DEFAULT true,
    stage integer NOT NULL DEFAULT 0,
    after text NOT NULL DEFAULT ''::text,
    compared bigint NOT NULL DEFAULT 0,
    began_at timestamp with time zone,
    accounts_through bigint NOT NULL DEFAULT 0,
    CONSTRAINT ledger_pass_pkey PRIMARY KEY (one),
    CONSTRAINT ledger_pass_one_check CHECK (one)
);

CREATE TABLE ledger_proofs (
    number bigint NOT NULL,
    after_id bigint NOT NULL,
    through_id bigint NOT NULL,
    transfers bigint NOT NULL,
    content bytea NOT NULL,
    hash bytea NOT NULL,
    proven_at timestamp with time zone NOT NULL,
    CONSTRAINT ledger_proofs_pkey PRIMARY KEY (number),
    CONSTRAINT ledger_proofs_through_id_key UNIQUE (through_id),
    CONSTRAINT ledger_proofs_content_check CHECK (octet_length(content) = 32),
    CONSTRAINT ledger_proofs_hash_check CHECK (octet_length(hash) = 32),
    CONSTRAINT ledger_proofs_number_check CHECK (number > 0),
    CONSTRAINT ledger_proofs_range CHECK (after_id < through_id)
);
CREATE TRIGGER ledger_proofs_final BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_proofs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE ledger_snapshots (
    account_id text NOT NULL,
    livemode boolean NOT NULL,
    through_id bigint NOT NULL,
    gross bigint NOT NULL,
    fee bigint NOT NULL,
    refunded bigint NOT NULL,
    withdrawn bigint NOT NULL,
    pending bigint NOT NULL,
    available bigint NOT NULL,
    reserved bigint NOT NULL,
    blocked bigint NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    CONSTRAINT ledger_snapshots_pkey PRIMARY KEY (account_id, livemode, through_id),
    CONSTRAINT ledger_snapshots_balance CHECK ((gross - fee - refunded - withdrawn) = (pending + available + reserved + blocked)),
    CONSTRAINT ledger_snapshots_through_id_check CHECK (through_id > 0)
);
CREATE INDEX ledger_snapshots_newest ON ledger_snapshots USING btree (through_id);
CREATE TRIGGER ledger_snapshots_final BEFORE UPDATE OR TRUNCATE ON ledger_snapshots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_snapshots_thinned AFTER DELETE ON ledger_snapshots REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION ledger_snapshots_thinned();

CREATE TABLE ledger_thinned (
    period text NOT NULL,
    through_id bigint NOT NULL,
    CONSTRAINT ledger_thinned_pkey PRIMARY KEY (period),
    CONSTRAINT ledger_thinned_period_check CHECK (period = ANY (ARRAY['hour'::text, 'day'::text, 'month'::text]))
);

CREATE TABLE ledger_transfers (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    fact text NOT NULL,
    line smallint NOT NULL,
    from_book text NOT NULL,
    to_book text NOT NULL,
    amount bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT ledger_transfers_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_fact_once UNIQUE (fact, line),
    CONSTRAINT ledger_books CHECK (from_book ~ '^(platform/(test|live)/(clearing|fees|suspense|paid_out|refunds|written_off)|acc_[0-9a-f]{20}/(test|live)/(pending|available|reserved|blocked))$'::text AND to_book ~ '^(platform/(test|live)/(clearing|fees|suspense|paid_out|refunds|written_off)|acc_[0-9a-f]{20}/(test|live)/(pending|available|reserved|blocked))$'::text),
    CONSTRAINT ledger_one_account CHECK (from_book ~~ 'platform/%'::text OR to_book ~~ 'platform/%'::text OR split_part(from_book, '/'::text, 1) = split_part(to_book, '/'::text, 1)),
    CONSTRAINT ledger_one_environment CHECK (split_part(from_book, '/'::text, 2) = split_part(to_book, '/'::text, 2)),
    CONSTRAINT ledger_transfers_amount_check CHECK (amount > 0),
    CONSTRAINT ledger_two_books CHECK (from_book <> to_book)
);
CREATE INDEX ledger_transfers_in ON ledger_transfers USING btree (to_book, id) INCLUDE (amount);
CREATE INDEX ledger_transfers_out ON ledger_transfers USING btree (from_book, id) INCLUDE (amount);
CREATE TRIGGER ledger_no_overdraft AFTER INSERT ON ledger_transfers REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION ledger_no_overdraft();
CREATE TRIGGER ledger_own_bank AFTER INSERT ON ledger_transfers FOR EACH ROW WHEN (new.from_book ~~ '%/pending'::text AND new.to_book ~~ 'platform/%/paid_out'::text OR new.from_book ~~ 'platform/%/paid_out'::text AND new.to_book ~~ '%/pending'::text OR (new.from_book ~~ '%/available'::text OR new.to_book ~~ '%/available'::text) AND (split_part(new.fact, '/'::text, 1) = ANY (ARRAY['settlement'::text, 'refund'::text, 'exception'::text]))) EXECUTE FUNCTION ledger_own_bank();
CREATE TRIGGER ledger_transfers_final BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE log_in_places (
    user_id text NOT NULL,
    place bytea NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT log_in_places_pkey PRIMARY KEY (user_id, place),
    CONSTRAINT log_in_places_place_check CHECK (octet_length(place) = 32),
    CONSTRAINT log_in_places_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX log_in_places_by_time ON log_in_places USING btree (last_at);

CREATE TABLE mails (
    id text NOT NULL,
    fact text NOT NULL,
    recipient text NOT NULL,
    language text NOT NULL,
    kind text NOT NULL,
    params jsonb NOT NULL DEFAULT '{}'::jsonb,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    attempts integer NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT ''::text,
    CONSTRAINT mails_pkey PRIMARY KEY (id),
    CONSTRAINT mails_once UNIQUE (fact, recipient),
    CONSTRAINT mails_attempts_check CHECK (attempts >= 0),
    CONSTRAINT mails_fact_check CHECK (char_length(fact) >= 1 AND char_length(fact) <= 200),
    CONSTRAINT mails_id_check CHECK (id ~ '^mail_[0-9a-f]{20}$'::text),
    CONSTRAINT mails_language_check CHECK (language = ANY (ARRAY['pt-BR'::text, 'en'::text])),
    CONSTRAINT mails_recipient_check CHECK (char_length(recipient) >= 3 AND char_length(recipient) <= 254)
);
CREATE INDEX mails_by_age ON mails USING btree (created_at DESC, id DESC);
CREATE INDEX mails_unsent ON mails USING btree (created_at) WHERE sent_at IS NULL;

CREATE TABLE members (
    account_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    muted text[] NOT NULL DEFAULT '{}'::text[],
    steps_hidden boolean NOT NULL DEFAULT false,
    sells_by_link boolean NOT NULL DEFAULT false,
    sells_by_api boolean NOT NULL DEFAULT false,
    CONSTRAINT members_pkey PRIMARY KEY (account_id, user_id),
    CONSTRAINT members_muted CHECK (muted <@ ARRAY['WEBHOOK_FAILING'::text, 'WEBHOOK_DISABLED'::text, 'WITHDRAWALS'::text, 'ACCESS'::text, 'MONTH_CLOSED'::text]),
    CONSTRAINT members_role_check CHECK (role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'DEVELOPER'::text, 'FINANCE'::text, 'VIEWER'::text])),
    CONSTRAINT members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX members_by_user ON members USING btree (user_id);
CREATE UNIQUE INDEX members_one_owner ON members USING btree (account_id) WHERE role = 'OWNER'::text;
CREATE CONSTRAINT TRIGGER members_keep_owner AFTER DELETE OR UPDATE ON members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.role = 'OWNER'::text) EXECUTE FUNCTION account_keeps_owner();

CREATE TABLE month_closes (
    account_id text NOT NULL,
    month date NOT NULL,
    closed_at timestamp with time zone NOT NULL,
    CONSTRAINT month_closes_pkey PRIMARY KEY (account_id, month),
    CONSTRAINT month_closes_month_check CHECK (EXTRACT(day FROM month) = 1::numeric),
    CONSTRAINT month_closes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE TABLE name_proposals (
    id text NOT NULL,
    account_id text NOT NULL,
    before text NOT NULL,
    name text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING'::text,
    proposed_by text NOT NULL,
    proposed_at timestamp with time zone NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    decision_reason text,
    CONSTRAINT name_proposals_pkey PRIMARY KEY (id),
    CONSTRAINT name_proposals_decided CHECK (num_nulls(decided_by, decided_at) =
        CASE status
            WHEN 'PENDING'::text THEN 2
            ELSE 0
        END),
    CONSTRAINT name_proposals_decision_reason_check CHECK (char_length(decision_reason) >= 1 AND char_length(decision_reason) <= 500),
    CONSTRAINT name_proposals_id_check CHECK (id ~ '^npr_[0-9a-f]{20}$'::text),
    CONSTRAINT name_proposals_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 200),
    CONSTRAINT name_proposals_refused CHECK ((status = 'REFUSED'::text) = (decision_reason IS NOT NULL)),
    CONSTRAINT name_proposals_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REFUSED'::text, 'WITHDRAWN'::text])),
    CONSTRAINT name_proposals_two_people CHECK (status <> 'APPROVED'::text OR decided_by <> proposed_by),
    CONSTRAINT name_proposals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT name_proposals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
    CONSTRAINT name_proposals_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id)
);
CREATE INDEX name_proposals_by_account ON name_proposals USING btree (account_id, proposed_at DESC, id DESC);
CREATE INDEX name_proposals_by_page ON name_proposals USING btree (proposed_at DESC, id DESC);
CREATE UNIQUE INDEX name_proposals_one_pending ON name_proposals USING btree (account_id) WHERE status = 'PENDING'::text;
CREATE INDEX name_proposals_pending ON name_proposals USING btree (proposed_at, id) WHERE status = 'PENDING'::text;

CREATE TABLE paid_notices (
    account_id text NOT NULL,
    user_id text NOT NULL,
    through_id bigint NOT NULL,
    hour timestamp with time zone NOT NULL,
    paid integer NOT NULL DEFAULT 0,
    amount bigint NOT NULL DEFAULT 0,
    CONSTRAINT paid_notices_pkey PRIMARY KEY (account_id, user_id),
    CONSTRAINT paid_notices_amount_check CHECK (amount >= 0),
    CONSTRAINT paid_notices_paid_check CHECK (paid >= 0),
    CONSTRAINT paid_notices_through_id_check CHECK (through_id >= 0),
    CONSTRAINT paid_notices_of_members FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE
);

CREATE TABLE passkey_challenges (
    challenge bytea NOT NULL,
    purpose text NOT NULL,
    browser bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    new_user_id text,
    CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge),
    CONSTRAINT passkey_challenges_browser_check CHECK (octet_length(browser) = 32),
    CONSTRAINT passkey_challenges_challenge_check CHECK (octet_length(challenge) >= 16),
    CONSTRAINT passkey_challenges_new_user CHECK ((purpose = 'SIGN_UP'::text) = (new_user_id IS NOT NULL)),
    CONSTRAINT passkey_challenges_new_user_id_check CHECK (new_user_id ~ '^usr_[0-9a-f]{20}$'::text),
    CONSTRAINT passkey_challenges_purpose_check CHECK (purpose = ANY (ARRAY['LOG_IN'::text, 'PROVE'::text, 'ADD'::text, 'SIGN_UP'::text]))
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges USING btree (expires_at);

CREATE TABLE passkeys (
    id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    synced boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT passkeys_pkey PRIMARY KEY (id),
    CONSTRAINT passkeys_credential_unique UNIQUE (credential_id),
    CONSTRAINT passkeys_credential_id_check CHECK (octet_length(credential_id) >= 1 AND octet_length(credential_id) <= 1023),
    CONSTRAINT passkeys_id_check CHECK (id ~ '^pky_[0-9a-f]{20}$'::text),
    CONSTRAINT passkeys_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 60),
    CONSTRAINT passkeys_public_key_check CHECK (octet_length(public_key) >= 1 AND octet_length(public_key) <= 4096),
    CONSTRAINT passkeys_sign_count_check CHECK (sign_count >= 0 AND sign_count <= '4294967295'::bigint),
    CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX passkeys_by_user ON passkeys USING btree (user_id, created_at, id);
CREATE CONSTRAINT TRIGGER passkeys_keep_log_in AFTER DELETE ON passkeys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION users_can_log_in();
CREATE TRIGGER passkeys_stay BEFORE UPDATE ON passkeys FOR EACH ROW EXECUTE FUNCTION passkeys_stay();

CREATE TABLE payment_exceptions (
    payment_id text NOT NULL,
    kind text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decision text,
    account_id text,
    fee bigint NOT NULL DEFAULT 0,
    reason text,
    return_id text,
    decided_by text,
    decided_at timestamp with time zone,
    return_status text,
    return_number integer NOT NULL DEFAULT 0,
    return_reason text,
    return_by text,
    return_failure text NOT NULL DEFAULT ''::text,
    return_tries integer NOT NULL DEFAULT 0,
    return_next_try_at timestamp with time zone,
    return_ended_at timestamp with time zone,
    checkout_id text,
    CONSTRAINT payment_exceptions_pkey PRIMARY KEY (payment_id),
    CONSTRAINT payment_exceptions_accepted CHECK ((NOT decision IS DISTINCT FROM 'ACCEPTED'::text) = (account_id IS NOT NULL)),
    CONSTRAINT payment_exceptions_assigned CHECK (checkout_id IS NULL OR kind = 'UNMATCHED'::text AND decision = 'ACCEPTED'::text),
    CONSTRAINT payment_exceptions_decided CHECK ((num_nulls(decision, reason, decided_at) = ANY (ARRAY[0, 3])) AND
        CASE
            WHEN decision IS NULL THEN decided_by IS NULL
            ELSE decided_by IS NOT NULL OR decision = 'REFUNDED'::text AND return_status = 'COMPLETED'::text
        END),
    CONSTRAINT payment_exceptions_decision_check CHECK (decision = ANY (ARRAY['ACCEPTED'::text, 'REFUNDED'::text, 'WRITTEN_OFF'::text])),
    CONSTRAINT payment_exceptions_fee CHECK (fee = 0 OR decision = 'ACCEPTED'::text),
    CONSTRAINT payment_exceptions_fee_check CHECK (fee >= 0),
    CONSTRAINT payment_exceptions_kind_check CHECK (kind = ANY (ARRAY['LATE'::text, 'UNDERPAID'::text, 'OVERPAID'::text, 'DUPLICATE'::text, 'UNMATCHED'::text])),
    CONSTRAINT payment_exceptions_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT payment_exceptions_return CHECK (
        CASE return_status
            WHEN 'REQUESTED'::text THEN decision IS NULL AND num_nulls(return_reason, return_by, return_next_try_at) = 0 AND return_number > 0
            WHEN 'PROCESSING'::text THEN decision IS NULL AND num_nulls(return_reason, return_by, return_next_try_at) = 0 AND return_number > 0
            WHEN 'COMPLETED'::text THEN (decision = ANY (ARRAY['REFUNDED'::text, 'WRITTEN_OFF'::text])) AND return_next_try_at IS NULL AND return_ended_at IS NOT NULL
            WHEN 'FAILED'::text THEN return_next_try_at IS NULL
            ELSE return_status IS NULL AND return_next_try_at IS NULL
        END),
    CONSTRAINT payment_exceptions_return_failure CHECK (char_length(return_failure) <= 200),
    CONSTRAINT payment_exceptions_return_id_check CHECK (char_length(return_id) >= 1 AND char_length(return_id) <= 64),
    CONSTRAINT payment_exceptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT payment_exceptions_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id),
    CONSTRAINT payment_exceptions_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
    CONSTRAINT payment_exceptions_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
    CONSTRAINT payment_exceptions_return_by_fkey FOREIGN KEY (return_by) REFERENCES users(id)
);
CREATE INDEX payment_exceptions_by_decision ON payment_exceptions USING btree (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX payment_exceptions_by_page ON payment_exceptions USING btree (created_at DESC, payment_id DESC);
CREATE INDEX payment_exceptions_by_return ON payment_exceptions USING btree (return_ended_at) WHERE return_ended_at IS NOT NULL;
CREATE INDEX payment_exceptions_due ON payment_exceptions USING btree (return_next_try_at) WHERE return_next_try_at IS NOT NULL;
CREATE INDEX payment_exceptions_open ON payment_exceptions USING btree (created_at, payment_id) WHERE decision IS NULL;

CREATE TABLE payment_link_days (
    payment_link_id text NOT NULL,
    day timestamp with time zone NOT NULL,
    visits bigint NOT NULL DEFAULT 0,
    created integer NOT NULL DEFAULT 0,
    converted integer NOT NULL DEFAULT 0,
    paid integer NOT NULL DEFAULT 0,
    volume bigint NOT NULL DEFAULT 0,
    CONSTRAINT payment_link_days_pkey PRIMARY KEY (payment_link_id, day),
    CONSTRAINT payment_link_days_converted_check CHECK (converted >= 0),
    CONSTRAINT payment_link_days_created_check CHECK (created >= 0),
    CONSTRAINT payment_link_days_day_check CHECK ((EXTRACT(epoch FROM day)::bigint % 86400::bigint) = 10800),
    CONSTRAINT payment_link_days_paid_check CHECK (paid >= 0),
    CONSTRAINT payment_link_days_visits_check CHECK (visits >= 0),
    CONSTRAINT payment_link_days_volume_check CHECK (volume >= 0),
    CONSTRAINT payment_link_days_payment_link_id_fkey FOREIGN KEY (payment_link_id) REFERENCES payment_links(id)
);

CREATE TABLE payment_link_days_until (
    one boolean NOT NULL DEFAULT true,
    since timestamp with time zone,
    until timestamp with time zone,
    recorded timestamp with time zone,
    CONSTRAINT payment_link_days_until_pkey PRIMARY KEY (one),
    CONSTRAINT payment_link_days_until_check CHECK ((num_nulls(since, until, recorded) = ANY (ARRAY[0, 3])) AND since <= until),
    CONSTRAINT payment_link_days_until_one_check CHECK (one)
);

CREATE TABLE payment_links (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    product_id text NOT NULL,
    expires_in_seconds integer NOT NULL,
    success_url text,
    return_url text,
    active boolean NOT NULL DEFAULT true,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    buyer_data text NOT NULL DEFAULT 'OPTIONAL'::text,
    max_quantity integer NOT NULL DEFAULT 1,
    min_amount bigint,
    max_amount bigint,
    stock integer,
    ends_at timestamp with time zone,
    CONSTRAINT payment_links_pkey PRIMARY KEY (id),
    CONSTRAINT payment_links_buyer_data CHECK (buyer_data = ANY (ARRAY['OFF'::text, 'OPTIONAL'::text, 'REQUIRED'::text])),
    CONSTRAINT payment_links_expires_in_seconds_check CHECK (expires_in_seconds >= 900 AND expires_in_seconds <= 86400),
    CONSTRAINT payment_links_id_check CHECK (id ~ '^plink_[0-9a-f]{16}$'::text),
    CONSTRAINT payment_links_max_quantity CHECK (max_quantity >= 1 AND max_quantity <= 100),
    CONSTRAINT payment_links_open_amount CHECK ((min_amount IS NULL) = (max_amount IS NULL) AND (min_amount IS NULL OR min_amount >= 1 AND min_amount <= max_amount AND max_amount <= '999999999999'::bigint AND max_quantity = 1)),
    CONSTRAINT payment_links_return_url_check CHECK (char_length(return_url) >= 1 AND char_length(return_url) <= 2048),
    CONSTRAINT payment_links_stock CHECK (stock >= 0),
    CONSTRAINT payment_links_success_url_check CHECK (char_length(success_url) >= 1 AND char_length(success_url) <= 2048),
    CONSTRAINT payment_links_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id),
    CONSTRAINT payment_links_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX payment_links_by_page ON payment_links USING btree (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX payment_links_by_product ON payment_links USING btree (product_id);

CREATE TABLE payments (
    id text NOT NULL,
    livemode boolean NOT NULL,
    end_to_end_id text NOT NULL,
    txid text NOT NULL,
    checkout_id text,
    settles boolean NOT NULL,
    amount bigint NOT NULL,
    fee bigint NOT NULL,
    paid_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    bank_account_id text,
    CONSTRAINT payments_pkey PRIMARY KEY (id),
    CONSTRAINT payments_end_to_end_id_unique UNIQUE (livemode, end_to_end_id),
    CONSTRAINT payments_amount_check CHECK (amount > 0),
    CONSTRAINT payments_check CHECK (fee >= 0 AND fee <= amount),
    CONSTRAINT payments_end_to_end_id_check CHECK (char_length(end_to_end_id) >= 1 AND char_length(end_to_end_id) <= 64),
    CONSTRAINT payments_id_check CHECK (id ~ '^pay_[0-9a-f]{20}$'::text),
    CONSTRAINT payments_settles_a_checkout CHECK (NOT settles OR checkout_id IS NOT NULL),
    CONSTRAINT payments_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id),
    CONSTRAINT payments_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id)
);
CREATE INDEX payments_bank_account ON payments USING btree (bank_account_id, paid_at) WHERE bank_account_id IS NOT NULL;
CREATE INDEX payments_by_checkout ON payments USING btree (checkout_id);
CREATE INDEX payments_by_recording ON payments USING brin (recorded_at);
CREATE UNIQUE INDEX payments_one_settles ON payments USING btree (checkout_id) WHERE settles;
CREATE TRIGGER payments_final BEFORE DELETE OR UPDATE OR TRUNCATE ON payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE payout_attempts (
    id text NOT NULL,
    withdrawal_id text NOT NULL,
    bank_account_id text NOT NULL,
    amount bigint NOT NULL,
    status text NOT NULL DEFAULT 'STORED'::text,
    sending_at timestamp with time zone,
    heard_at timestamp with time zone,
    end_to_end_id text,
    code text NOT NULL DEFAULT ''::text,
    failure text NOT NULL DEFAULT ''::text,
    looks integer NOT NULL DEFAULT 0,
    next_look_at timestamp with time zone,
    told_at timestamp with time zone,
    decided_by text,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT payout_attempts_pkey PRIMARY KEY (id),
    CONSTRAINT payout_attempts_amount CHECK (amount > 0),
    CONSTRAINT payout_attempts_code CHECK (char_length(code) <= 64),
    CONSTRAINT payout_attempts_end_to_end_id CHECK (char_length(end_to_end_id) >= 1 AND char_length(end_to_end_id) <= 64),
    CONSTRAINT payout_attempts_ended CHECK ((ended_at IS NOT NULL) = (status = ANY (ARRAY['DONE'::text, 'REFUSED'::text])) AND (status <> 'DONE'::text OR end_to_end_id IS NOT NULL) AND (decided_by IS NULL OR ended_at IS NOT NULL)),
    CONSTRAINT payout_attempts_failure CHECK (char_length(failure) <= 200),
    CONSTRAINT payout_attempts_id CHECK (id ~ '^wdr[0-9a-f]{20}n[1-9][0-9]{0,5}$'::text),
    CONSTRAINT payout_attempts_looked_at CHECK (ended_at IS NOT NULL OR next_look_at IS NOT NULL),
    CONSTRAINT payout_attempts_sent CHECK (sending_at IS NOT NULL OR (status = ANY (ARRAY['STORED'::text, 'REFUSED'::text]))),
    CONSTRAINT payout_attempts_status CHECK (status = ANY (ARRAY['STORED'::text, 'SENDING'::text, 'PROCESSING'::text, 'DONE'::text, 'REFUSED'::text])),
    CONSTRAINT payout_attempts_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id),
    CONSTRAINT payout_attempts_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
    CONSTRAINT payout_attempts_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id)
);
CREATE INDEX payout_attempts_due ON payout_attempts USING btree (bank_account_id, next_look_at) WHERE next_look_at IS NOT NULL;
CREATE INDEX payout_attempts_of ON payout_attempts USING btree (withdrawal_id, created_at);
CREATE UNIQUE INDEX payout_attempts_one ON payout_attempts USING btree (withdrawal_id) WHERE status <> 'REFUSED'::text;
CREATE TRIGGER payout_attempts_stay BEFORE DELETE OR TRUNCATE ON payout_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_attempts_transition BEFORE UPDATE ON payout_attempts FOR EACH ROW EXECUTE FUNCTION payout_attempts_transition();

CREATE TABLE person_identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT person_identities_pkey PRIMARY KEY (issuer, subject),
    CONSTRAINT person_identities_one UNIQUE (user_id, issuer),
    CONSTRAINT person_identities_issuer CHECK (char_length(issuer) >= 1 AND char_length(issuer) <= 500),
    CONSTRAINT person_identities_subject CHECK (octet_length(subject) >= 1 AND octet_length(subject) <= 255),
    CONSTRAINT person_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE products (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    description text,
    image_url text,
    amount bigint NOT NULL,
    payment_cycle text NOT NULL DEFAULT 'ONE_TIME'::text,
    active boolean NOT NULL DEFAULT true,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    picture_large bytea,
    picture_small bytea,
    picture_hash text,
    picture_width integer,
    picture_height integer,
    archived_at timestamp with time zone,
    CONSTRAINT products_pkey PRIMARY KEY (id),
    CONSTRAINT products_slug_unique UNIQUE (project_id, livemode, slug),
    CONSTRAINT products_amount_check CHECK (amount >= 1 AND amount <= '999999999999'::bigint),
    CONSTRAINT products_archived_is_off CHECK (archived_at IS NULL OR NOT active),
    CONSTRAINT products_description_check CHECK (char_length(description) >= 1 AND char_length(description) <= 500),
    CONSTRAINT products_id_check CHECK (id ~ '^prod_[0-9a-f]{20}$'::text),
    CONSTRAINT products_image_url_check CHECK (char_length(image_url) >= 1 AND char_length(image_url) <= 2048),
    CONSTRAINT products_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 200),
    CONSTRAINT products_one_image CHECK (image_url IS NULL OR picture_hash IS NULL),
    CONSTRAINT products_payment_cycle_check CHECK (payment_cycle = ANY (ARRAY['ONE_TIME'::text, 'WEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'ANNUALLY'::text])),
    CONSTRAINT products_picture_hash_check CHECK (picture_hash ~ '^[0-9a-f]{32}$'::text),
    CONSTRAINT products_picture_height_check CHECK (picture_height >= 1 AND picture_height <= 1200),
    CONSTRAINT products_picture_large_check CHECK (octet_length(picture_large) >= 1 AND octet_length(picture_large) <= 98304),
    CONSTRAINT products_picture_small_check CHECK (octet_length(picture_small) >= 1 AND octet_length(picture_small) <= 12288),
    CONSTRAINT products_picture_whole CHECK (num_nulls(picture_large, picture_small, picture_hash, picture_width, picture_height) = ANY (ARRAY[0, 5])),
    CONSTRAINT products_picture_width_check CHECK (picture_width >= 1 AND picture_width <= 1200),
    CONSTRAINT products_slug_check CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text AND char_length(slug) <= 255),
    CONSTRAINT products_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX products_by_page ON products USING btree (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX products_by_picture ON products USING btree (picture_hash) WHERE picture_hash IS NOT NULL;

CREATE TABLE projects (
    id text NOT NULL,
    account_id text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT projects_pkey PRIMARY KEY (id),
    CONSTRAINT projects_id_check CHECK (id ~ '^prj_[0-9a-f]{20}$'::text),
    CONSTRAINT projects_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
    CONSTRAINT projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX projects_by_account ON projects USING btree (account_id, created_at);

CREATE TABLE receipt_mails (
    checkout_id text NOT NULL,
    number smallint NOT NULL,
    form text NOT NULL,
    recipient bytea NOT NULL,
    masked text NOT NULL,
    asked_by text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT receipt_mails_pkey PRIMARY KEY (checkout_id, number),
    CONSTRAINT receipt_mails_once UNIQUE (checkout_id, form),
    CONSTRAINT receipt_mails_form_check CHECK (char_length(form) >= 1 AND char_length(form) <= 200),
    CONSTRAINT receipt_mails_masked_check CHECK (char_length(masked) >= 1 AND char_length(masked) <= 20),
    CONSTRAINT receipt_mails_number_check CHECK (number >= 1 AND number <= 8),
    CONSTRAINT receipt_mails_recipient_check CHECK (octet_length(recipient) = 32),
    CONSTRAINT receipt_mails_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES users(id),
    CONSTRAINT receipt_mails_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id)
);
CREATE INDEX receipt_mails_by_age ON receipt_mails USING btree (created_at);
CREATE INDEX receipt_mails_by_recipient ON receipt_mails USING btree (recipient, created_at);

CREATE TABLE recovery_codes (
    user_id text NOT NULL,
    digest bytea NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, digest),
    CONSTRAINT recovery_codes_digest_check CHECK (octet_length(digest) = 32),
    CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE refunds (
    id text NOT NULL,
    payment_id text NOT NULL,
    account_id text NOT NULL,
    livemode boolean NOT NULL,
    amount bigint NOT NULL,
    reason text NOT NULL,
    return_id text,
    created_by text,
    created_at timestamp with time zone NOT NULL,
    number integer,
    status text NOT NULL DEFAULT 'COMPLETED'::text,
    origin text NOT NULL DEFAULT 'STAFF'::text,
    from_pending bigint NOT NULL DEFAULT 0,
    from_blocked bigint NOT NULL DEFAULT 0,
    back_to_pending bigint NOT NULL DEFAULT 0,
    short bigint NOT NULL DEFAULT 0,
    bank_return_id text,
    failure text NOT NULL DEFAULT ''::text,
    tries integer NOT NULL DEFAULT 0,
    next_try_at timestamp with time zone,
    ended_at timestamp with time zone,
    dispute_id text,
    from_paid_out bigint NOT NULL DEFAULT 0,
    CONSTRAINT refunds_pkey PRIMARY KEY (id),
    CONSTRAINT refunds_return_id_unique UNIQUE (livemode, return_id),
    CONSTRAINT refunds_amount_check CHECK (amount > 0),
    CONSTRAINT refunds_failure CHECK (char_length(failure) <= 200),
    CONSTRAINT refunds_from CHECK (LEAST(from_pending, from_blocked, short) >= 0 AND (from_pending + from_blocked + short) <= amount AND back_to_pending >= 0 AND back_to_pending <= from_pending AND (back_to_pending = 0 OR status = 'FAILED'::text)),
    CONSTRAINT refunds_from_paid_out CHECK (from_paid_out >= 0 AND (from_pending + from_blocked + short + from_paid_out) <= amount),
    CONSTRAINT refunds_id_check CHECK (id ~ '^rfd_[0-9a-f]{20}$'::text),
    CONSTRAINT refunds_number_check CHECK (number > 0),
    CONSTRAINT refunds_origin CHECK ((origin = ANY (ARRAY['MEMBER'::text, 'STAFF'::text, 'API'::text, 'BANK'::text, 'DISPUTE'::text])) AND (created_by IS NOT NULL OR (origin = ANY (ARRAY['API'::text, 'BANK'::text, 'DISPUTE'::text])))),
    CONSTRAINT refunds_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT refunds_return_id_check CHECK (char_length(return_id) >= 1 AND char_length(return_id) <= 64),
    CONSTRAINT refunds_status CHECK ((status = ANY (ARRAY['REQUESTED'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'FAILED'::text])) AND (ended_at IS NULL OR (status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text]))) AND (next_try_at IS NOT NULL) = (status = ANY (ARRAY['REQUESTED'::text, 'PROCESSING'::text]))),
    CONSTRAINT refunds_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT refunds_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
    CONSTRAINT refunds_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id),
    CONSTRAINT refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);
CREATE UNIQUE INDEX refunds_bank_return_once ON refunds USING btree (payment_id, bank_return_id);
CREATE INDEX refunds_by_account ON refunds USING btree (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX refunds_by_dispute ON refunds USING btree (dispute_id) WHERE dispute_id IS NOT NULL;
CREATE INDEX refunds_by_end ON refunds USING btree (ended_at);
CREATE INDEX refunds_by_payment ON refunds USING btree (payment_id);
CREATE INDEX refunds_by_time ON refunds USING btree (created_at);
CREATE INDEX refunds_due ON refunds USING btree (next_try_at) WHERE next_try_at IS NOT NULL;
CREATE UNIQUE INDEX refunds_number_unique ON refunds USING btree (payment_id, number);
CREATE INDEX refunds_short ON refunds USING btree (account_id, livemode) WHERE short > 0;
CREATE TRIGGER refunds_from_paid_out_stays BEFORE UPDATE ON refunds FOR EACH ROW WHEN (old.from_paid_out <> new.from_paid_out) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refunds_of_dispute AFTER INSERT OR UPDATE ON refunds FOR EACH ROW WHEN (new.dispute_id IS NOT NULL OR new.from_blocked > 0) EXECUTE FUNCTION refunds_of_dispute();
CREATE TRIGGER refunds_transition BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION refunds_transition();
CREATE TRIGGER refunds_within_payment AFTER INSERT OR UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION refunds_within_payment();

CREATE TABLE schema_compatibility (
    version bigint NOT NULL,
    needs bigint NOT NULL,
    reason text NOT NULL,
    CONSTRAINT schema_compatibility_pkey PRIMARY KEY (version),
    CONSTRAINT schema_compatibility_reason_check CHECK (reason <> ''::text)
);

CREATE TABLE sessions (
    token_hash bytea NOT NULL,
    user_id text NOT NULL,
    project_id text,
    livemode boolean NOT NULL DEFAULT false,
    ip text NOT NULL,
    user_agent text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    id text NOT NULL,
    proven_at timestamp with time zone NOT NULL,
    second_factor boolean NOT NULL DEFAULT false,
    awaits_code boolean NOT NULL DEFAULT false,
    device_id text,
    by_provider boolean NOT NULL DEFAULT false,
    CONSTRAINT sessions_pkey PRIMARY KEY (token_hash),
    CONSTRAINT sessions_id_unique UNIQUE (id),
    CONSTRAINT sessions_id_form CHECK (id ~ '^ses_[0-9a-f]{20}$'::text),
    CONSTRAINT sessions_token_hash_check CHECK (octet_length(token_hash) = 32),
    CONSTRAINT sessions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
    CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_by_end ON sessions USING btree (expires_at);
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_by_user ON sessions USING btree (user_id);
CREATE TRIGGER sessions_leave_last_seen AFTER DELETE ON sessions REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION sessions_leave_last_seen();

CREATE TABLE switch_changes (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    account_id text NOT NULL,
    switch text NOT NULL,
    turned_on boolean NOT NULL,
    reason text NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    ticket text,
    CONSTRAINT switch_changes_pkey PRIMARY KEY (id),
    CONSTRAINT switch_changes_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 1000),
    CONSTRAINT switch_changes_switch_check CHECK (switch = ANY (ARRAY['SUSPENDED'::text, 'LIVE_BLOCKED'::text, 'WITHDRAWALS_BLOCKED'::text])),
    CONSTRAINT switch_changes_ticket_check CHECK (char_length(ticket) >= 1 AND char_length(ticket) <= 100),
    CONSTRAINT switch_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT switch_changes_changed_by_fkey FOREIGN KEY (changed_by) REFERENCES users(id)
);
CREATE INDEX switch_changes_by_account ON switch_changes USING btree (account_id, switch, id DESC);
CREATE TRIGGER switch_changes_final BEFORE DELETE OR UPDATE OR TRUNCATE ON switch_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE tokens (
    id text NOT NULL,
    purpose text NOT NULL,
    user_id text NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    device_id text,
    CONSTRAINT tokens_pkey PRIMARY KEY (id),
    CONSTRAINT tokens_id_check CHECK (id ~ '^tok_[0-9a-f]{20}$'::text),
    CONSTRAINT tokens_purpose_check CHECK (purpose = ANY (ARRAY['VERIFY_EMAIL'::text, 'RESET_PASSWORD'::text, 'CHANGE_EMAIL'::text, 'NEW_DEVICE'::text])),
    CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX tokens_by_end ON tokens USING btree (expires_at);
CREATE INDEX tokens_by_user ON tokens USING btree (user_id, purpose, created_at DESC);
CREATE UNIQUE INDEX tokens_one_email_change ON tokens USING btree (user_id) WHERE purpose = 'CHANGE_EMAIL'::text AND used_at IS NULL;

CREATE TABLE users (
    id text NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text,
    staff_role text,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    language text NOT NULL DEFAULT 'pt-BR'::text,
    email_verified_at timestamp with time zone,
    totp_secret bytea,
    totp_since timestamp with time zone,
    totp_step bigint NOT NULL DEFAULT 0,
    terms_url text,
    terms_accepted_at timestamp with time zone,
    last_seen_at timestamp with time zone,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_email_unique UNIQUE (email),
    CONSTRAINT users_email_check CHECK (email = lower(email) AND char_length(email) >= 3 AND char_length(email) <= 254),
    CONSTRAINT users_id_check CHECK (id ~ '^usr_[0-9a-f]{20}$'::text),
    CONSTRAINT users_language_check CHECK (language = ANY (ARRAY['pt-BR'::text, 'en'::text])),
    CONSTRAINT users_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 200),
    CONSTRAINT users_staff_role_check CHECK (staff_role = ANY (ARRAY['REVIEWER'::text, 'SUPERVISOR'::text])),
    CONSTRAINT users_terms_accepted CHECK ((terms_url IS NULL) = (terms_accepted_at IS NULL)),
    CONSTRAINT users_terms_url_check CHECK (char_length(terms_url) >= 1 AND char_length(terms_url) <= 2048),
    CONSTRAINT users_totp_has_secret CHECK (totp_since IS NULL OR totp_secret IS NOT NULL)
);
CREATE CONSTRAINT TRIGGER users_can_log_in AFTER INSERT OR UPDATE OF password_hash ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION users_can_log_in();

CREATE TABLE webhook_answers (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT webhook_answers_pkey PRIMARY KEY (delivery_id, number, started_at)
) PARTITION BY RANGE (started_at);

CREATE TABLE webhook_answers_other (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT webhook_answers_other_pkey PRIMARY KEY (delivery_id, number, started_at)
);
ALTER TABLE webhook_answers ATTACH PARTITION webhook_answers_other DEFAULT;

CREATE TABLE webhook_attempts (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status_code integer,
    error_class text NOT NULL,
    detail text NOT NULL DEFAULT ''::text,
    headers jsonb NOT NULL,
    response bytea NOT NULL DEFAULT '\x'::bytea,
    manual boolean NOT NULL DEFAULT false,
    late boolean NOT NULL DEFAULT false,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT webhook_attempts_duration_ms_check CHECK (duration_ms >= 0),
    CONSTRAINT webhook_attempts_error_class_check CHECK (error_class = ANY (ARRAY[''::text, 'dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'redirect'::text, 'status'::text, 'blocked'::text])),
    CONSTRAINT webhook_attempts_number_check CHECK (number >= 1)
) PARTITION BY RANGE (month);

CREATE TABLE webhook_attempts_before (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status_code integer,
    error_class text NOT NULL,
    detail text NOT NULL DEFAULT ''::text,
    headers jsonb NOT NULL,
    response bytea NOT NULL DEFAULT '\x'::bytea,
    manual boolean NOT NULL DEFAULT false,
    late boolean NOT NULL DEFAULT false,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number),
    CONSTRAINT webhook_attempts_before CHECK (month < '2026-11-01'::date),
    CONSTRAINT webhook_attempts_duration_ms_check CHECK (duration_ms >= 0),
    CONSTRAINT webhook_attempts_error_class_check CHECK (error_class = ANY (ARRAY[''::text, 'dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'redirect'::text, 'status'::text, 'blocked'::text])),
    CONSTRAINT webhook_attempts_number_check CHECK (number >= 1)
);
ALTER TABLE webhook_attempts ATTACH PARTITION webhook_attempts_before FOR VALUES FROM (MINVALUE) TO ('2026-11-01');

CREATE TABLE webhook_attempts_other (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status_code integer,
    error_class text NOT NULL,
    detail text NOT NULL DEFAULT ''::text,
    headers jsonb NOT NULL,
    response bytea NOT NULL DEFAULT '\x'::bytea,
    manual boolean NOT NULL DEFAULT false,
    late boolean NOT NULL DEFAULT false,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT webhook_attempts_other_pkey PRIMARY KEY (delivery_id, number),
    CONSTRAINT webhook_attempts_duration_ms_check CHECK (duration_ms >= 0),
    CONSTRAINT webhook_attempts_error_class_check CHECK (error_class = ANY (ARRAY[''::text, 'dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'redirect'::text, 'status'::text, 'blocked'::text])),
    CONSTRAINT webhook_attempts_number_check CHECK (number >= 1)
);
ALTER TABLE webhook_attempts ATTACH PARTITION webhook_attempts_other DEFAULT;

CREATE TABLE webhook_deliveries (
    id text NOT NULL,
    event_id text NOT NULL,
    endpoint_id text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING'::text,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    before_replay integer NOT NULL DEFAULT 0,
    undelivered boolean NOT NULL GENERATED ALWAYS AS ((status = ANY (ARRAY['FAILED'::text, 'SKIPPED'::text])) OR status = 'PENDING'::text AND attempts > 0) STORED,
    manual_attempts integer NOT NULL DEFAULT 0,
    priority smallint NOT NULL DEFAULT 2,
    leased_until timestamp with time zone,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts >= 0),
    CONSTRAINT webhook_deliveries_check CHECK (before_replay >= 0 AND before_replay <= attempts),
    CONSTRAINT webhook_deliveries_finished CHECK ((status = 'PENDING'::text) = (finished_at IS NULL)),
    CONSTRAINT webhook_deliveries_id_check CHECK (id ~ '^dlv_[0-9a-f]{24}$'::text),
    CONSTRAINT webhook_deliveries_manual CHECK (manual_attempts >= 0 AND manual_attempts <= attempts),
    CONSTRAINT webhook_deliveries_priority CHECK (priority >= 1 AND priority <= 3),
    CONSTRAINT webhook_deliveries_scheduled CHECK (status <> 'PENDING'::text OR next_attempt_at IS NOT NULL),
    CONSTRAINT webhook_deliveries_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text, 'SKIPPED'::text]))
) PARTITION BY RANGE (month);
CREATE INDEX webhook_deliveries_by_endpoint ON ONLY webhook_deliveries USING btree (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_due ON ONLY webhook_deliveries USING btree (endpoint_id, priority, next_attempt_at) WHERE status = 'PENDING'::text;
CREATE INDEX webhook_deliveries_undelivered ON ONLY webhook_deliveries USING btree (endpoint_id, created_at DESC, event_id DESC) WHERE undelivered;

CREATE TABLE webhook_deliveries_before (
    id text NOT NULL,
    event_id text NOT NULL,
    endpoint_id text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING'::text,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    before_replay integer NOT NULL DEFAULT 0,
    undelivered boolean NOT NULL GENERATED ALWAYS AS ((status = ANY (ARRAY['FAILED'::text, 'SKIPPED'::text])) OR status = 'PENDING'::text AND attempts > 0) STORED,
    manual_attempts integer NOT NULL DEFAULT 0,
    priority smallint NOT NULL DEFAULT 2,
    leased_until timestamp with time zone,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_deliveries_once UNIQUE (event_id, endpoint_id),
    CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts >= 0),
    CONSTRAINT webhook_deliveries_before CHECK (month < '2026-11-01'::date),
    CONSTRAINT webhook_deliveries_check CHECK (before_replay >= 0 AND before_replay <= attempts),
    CONSTRAINT webhook_deliveries_finished CHECK ((status = 'PENDING'::text) = (finished_at IS NULL)),
    CONSTRAINT webhook_deliveries_id_check CHECK (id ~ '^dlv_[0-9a-f]{24}$'::text),
    CONSTRAINT webhook_deliveries_manual CHECK (manual_attempts >= 0 AND manual_attempts <= attempts),
    CONSTRAINT webhook_deliveries_priority CHECK (priority >= 1 AND priority <= 3),
    CONSTRAINT webhook_deliveries_scheduled CHECK (status <> 'PENDING'::text OR next_attempt_at IS NOT NULL),
    CONSTRAINT webhook_deliveries_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text, 'SKIPPED'::text])),
    CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
    CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events_before(id)
) WITH (fillfactor=45, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_before FOR VALUES FROM (MINVALUE) TO ('2026-11-01');
CREATE INDEX webhook_deliveries_before_by_endpoint ON webhook_deliveries_before USING btree (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_before_due ON webhook_deliveries_before USING btree (endpoint_id, priority, next_attempt_at) WHERE status = 'PENDING'::text;
CREATE INDEX webhook_deliveries_before_undelivered ON webhook_deliveries_before USING btree (endpoint_id, created_at DESC, event_id DESC) WHERE undelivered;

CREATE TABLE webhook_deliveries_other (
    id text NOT NULL,
    event_id text NOT NULL,
    endpoint_id text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING'::text,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    before_replay integer NOT NULL DEFAULT 0,
    undelivered boolean NOT NULL GENERATED ALWAYS AS ((status = ANY (ARRAY['FAILED'::text, 'SKIPPED'::text])) OR status = 'PENDING'::text AND attempts > 0) STORED,
    manual_attempts integer NOT NULL DEFAULT 0,
    priority smallint NOT NULL DEFAULT 2,
    leased_until timestamp with time zone,
    month date NOT NULL DEFAULT '2000-01-01'::date,
    CONSTRAINT webhook_deliveries_other_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_deliveries_once_other UNIQUE (event_id, endpoint_id),
    CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts >= 0),
    CONSTRAINT webhook_deliveries_check CHECK (before_replay >= 0 AND before_replay <= attempts),
    CONSTRAINT webhook_deliveries_finished CHECK ((status = 'PENDING'::text) = (finished_at IS NULL)),
    CONSTRAINT webhook_deliveries_id_check CHECK (id ~ '^dlv_[0-9a-f]{24}$'::text),
    CONSTRAINT webhook_deliveries_manual CHECK (manual_attempts >= 0 AND manual_attempts <= attempts),
    CONSTRAINT webhook_deliveries_priority CHECK (priority >= 1 AND priority <= 3),
    CONSTRAINT webhook_deliveries_scheduled CHECK (status <> 'PENDING'::text OR next_attempt_at IS NOT NULL),
    CONSTRAINT webhook_deliveries_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text, 'SKIPPED'::text])),
    CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
    CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events_other(id)
) WITH (fillfactor=45, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_other DEFAULT;
CREATE INDEX webhook_deliveries_other_endpoint_id_created_at_event_id_idx ON webhook_deliveries_other USING btree (endpoint_id, created_at DESC, event_id DESC) WHERE undelivered;
CREATE INDEX webhook_deliveries_other_endpoint_id_created_at_id_idx ON webhook_deliveries_other USING btree (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_other_endpoint_id_priority_next_attempt__idx ON webhook_deliveries_other USING btree (endpoint_id, priority, next_attempt_at) WHERE status = 'PENDING'::text;

CREATE TABLE webhook_endpoints (
    id text NOT NULL,
    project_id text NOT NULL,
    livemode boolean NOT NULL,
    url text NOT NULL,
    description text NOT NULL DEFAULT ''::text,
    types text[] NOT NULL,
    secret bytea NOT NULL,
    active boolean NOT NULL DEFAULT true,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    previous_secret bytea,
    previous_secret_until timestamp with time zone,
    failing_since timestamp with time zone,
    troubled_at timestamp with time zone,
    failed_events integer NOT NULL DEFAULT 0,
    failure_told_at timestamp with time zone,
    disabled_at timestamp with time zone,
    disabled_reason text,
    CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_endpoints_description_check CHECK (char_length(description) <= 200),
    CONSTRAINT webhook_endpoints_disabled CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL) AND (disabled_at IS NULL OR NOT active)),
    CONSTRAINT webhook_endpoints_disabled_reason_check CHECK (disabled_reason = ANY (ARRAY['failing'::text, 'gone'::text])),
    CONSTRAINT webhook_endpoints_failed_events_check CHECK (failed_events >= 0),
    CONSTRAINT webhook_endpoints_id_check CHECK (id ~ '^we_[0-9a-f]{20}$'::text),
    CONSTRAINT webhook_endpoints_rotated CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CONSTRAINT webhook_endpoints_types_check CHECK (cardinality(types) > 0),
    CONSTRAINT webhook_endpoints_url_check CHECK (char_length(url) >= 1 AND char_length(url) <= 2048),
    CONSTRAINT webhook_endpoints_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX webhook_endpoints_by_project ON webhook_endpoints USING btree (project_id, livemode) WHERE deleted_at IS NULL;
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints USING btree (id) WHERE deleted_at IS NULL AND (active AND troubled_at IS NOT NULL OR disabled_at IS NOT NULL);

CREATE TABLE webhook_resends (
    delivery_id text NOT NULL,
    token bytea NOT NULL,
    endpoint_id text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    leased_until timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT webhook_resends_pkey PRIMARY KEY (delivery_id, token),
    CONSTRAINT webhook_resends_token CHECK (octet_length(token) = 32),
    CONSTRAINT webhook_resends_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id)
);
CREATE INDEX webhook_resends_due ON webhook_resends USING btree (endpoint_id, requested_at) WHERE finished_at IS NULL;
CREATE INDEX webhook_resends_finished ON webhook_resends USING btree (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE withdrawal_returns (
    id text NOT NULL,
    withdrawal_id text NOT NULL,
    return_id text,
    bank_return_id text,
    amount bigint NOT NULL,
    returned_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    created_by text,
    CONSTRAINT withdrawal_returns_pkey PRIMARY KEY (id),
    CONSTRAINT withdrawal_returns_amount CHECK (amount > 0),
    CONSTRAINT withdrawal_returns_bank_return_id CHECK (char_length(bank_return_id) >= 1 AND char_length(bank_return_id) <= 64),
    CONSTRAINT withdrawal_returns_id CHECK (id ~ '^wrt_[0-9a-f]{20}$'::text),
    CONSTRAINT withdrawal_returns_known CHECK (created_by IS NOT NULL OR num_nulls(return_id, bank_return_id) < 2),
    CONSTRAINT withdrawal_returns_return_id CHECK (char_length(return_id) >= 1 AND char_length(return_id) <= 64),
    CONSTRAINT withdrawal_returns_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
    CONSTRAINT withdrawal_returns_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id)
);
CREATE INDEX withdrawal_returns_of ON withdrawal_returns USING btree (withdrawal_id, recorded_at);
CREATE UNIQUE INDEX withdrawal_returns_once ON withdrawal_returns USING btree (return_id);
CREATE UNIQUE INDEX withdrawal_returns_once_each ON withdrawal_returns USING btree (withdrawal_id, bank_return_id);
CREATE TRIGGER withdrawal_returns_final BEFORE DELETE OR UPDATE OR TRUNCATE ON withdrawal_returns FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawal_returns_within AFTER INSERT ON withdrawal_returns FOR EACH ROW EXECUTE FUNCTION withdrawal_returns_within();

CREATE TABLE withdrawals (
    id text NOT NULL,
    account_id text NOT NULL,
    livemode boolean NOT NULL DEFAULT true,
    rail text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING_REVIEW'::text,
    version integer NOT NULL DEFAULT 1,
    amount bigint NOT NULL,
    fee bigint NOT NULL,
    destination_id text NOT NULL,
    requested_by text NOT NULL,
    quote_rate bigint,
    quote_amount bigint,
    quote_expires_at timestamp with time zone,
    approval_rate bigint,
    approval_amount bigint,
    approval_expires_at timestamp with time zone,
    first_approved_by text,
    first_approved_at timestamp with time zone,
    approved_by text,
    approved_at timestamp with time zone,
    end_to_end_id text,
    tx_hash text,
    failure_code text,
    reason text,
    created_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT withdrawals_pkey PRIMARY KEY (id),
    CONSTRAINT withdrawals_end_to_end_id_unique UNIQUE (end_to_end_id),
    CONSTRAINT withdrawals_tx_hash_unique UNIQUE (tx_hash),
    CONSTRAINT withdrawals_amount_check CHECK (amount > 0),
    CONSTRAINT withdrawals_approval_amount_check CHECK (approval_amount > 0),
    CONSTRAINT withdrawals_approval_rate_check CHECK (approval_rate > 0),
    CONSTRAINT withdrawals_approved CHECK ((status <> ALL (ARRAY['PENDING_REVIEW'::text, 'CANCELLED'::text, 'REJECTED'::text])) = (approved_at IS NOT NULL) AND (approved_at IS NULL) = (approved_by IS NULL)),
    CONSTRAINT withdrawals_check CHECK (fee >= 0 AND fee < amount),
    CONSTRAINT withdrawals_completed CHECK ((status = ANY (ARRAY['COMPLETED'::text, 'RETURNED'::text])) = (completed_at IS NOT NULL)),
    CONSTRAINT withdrawals_end_to_end_id_check CHECK (char_length(end_to_end_id) >= 1 AND char_length(end_to_end_id) <= 64),
    CONSTRAINT withdrawals_id_check CHECK (id ~ '^wdr_[0-9a-f]{20}$'::text),
    CONSTRAINT withdrawals_live_only CHECK (livemode),
    CONSTRAINT withdrawals_proof CHECK (completed_at IS NULL OR
        CASE rail
            WHEN 'BRL_PIX'::text THEN end_to_end_id IS NOT NULL
            ELSE tx_hash IS NOT NULL
        END),
    CONSTRAINT withdrawals_quote_amount_check CHECK (quote_amount > 0),
    CONSTRAINT withdrawals_quote_rate_check CHECK (quote_rate > 0),
    CONSTRAINT withdrawals_quoted CHECK (num_nulls(quote_rate, quote_amount, quote_expires_at) =
        CASE rail
            WHEN 'USDT_WALLET'::text THEN 0
            ELSE 3
        END),
    CONSTRAINT withdrawals_rail_check CHECK (rail = ANY (ARRAY['BRL_PIX'::text, 'USDT_WALLET'::text])),
    CONSTRAINT withdrawals_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 500),
    CONSTRAINT withdrawals_refused CHECK ((status <> ALL (ARRAY['REJECTED'::text, 'FAILED'::text, 'RETURNED'::text])) OR failure_code IS NOT NULL AND reason IS NOT NULL),
    CONSTRAINT withdrawals_requoted CHECK ((num_nulls(approval_rate, approval_amount, approval_expires_at) = ANY (ARRAY[0, 3])) AND (rail = 'USDT_WALLET'::text OR approval_rate IS NULL)),
    CONSTRAINT withdrawals_status_check CHECK (status = ANY (ARRAY['PENDING_REVIEW'::text, 'CANCELLED'::text, 'REJECTED'::text, 'APPROVED'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'FAILED'::text, 'RETURNED'::text])),
    CONSTRAINT withdrawals_two_people CHECK (first_approved_by <> approved_by),
    CONSTRAINT withdrawals_tx_hash_check CHECK (char_length(tx_hash) >= 1 AND char_length(tx_hash) <= 100),
    CONSTRAINT withdrawals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
    CONSTRAINT withdrawals_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES users(id),
    CONSTRAINT withdrawals_destination_id_fkey FOREIGN KEY (destination_id) REFERENCES destinations(id),
    CONSTRAINT withdrawals_first_approved_by_fkey FOREIGN KEY (first_approved_by) REFERENCES users(id)
);
CREATE INDEX withdrawals_by_destination ON withdrawals USING btree (destination_id, created_at DESC);
CREATE INDEX withdrawals_by_page ON withdrawals USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX withdrawals_by_status ON withdrawals USING btree (status, created_at, id);
CREATE INDEX withdrawals_by_update ON withdrawals USING btree (updated_at);
CREATE TRIGGER withdrawals_transition BEFORE UPDATE ON withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawals_transition();

CREATE TABLE wrong_codes (
    user_id text NOT NULL,
    day date NOT NULL,
    tries integer NOT NULL,
    CONSTRAINT wrong_codes_pkey PRIMARY KEY (user_id),
    CONSTRAINT wrong_codes_tries_check CHECK (tries > 0),
    CONSTRAINT wrong_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX wrong_codes_by_day ON wrong_codes USING btree (day);

CREATE OR REPLACE FUNCTION public.access_requests_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    sealing CONSTANT text[] := '{legal_name,document,contact_name,contact_email,answers,document_digest,email_digest}';
    ending CONSTANT text[] := '{answers,document_digest,email_digest,contact_phone}';
BEGIN
    IF OLD.answers IS NULL AND NEW.answers IS NOT NULL AND OLD.document <> OLD.id
        AND to_jsonb(NEW) - sealing = to_jsonb(OLD) - sealing THEN
        RETURN NEW;
    END IF;
    IF OLD.answers IS NOT NULL AND NEW.answers IS NULL AND OLD.status NOT IN ('PENDING_REVIEW', 'APPROVED')
        AND to_jsonb(NEW) - ending = to_jsonb(OLD) - ending THEN
        RETURN NEW;
    END IF;
    IF NOT (OLD.status, NEW.status) IN (('PENDING_REVIEW', 'PENDING_REVIEW'), ('PENDING_REVIEW', 'WITHDRAWN'), ('PENDING_REVIEW', 'APPROVED'),
        ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'RETURNED'), ('APPROVED', 'REVOKED')) OR NEW.version <> OLD.version + 1 THEN
        RAISE EXCEPTION 'a request does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_transition';
    END IF;
    IF to_jsonb(NEW) - '{status,version,updated_at}'::text[] <> to_jsonb(OLD) - '{status,version,updated_at}'::text[] THEN
        RAISE EXCEPTION 'what was answered does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_pinned';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.account_keeps_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NOT EXISTS (SELECT FROM members WHERE account_id = OLD.account_id AND role = 'OWNER') THEN
        RAISE EXCEPTION 'account % would have no owner', OLD.account_id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'members_keep_owner';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.account_terms(account text, moment timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    fee   bigint[];
    delay bigint;
BEGIN
    SELECT CASE WHEN f.fixed IS NOT NULL THEN ARRAY[f.basis_points, f.fixed] END INTO fee
        FROM account_fees f WHERE f.account_id = account AND f.valid_from <= moment ORDER BY f.id DESC LIMIT 1;
    IF fee IS NULL THEN
        SELECT ARRAY[d.basis_points, d.fixed] INTO fee
            FROM default_fees d WHERE d.valid_from <= moment ORDER BY d.id DESC LIMIT 1;
    END IF;
    SELECT l.settlement_delay INTO delay
        FROM account_limits l WHERE l.account_id = account AND l.valid_from <= moment ORDER BY l.id DESC LIMIT 1;
    RETURN fee || delay;
END $function$
;

CREATE OR REPLACE FUNCTION public.bank_accounts_closed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF EXISTS (SELECT FROM bank_charges WHERE bank_account_id = NEW.id AND next_check_at IS NOT NULL)
        OR EXISTS (SELECT FROM refunds r JOIN payments p ON p.id = r.payment_id
            WHERE r.next_try_at IS NOT NULL AND p.bank_account_id = NEW.id)
        OR EXISTS (SELECT FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
            WHERE x.return_next_try_at IS NOT NULL AND p.bank_account_id = NEW.id)
        OR EXISTS (SELECT FROM payout_attempts WHERE bank_account_id = NEW.id AND ended_at IS NULL)
        OR EXISTS (SELECT FROM disputes WHERE bank_account_id = NEW.id AND status IN ('OPEN', 'DEFENDED', 'ACCEPTED')) THEN
        RAISE EXCEPTION 'a bank account with open charges or refunds cannot be closed'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_accounts_closed';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.bank_accounts_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.id, NEW.profile, NEW.sandbox, NEW.pix_key, NEW.holder_document, NEW.created_by, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.profile, OLD.sandbox, OLD.pix_key, OLD.holder_document, OLD.created_by, OLD.created_at)
        OR NEW.status <> OLD.status
        AND (OLD.status, NEW.status) NOT IN (('DRAFT', 'ACTIVE'), ('DRAFT', 'CLOSED'), ('ACTIVE', 'RETIRING'),
            ('RETIRING', 'ACTIVE'), ('RETIRING', 'CLOSED')) THEN
        RAISE EXCEPTION 'a bank account goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_accounts_transition';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.bank_charges_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.txid, NEW.bank_account_id, NEW.project_id, NEW.checkout_id, NEW.generation, NEW.amount, NEW.expiration, NEW.created_at)
        IS DISTINCT FROM (OLD.txid, OLD.bank_account_id, OLD.project_id, OLD.checkout_id, OLD.generation, OLD.amount, OLD.expiration, OLD.created_at)
        OR NEW.status <> OLD.status
        AND (OLD.status, NEW.status) NOT IN (
            ('CREATING', 'OPEN'), ('CREATING', 'REMOVING'), ('CREATING', 'CONFLICT'),
            ('OPEN', 'PAID'), ('OPEN', 'REMOVING'), ('OPEN', 'REMOVED'), ('OPEN', 'LAPSED'),
            ('REMOVING', 'REMOVED'), ('REMOVING', 'REFUSED'), ('REMOVING', 'PAID'), ('REMOVING', 'LAPSED'),
            ('LAPSED', 'REMOVED'), ('LAPSED', 'PAID'), ('REMOVED', 'PAID'), ('REFUSED', 'PAID')) THEN
        RAISE EXCEPTION 'a charge goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_charges_transition';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.bank_credentials_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.id, NEW.bank_account_id, NEW.client_id, NEW.subject, NEW.fingerprint, NEW.expires_at, NEW.created_by, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.bank_account_id, OLD.client_id, OLD.subject, OLD.fingerprint, OLD.expires_at, OLD.created_by, OLD.created_at)
        OR NEW.status <> OLD.status
        AND (OLD.status, NEW.status) NOT IN (('NEW', 'ACTIVE'), ('NEW', 'RETIRED'), ('ACTIVE', 'RETIRED'))
        OR OLD.approved_at IS NOT NULL
        AND (NEW.approved_by, NEW.approved_at) IS DISTINCT FROM (OLD.approved_by, OLD.approved_at) THEN
        RAISE EXCEPTION 'credentials go from % to % or become others', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_credentials_transition';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.charging_bank_account(project text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
    RETURN (SELECT b.id FROM projects j JOIN bank_accounts b
            ON b.status = 'ACTIVE' AND coalesce(b.account_id, '') IN (j.account_id, '')
        WHERE j.id = project ORDER BY b.account_id NULLS LAST LIMIT 1);
END $function$
;

CREATE OR REPLACE FUNCTION public.checkout_vector(project_id text, livemode boolean, customer_name text, external_id text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
    mark text := search_mark(project_id, livemode);
    words text[] := '{}';
    rest text;
BEGIN
    FOREACH rest IN ARRAY regexp_split_to_array(folded(external_id || ' ' || coalesce(customer_name, '')), '\s+') LOOP
        FOR n IN 1..5 LOOP
            EXIT WHEN rest IS NULL OR length(rest) < 3 OR cardinality(words) >= 20;
            words := words || (mark || left(rest, 40));
            rest := substring(rest FROM '[!-/:-@\[-`{-~]+([^!-/:-@\[-`{-~].*)$');
        END LOOP;
    END LOOP;
    RETURN array_to_tsvector(words);
END
$function$
;

CREATE OR REPLACE FUNCTION public.checkouts_change_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM FROM checkout_words_until FOR SHARE;
    UPDATE checkout_words
    SET words = checkout_vector(NEW.project_id, NEW.livemode, NEW.customer_name, NEW.external_id)
    WHERE checkout_id = NEW.id;
    RETURN NULL;
END
$function$
;

CREATE OR REPLACE FUNCTION public.checkouts_customer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    sealed boolean := OLD.document_digest IS NOT NULL;
    left_id text;
BEGIN
    PERFORM FROM customers_until FOR SHARE;
    DELETE FROM customers WHERE checkout_id = OLD.id;
    IF FOUND THEN
        SELECT m.id INTO left_id FROM (
            SELECT c.id, c.created_at FROM checkouts c
            WHERE c.project_id = OLD.project_id AND c.livemode = OLD.livemode
                AND c.document_digest = OLD.document_digest
            UNION ALL SELECT c.id, c.created_at FROM checkouts c
            WHERE c.project_id = OLD.project_id AND c.livemode = OLD.livemode
                AND lower(c.customer_email) COLLATE "C" = CASE WHEN NOT sealed THEN lower(OLD.customer_email) END
                AND c.document_digest IS NULL AND c.customer_document IS NULL
            UNION ALL SELECT c.id, c.created_at FROM checkouts c
            WHERE c.project_id = OLD.project_id AND c.livemode = OLD.livemode AND lower(c.customer_name) COLLATE "C" =
                    CASE WHEN NOT sealed AND OLD.customer_email IS NULL THEN lower(OLD.customer_name) END
                AND c.document_digest IS NULL AND c.customer_document IS NULL AND c.customer_email IS NULL
        ) m ORDER BY m.created_at DESC, m.id DESC LIMIT 1;
    END IF;
    INSERT INTO customers (project_id, livemode, key, checkout_id, last_at, name, email)
    SELECT DISTINCT ON (n.key) c.project_id, c.livemode, n.key, c.id, c.created_at, c.customer_name, c.customer_email
    FROM checkouts c CROSS JOIN LATERAL (SELECT customer_key(c.document_digest, c.customer_document, c.customer_email,
        c.customer_name) AS key) n
    WHERE c.id IN (NEW.id, left_id) AND n.key IS NOT NULL ORDER BY n.key, c.created_at DESC, c.id DESC
    ON CONFLICT (project_id, livemode, key) DO UPDATE SET checkout_id = EXCLUDED.checkout_id,
        last_at = EXCLUDED.last_at, name = EXCLUDED.name, email = EXCLUDED.email
    WHERE (EXCLUDED.last_at, EXCLUDED.checkout_id) > (customers.last_at, customers.checkout_id);
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.checkouts_settle_posted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NEW.settlement_amount IS DISTINCT FROM (SELECT coalesce(sum(amount), 0) FROM ledger_transfers
        WHERE fact = 'settlement/' || NEW.id AND (to_book LIKE '%/available' OR to_book LIKE 'platform/%/paid_out')) THEN
        RAISE EXCEPTION 'the settlement of % was not posted', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'checkouts_settle_posted';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.customer_key(document_digest bytea, plain_document text, email text, name text)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT CASE
        WHEN document_digest IS NOT NULL THEN document_digest
        WHEN plain_document IS NOT NULL THEN NULL
        WHEN email IS NOT NULL THEN sha256(convert_to('email/' || lower(email), 'UTF8'))
        WHEN name IS NOT NULL THEN sha256(convert_to('name/' || lower(name), 'UTF8'))
    END
$function$
;

CREATE OR REPLACE FUNCTION public.destinations_keep_address()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.id, NEW.account_id, NEW.rail, NEW.type, NEW.address, NEW.digest) IS DISTINCT FROM
        (OLD.id, OLD.account_id, OLD.rail, OLD.type, OLD.address, OLD.digest) THEN
        RAISE EXCEPTION 'a destination never becomes another' USING ERRCODE = 'check_violation', CONSTRAINT = 'destinations_keep_address';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.disputes_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE rest bigint;
BEGIN
    IF (NEW.id, NEW.bank_account_id, NEW.payment_id, NEW.account_id, NEW.livemode, NEW.amount, NEW.opened_by, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.bank_account_id, OLD.payment_id, OLD.account_id, OLD.livemode, OLD.amount, OLD.opened_by, OLD.created_at)
        OR NEW.blocked < OLD.blocked OR NEW.short NOT BETWEEN OLD.short AND OLD.short + NEW.blocked - OLD.blocked
        OR NEW.blocked > OLD.blocked AND (OLD.closed_at IS NOT NULL OR NEW.closed_at IS NOT NULL)
        OR OLD.defense_at IS NOT NULL AND (NEW.defense, NEW.defense_by, NEW.defense_at)
            IS DISTINCT FROM (OLD.defense, OLD.defense_by, OLD.defense_at)
        OR OLD.released > 0 AND NEW.released <> OLD.released
        OR NEW.bank_ref <> OLD.bank_ref AND NOT starts_with(OLD.bank_ref, 'return/')
        OR NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (('OPEN', 'DEFENDED'), ('OPEN', 'ACCEPTED'), ('OPEN', 'WON'),
            ('OPEN', 'LOST'), ('DEFENDED', 'WON'), ('DEFENDED', 'LOST'), ('ACCEPTED', 'WON'), ('ACCEPTED', 'LOST'), ('WON', 'LOST')) THEN
        RAISE EXCEPTION 'a dispute goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'disputes_transition';
    END IF;
    IF NEW.released <> OLD.released OR NEW.status <> OLD.status AND NEW.status = 'WON' THEN
        SELECT NEW.blocked - NEW.released - coalesce(sum(from_blocked), 0) INTO rest FROM refunds WHERE dispute_id = NEW.id;
        IF rest <> 0 OR NEW.closed_at IS NULL THEN
            RAISE EXCEPTION 'the whole rest of a closed dispute is released' USING ERRCODE = 'check_violation', CONSTRAINT = 'disputes_released';
        END IF;
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.drop_answer_month(suffix text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
 SET lock_timeout TO '50ms'
AS $function$
BEGIN
    IF suffix ~ '^[0-9]{4}_[0-9]{2}$' THEN
        EXECUTE format('DROP TABLE IF EXISTS %I', 'webhook_answers_' || suffix);
    END IF;
END $function$
;

CREATE OR REPLACE FUNCTION public.drop_call_week(suffix text, since timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '50ms'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
    name text := 'api_requests_' || suffix;
    needed boolean;
BEGIN
    IF suffix !~ '^(before|[0-9]{4}_[0-9]{2}_[0-9]{2})$' OR to_regclass(name) IS NULL
        OR (SELECT last_value FROM api_requests_id_seq) < (CASE suffix WHEN 'before' THEN 1000000000000000
            ELSE first_id_from(to_date(suffix, 'YYYY_MM_DD') + 7) END)
    THEN
        RETURN false;
    END IF;
    -- What took an id before the week was over has ended when this lock is there. The times are in api_requests_by_time.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', name);
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE at >= $1)', name) INTO needed USING since;
    IF needed THEN
        RETURN false;
    END IF;
    LOCK TABLE ONLY api_requests IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('DROP TABLE %I', name);
    RETURN true;
END $function$
;

CREATE OR REPLACE FUNCTION public.drop_event_month(suffix text, since timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
 SET lock_timeout TO '50ms'
AS $function$
DECLARE
    to_deliver text := format('SELECT EXISTS (SELECT FROM %1$I WHERE status = ''PENDING'') OR EXISTS (
        SELECT FROM webhook_resends r JOIN %1$I d ON d.id = r.delivery_id WHERE r.finished_at IS NULL)',
        'webhook_deliveries_' || suffix);
    needed boolean;
BEGIN
    IF suffix !~ '^(before|[0-9]{4}_[0-9]{2})$' OR to_regclass('events_' || suffix) IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE to_deliver INTO needed;
    IF needed THEN
        RETURN false;
    END IF;
    -- No event is added to the month from here on, so that the longest look needs no other lock.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', 'events_' || suffix);
    EXECUTE format('SELECT EXISTS (SELECT FROM projects p WHERE EXISTS (
            SELECT FROM %1$I v WHERE v.project_id = p.id AND v.livemode AND v.created_at >= $1)
        OR EXISTS (SELECT FROM %1$I v WHERE v.project_id = p.id AND NOT v.livemode AND v.created_at >= $1))',
        'events_' || suffix) INTO needed USING since;
    IF needed THEN
        RETURN false;
    END IF;
    LOCK TABLE projects, checkouts, withdrawals, refunds, webhook_endpoints IN ACCESS EXCLUSIVE MODE;
    LOCK TABLE events, webhook_deliveries, webhook_attempts, webhook_resends IN ACCESS EXCLUSIVE MODE;
    EXECUTE to_deliver INTO needed; -- asked for meanwhile
    IF needed THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %I, %I, %I', 'webhook_attempts_' || suffix, 'webhook_deliveries_' || suffix,
        'events_' || suffix);
    RETURN true;
END $function$
;

CREATE OR REPLACE FUNCTION public.fee_proposals_decided_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF OLD.status <> 'PENDING' OR NEW.status = 'PENDING'
        OR (NEW.id, NEW.account_id, NEW.basis_points, NEW.fixed, NEW.withdrawal_basis_points, NEW.withdrawal_fixed,
            NEW.starts_at, NEW.reason, NEW.proposed_by, NEW.proposed_at)
        IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.basis_points, OLD.fixed, OLD.withdrawal_basis_points, OLD.withdrawal_fixed,
            OLD.starts_at, OLD.reason, OLD.proposed_by, OLD.proposed_at) THEN
        RAISE EXCEPTION 'a proposal is decided once and never becomes another'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'fee_proposals_decided_once';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.first_id_from(day date)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT (day - date '1970-01-01') * 100000000000::bigint $function$
;

CREATE OR REPLACE FUNCTION public.folded(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
SELECT translate(lower($1), 'áàâãäéèêëíìîïóòôõöúùûüçñ', 'aaaaaeeeeiiiiooooouuuucn')
$function$
;

CREATE OR REPLACE FUNCTION public.ledger_changes(of_book text, after_id bigint, until_id bigint)
 RETURNS TABLE(id bigint, amount bigint)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT e.id, e.amount FROM ledger_entries(of_book, after_id, until_id) e
$function$
;

CREATE OR REPLACE FUNCTION public.ledger_entries(of_book text, after_id bigint, until_id bigint)
 RETURNS TABLE(id bigint, other text, amount bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT l.to_book AS book, l.id, l.from_book AS other, l.amount FROM ledger_transfers l
            WHERE (l.to_book, l.id) > (of_book, after_id) ORDER BY l.to_book, l.id LOOP
        EXIT WHEN t.book <> of_book OR t.id > until_id;
        id := t.id; other := t.other; amount := t.amount;
        RETURN NEXT;
    END LOOP;
    FOR t IN SELECT l.from_book AS book, l.id, l.to_book AS other, l.amount FROM ledger_transfers l
            WHERE (l.from_book, l.id) > (of_book, after_id) ORDER BY l.from_book, l.id LOOP
        EXIT WHEN t.book <> of_book OR t.id > until_id;
        id := t.id; other := t.other; amount := -t.amount;
        RETURN NEXT;
    END LOOP;
END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_lines(of_book text, incoming boolean, low bigint, high bigint, since timestamp with time zone, until timestamp with time zone, others text[], among boolean, most bigint)
 RETURNS SETOF ledger_transfers
 LANGUAGE plpgsql
 STABLE STRICT
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    t ledger_transfers;
    found bigint := 0;
BEGIN
    IF incoming THEN
        FOR t IN SELECT * FROM ledger_transfers l WHERE (l.to_book, l.id) < (of_book, high)
                ORDER BY l.to_book DESC, l.id DESC LOOP
            EXIT WHEN t.to_book <> of_book OR t.id <= low OR found >= most;
            CONTINUE WHEN t.recorded_at < since OR t.recorded_at >= until OR (t.from_book = ANY (others)) <> among;
            found := found + 1;
            RETURN NEXT t;
        END LOOP;
    ELSE
        FOR t IN SELECT * FROM ledger_transfers l WHERE (l.from_book, l.id) < (of_book, high)
                ORDER BY l.from_book DESC, l.id DESC LOOP
            EXIT WHEN t.from_book <> of_book OR t.id <= low OR found >= most;
            CONTINUE WHEN t.recorded_at < since OR t.recorded_at >= until OR (t.to_book = ANY (others)) <> among;
            found := found + 1;
            RETURN NEXT t;
        END LOOP;
    END IF;
END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_moved(of_book text, after_id bigint, until_id bigint)
 RETURNS TABLE(other text, amount bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    IF until_id < 9223372036854775807 THEN
        RETURN QUERY SELECT m.other, sum(m.amount)::bigint FROM ledger_entries(of_book, after_id, until_id) m
            GROUP BY m.other;
        RETURN;
    END IF;
    RETURN QUERY SELECT m.other, sum(m.amount)::bigint FROM (
        SELECT t.from_book AS other, t.amount FROM ledger_transfers t
        WHERE (t.to_book, t.id) > (of_book, after_id) AND (t.to_book, t.id) <= (of_book, until_id)
        UNION ALL
        SELECT t.to_book, -t.amount FROM ledger_transfers t
        WHERE (t.from_book, t.id) > (of_book, after_id) AND (t.from_book, t.id) <= (of_book, until_id)) m
    GROUP BY m.other;
END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_no_overdraft()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    facts   text[];
    books   text[];
    amounts bigint[];
    alone   boolean[];
    spent   text[];
    wrong   text;
    account record;
BEGIN
    -- What a fact gives a book covers what it takes from it: nothing of a payment is left.
    SELECT array_agg(fact), array_agg(book), array_agg(-net), array_agg(first), array_agg(DISTINCT book) FILTER (WHERE book NOT LIKE '%/pending')
        INTO facts, books, amounts, alone, spent
        FROM (SELECT fact, book, sum(amount) AS net, bool_and(line = 0) AS first FROM (
                SELECT fact, line, to_book AS book, amount FROM posted WHERE starts_with(to_book, 'acc_')
                UNION ALL
                SELECT fact, line, from_book, -amount FROM posted WHERE starts_with(from_book, 'acc_')) moved
            GROUP BY fact, book HAVING sum(amount) < 0) taken;
    IF facts IS NULL THEN
        RETURN NULL;
    END IF;
    wrong := ledger_unbacked(facts, books, amounts, alone);
    IF wrong IS NULL AND spent IS NOT NULL THEN
        FOR account IN SELECT DISTINCT split_part(book, '/', 1) AS id, split_part(book, '/', 2) = 'live' AS livemode
            FROM unnest(spent) AS book ORDER BY 1, 2 LOOP
            UPDATE account_books SET spendings = spendings + 1 WHERE account_id = account.id AND livemode = account.livemode;
            IF NOT FOUND THEN
                INSERT INTO account_books (account_id, livemode, spendings) VALUES (account.id, account.livemode, 1)
                    ON CONFLICT (account_id, livemode) DO UPDATE SET spendings = account_books.spendings + 1;
            END IF;
        END LOOP;
        wrong := ledger_overdrawn(spent); -- a later statement sees what those before have spent
        IF wrong IS NULL AND EXISTS (SELECT FROM posted WHERE id <= (SELECT max(through_id) FROM ledger_snapshots)) THEN
            wrong := 'an id that is over';
        END IF;
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'more is taken than is there: %', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_no_overdraft', TABLE = 'ledger_transfers';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_overdrawn(books text[])
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT b.book FROM unnest(books) AS b (book)
    LEFT JOIN LATERAL (SELECT * FROM ledger_snapshots WHERE account_id = split_part(b.book, '/', 1)
        AND livemode = (split_part(b.book, '/', 2) = 'live') ORDER BY through_id DESC LIMIT 1) s ON true
    WHERE coalesce(CASE split_part(b.book, '/', 3) WHEN 'available' THEN s.available WHEN 'reserved' THEN s.reserved ELSE s.blocked END, 0)
        + (SELECT coalesce(sum(m.amount), 0) FROM ledger_moved(b.book, coalesce(s.through_id, 0), 9223372036854775807) m)
        + CASE WHEN b.book LIKE '%/available' THEN (SELECT coalesce(sum(r.short), 0) FROM refunds r
            WHERE r.account_id = split_part(b.book, '/', 1) AND r.livemode = (split_part(b.book, '/', 2) = 'live')
                AND r.short > 0 AND r.status <> 'FAILED') + (SELECT coalesce(sum(greatest(d.short - d.released, 0)), 0) FROM disputes d
            WHERE d.account_id = split_part(b.book, '/', 1) AND d.livemode = (split_part(b.book, '/', 2) = 'live')
                AND d.short > 0) ELSE 0 END < 0
    LIMIT 1
$function$
;

CREATE OR REPLACE FUNCTION public.ledger_own_bank()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    subject text := split_part(NEW.fact, '/', 2);
    owner   text;
BEGIN
    CASE split_part(NEW.fact, '/', 1)
        WHEN 'settlement' THEN
            SELECT b.account_id INTO owner FROM payments p JOIN bank_accounts b ON b.id = p.bank_account_id
                WHERE p.checkout_id = subject AND p.settles;
        WHEN 'refund' THEN
            SELECT b.account_id INTO owner FROM refunds r JOIN payments p ON p.id = r.payment_id
                JOIN bank_accounts b ON b.id = p.bank_account_id WHERE r.id = subject;
        WHEN 'exception' THEN
            SELECT b.account_id INTO owner FROM payments p JOIN bank_accounts b ON b.id = p.bank_account_id
                WHERE p.id = subject;
        ELSE
    END CASE;
    IF NEW.from_book LIKE '%/available' OR NEW.to_book LIKE '%/available' THEN
        IF owner IS NULL THEN
            RETURN NULL;
        END IF;
    ELSIF owner || '/live/pending' IN (NEW.from_book, NEW.to_book) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'money goes where it is not: %', NEW.fact
        USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_own_bank', TABLE = 'ledger_transfers';
END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_snapshots_thinned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    -- Triples are compared and sorted, because only the primary key can do that; OFFSET 0 keeps it one text a row.
    IF EXISTS (SELECT FROM gone g
        CROSS JOIN LATERAL (SELECT CASE WHEN g.taken_at < now() - interval '400 days' THEN 'month'
            WHEN g.taken_at < now() - interval '32 days' THEN 'day'
            WHEN g.taken_at < now() - interval '1 day' THEN 'hour' END AS period OFFSET 0) may
        LEFT JOIN LATERAL (SELECT s.* FROM ledger_snapshots s
            WHERE (s.account_id, s.livemode, s.through_id) > (g.account_id, g.livemode, g.through_id)
            ORDER BY s.account_id, s.livemode, s.through_id LIMIT 1) later ON true
        WHERE (later.account_id, later.livemode) IS DISTINCT FROM (g.account_id, g.livemode)
            OR ledger_thins(may.period, g.taken_at, g.through_id, later.taken_at, later.through_id) IS NOT true
            OR later.through_id > coalesce((SELECT max(through_id) FROM ledger_proofs), 0)
            OR EXISTS (SELECT FROM ledger_doubts WHERE kind = 'snapshot'
                AND id = g.account_id || CASE WHEN g.livemode THEN '/live/' ELSE '/test/' END || g.through_id))
    THEN
        RAISE EXCEPTION 'ledger_snapshots is append-only, but for those that a later one of the period replaces'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_thins(period text, taken_at timestamp with time zone, through_id bigint, later_at timestamp with time zone, later_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT date_trunc(period, taken_at, 'UTC') = date_trunc(period, later_at, 'UTC')
        AND through_id / 50000 = later_id / 50000
$function$
;

CREATE OR REPLACE FUNCTION public.ledger_unbacked(facts text[], books text[], amounts bigint[], alone boolean[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN (SELECT t.fact FROM unnest(facts, books, amounts, alone) AS t (fact, book, amount, alone)
        WHERE t.book LIKE '%/pending' AND NOT (t.alone AND starts_with(t.fact, 'settlement/') AND t.amount <= (
            SELECT sum(CASE t.book WHEN l.to_book THEN l.amount WHEN l.from_book THEN -l.amount END)
            FROM payments p JOIN ledger_transfers l ON l.fact = 'payment/' || p.id
            WHERE p.settles AND p.checkout_id = substr(t.fact, 12)) - (
            SELECT coalesce(sum(r.from_pending - r.back_to_pending), 0)
            FROM payments p JOIN refunds r ON r.payment_id = p.id
            WHERE p.settles AND p.checkout_id = substr(t.fact, 12))
        OR t.alone AND starts_with(t.fact, 'refund/') AND t.amount = (
            SELECT r.from_pending FROM refunds r
            WHERE r.id = substr(t.fact, 8) AND t.book = r.account_id || CASE WHEN r.livemode THEN '/live/pending' ELSE '/test/pending' END)
        ) IS TRUE
        LIMIT 1);
END $function$
;

CREATE OR REPLACE FUNCTION public.make_call_week(first date, begins boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '50ms'
AS $function$
DECLARE
    name text := 'api_requests_' || to_char(first, 'YYYY_MM_DD');
    low bigint := first_id_from(first);
    after bigint := first_id_from(first + 7);
BEGIN
    IF extract(isodow FROM first) <> 1 THEN
        RAISE EXCEPTION '% is not a Monday', first;
    END IF;
    IF first > current_date + 40 OR (SELECT last_value FROM api_requests_id_seq) >= low THEN
        RETURN;
    END IF;
    LOCK TABLE ONLY api_requests IN SHARE UPDATE EXCLUSIVE MODE; -- one caller at a time
    IF to_regclass(name) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE api_requests INCLUDING ALL EXCLUDING IDENTITY)', name);
        EXECUTE format('ALTER TABLE api_requests ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name, low, after);
    END IF;
    IF begins AND (SELECT last_value FROM api_requests_id_seq) < low THEN
        PERFORM setval('api_requests_id_seq', low);
    END IF;
END $function$
;

CREATE OR REPLACE FUNCTION public.make_event_month(first date)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
 SET lock_timeout TO '50ms'
AS $function$
DECLARE
    suffix text := to_char(first, 'YYYY_MM');
    after date := first + interval '1 month';
BEGIN
    IF first <> date_trunc('month', first) THEN
        RAISE EXCEPTION '% is not the first day of a month', first;
    END IF;
    IF to_regclass('events_' || suffix) IS NOT NULL THEN
        RETURN false;
    END IF;
    LOCK TABLE projects, checkouts, withdrawals, refunds, webhook_endpoints IN SHARE ROW EXCLUSIVE MODE;
    LOCK TABLE events_other, webhook_deliveries_other, webhook_attempts_other, webhook_answers_other
        IN ACCESS EXCLUSIVE MODE;
    IF to_regclass('events_' || suffix) IS NOT NULL -- made while this waited
        OR EXISTS (SELECT FROM events_other WHERE month >= first AND month < after)
        OR EXISTS (SELECT FROM webhook_attempts_other WHERE month >= first AND month < after)
        OR EXISTS (SELECT FROM webhook_answers_other
            WHERE started_at >= first::timestamp AT TIME ZONE 'UTC'
                AND started_at < after::timestamp AT TIME ZONE 'UTC')
    THEN
        RETURN false;
    END IF;
    PERFORM make_event_tables(suffix);
    EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (delivery_id) REFERENCES %I (id)', 'webhook_attempts_' || suffix,
        'webhook_deliveries_' || suffix);
    EXECUTE format('CREATE TABLE %I (LIKE webhook_answers INCLUDING ALL)', 'webhook_answers_' || suffix);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', 'events_' || suffix,
        first, after);
    EXECUTE format('ALTER TABLE webhook_deliveries ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        'webhook_deliveries_' || suffix, first, after);
    EXECUTE format('ALTER TABLE webhook_attempts ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        'webhook_attempts_' || suffix, first, after);
    EXECUTE format('ALTER TABLE webhook_answers ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        'webhook_answers_' || suffix, first::timestamp AT TIME ZONE 'UTC', after::timestamp AT TIME ZONE 'UTC');
    RETURN true;
END $function$
;

CREATE OR REPLACE FUNCTION public.make_event_tables(suffix text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT events_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts,
        CONSTRAINT events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects,
        CONSTRAINT events_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds,
        CONSTRAINT events_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals)', 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (withdrawal_id, project_id, type) WHERE withdrawal_id IS NOT NULL',
        'events_one_each_withdrawal_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (checkout_id, type) WHERE refund_id IS NULL',
        'events_one_each_checkout_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (refund_id, type) WHERE refund_id IS NOT NULL',
        'events_one_each_refund_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %1$I (LIKE webhook_deliveries INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT %2$I UNIQUE (event_id, endpoint_id),
        CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints,
        CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES %3$I (id)
        ) WITH (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
        'webhook_deliveries_' || suffix, 'webhook_deliveries_once_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %I (LIKE webhook_attempts INCLUDING ALL, PRIMARY KEY (delivery_id, number))',
        'webhook_attempts_' || suffix);
END $function$
;

CREATE OR REPLACE FUNCTION public.passkeys_stay()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.id, NEW.user_id, NEW.credential_id, NEW.public_key, NEW.synced, NEW.created_at) IS DISTINCT FROM
        (OLD.id, OLD.user_id, OLD.credential_id, OLD.public_key, OLD.synced, OLD.created_at) OR NEW.sign_count < OLD.sign_count THEN
        RAISE EXCEPTION 'a passkey never becomes another' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkeys_stay';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.payout_attempts_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.id, NEW.withdrawal_id, NEW.bank_account_id, NEW.amount, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.withdrawal_id, OLD.bank_account_id, OLD.amount, OLD.created_at)
        OR OLD.ended_at IS NOT NULL AND (NEW.status, NEW.end_to_end_id, NEW.code, NEW.ended_at, NEW.decided_by)
            IS DISTINCT FROM (OLD.status, OLD.end_to_end_id, OLD.code, OLD.ended_at, OLD.decided_by)
        OR NEW.status = 'STORED' AND OLD.status NOT IN ('STORED', 'SENDING') -- back: certainly not sent
        OR NEW.status = 'SENDING' AND OLD.status NOT IN ('STORED', 'SENDING') THEN
        RAISE EXCEPTION 'a payout goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payout_attempts_transition';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.refunds_of_dispute()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE d disputes;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.dispute_id IS NOT DISTINCT FROM OLD.dispute_id THEN
        RETURN NULL;
    END IF;
    SELECT * INTO d FROM disputes WHERE id = NEW.dispute_id FOR NO KEY UPDATE;
    IF TG_OP = 'UPDATE' OR d.payment_id IS DISTINCT FROM NEW.payment_id OR NEW.origin <> 'DISPUTE'
        OR (SELECT sum(from_blocked) FROM refunds WHERE dispute_id = d.id) > d.blocked - d.released THEN
        RAISE EXCEPTION 'the dispute has not as much blocked' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_of_dispute';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.refunds_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.id, NEW.payment_id, NEW.account_id, NEW.livemode, NEW.amount, NEW.origin, NEW.created_by, NEW.created_at,
            NEW.from_pending, NEW.from_blocked, NEW.short)
        IS DISTINCT FROM (OLD.id, OLD.payment_id, OLD.account_id, OLD.livemode, OLD.amount, OLD.origin, OLD.created_by, OLD.created_at,
            OLD.from_pending, OLD.from_blocked, OLD.short)
        OR NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (('REQUESTED', 'PROCESSING'), ('REQUESTED', 'COMPLETED'),
            ('REQUESTED', 'FAILED'), ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED')) THEN
        RAISE EXCEPTION 'a refund goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_transition';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.refunds_within_payment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    paid    payments;
    settled boolean;
BEGIN
    SELECT * INTO paid FROM payments WHERE id = NEW.payment_id FOR NO KEY UPDATE;
    IF (SELECT sum(amount) FROM refunds WHERE payment_id = NEW.payment_id AND status <> 'FAILED') > paid.amount THEN
        RAISE EXCEPTION 'more would go back than was paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment';
    END IF;
    IF TG_OP = 'INSERT' AND NEW.from_pending > 0 OR TG_OP = 'UPDATE' AND NEW.back_to_pending <> OLD.back_to_pending THEN
        UPDATE checkouts SET settles_at = settles_at WHERE id = paid.checkout_id RETURNING settlement_status <> 'PENDING' INTO settled;
        IF settled IS DISTINCT FROM false OR NOT paid.settles
            OR (SELECT sum(from_pending - back_to_pending) FROM refunds WHERE payment_id = NEW.payment_id) > paid.amount - paid.fee THEN
            RAISE EXCEPTION 'the payment has not as much pending' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_pending';
        END IF;
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $function$
;

CREATE OR REPLACE FUNCTION public.search_mark(project_id text, livemode boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
SELECT left(md5(project_id || livemode), 8)
$function$
;

CREATE OR REPLACE FUNCTION public.search_query(project_id text, livemode boolean, term text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
SELECT ($q$'$q$ || replace(replace(search_mark(project_id, livemode) || left(folded(term), 40), $q$\$q$, $q$\\$q$),
    $q$'$q$, $q$''$q$) || $q$':*$q$)::tsquery
$function$
;

CREATE OR REPLACE FUNCTION public.sessions_leave_last_seen()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    WITH seen AS (SELECT user_id, max(last_seen_at) AS at FROM ended WHERE NOT awaits_code GROUP BY user_id),
        free AS (SELECT u.id FROM users u JOIN seen ON seen.user_id = u.id FOR NO KEY UPDATE OF u SKIP LOCKED)
    UPDATE users u SET last_seen_at = greatest(u.last_seen_at, seen.at) FROM seen, free WHERE u.id = seen.user_id AND u.id = free.id;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.users_can_log_in()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    person text;
BEGIN
    IF TG_TABLE_NAME = 'users' THEN
        person := NEW.id;
    ELSE
        person := OLD.user_id;
    END IF;
    PERFORM FROM users WHERE id = person AND password_hash IS NULL FOR UPDATE; -- of two who remove the last two, one waits
    IF FOUND AND NOT EXISTS (SELECT FROM passkeys WHERE user_id = person) THEN
        RAISE EXCEPTION 'a person has a password or a passkey' USING ERRCODE = 'check_violation', CONSTRAINT = 'users_can_log_in';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.withdrawal_returns_within()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    paid withdrawals;
BEGIN
    SELECT * INTO paid FROM withdrawals WHERE id = NEW.withdrawal_id FOR NO KEY UPDATE;
    IF paid.status <> 'COMPLETED'
        OR (SELECT sum(amount) FROM withdrawal_returns WHERE withdrawal_id = NEW.withdrawal_id) > paid.amount - paid.fee THEN
        RAISE EXCEPTION 'more would come back than was paid out' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_returns_within';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
    IF OLD.status = 'PROCESSING' AND NEW.status <> OLD.status AND EXISTS (SELECT FROM payout_attempts p WHERE p.withdrawal_id = NEW.id
        AND p.status <> 'REFUSED' AND NOT (p.status = 'DONE' AND NEW.status = 'COMPLETED' AND p.end_to_end_id = NEW.end_to_end_id)) THEN
        RAISE EXCEPTION 'the bank is paying the withdrawal, or has paid it' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_payout';
    END IF;
    IF OLD.status = 'COMPLETED' AND NEW.status = 'RETURNED'
        AND (SELECT coalesce(sum(amount), 0) FROM withdrawal_returns WHERE withdrawal_id = NEW.id) NOT IN (0, NEW.amount - NEW.fee) THEN
        RAISE EXCEPTION 'a part of the withdrawal has not come back' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_returned';
    END IF;
    RETURN NEW;
END $function$
;
