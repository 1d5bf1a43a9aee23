-- Makes the role garoupa_serve, as which the program serves: it reads and writes rows, and owns
-- nothing. So a program that was broken into can neither change the schema nor turn off the
-- triggers that keep the ledger and the audit log append-only. Run this as the role that owns the
-- tables, before its first "garoupa migrate" or later; running it again changes nothing. That role
-- must be allowed to make roles. Then give the new role a password.

DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'garoupa_serve') THEN
		CREATE ROLE garoupa_serve LOGIN;
	END IF;
END $$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO garoupa_serve;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO garoupa_serve;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO garoupa_serve;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO garoupa_serve;

-- The same for what the current role will make.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO garoupa_serve;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO garoupa_serve;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO garoupa_serve;
