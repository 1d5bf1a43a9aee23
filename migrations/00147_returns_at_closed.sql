-- +goose Up
-- compatible with 00094: it ends rows that no program changes any more

-- Earlier programs could ask a closed bank account to return a payment, or close it while a return was under way.
-- Staff can note a return by hand once the one that waits has failed. Staff read the reasons, as they read the bank's.
-- locks: rows of returns that are under way, which are few, and of those only what no program tends
UPDATE payment_exceptions x SET return_status = 'FAILED', return_next_try_at = NULL, return_ended_at = now(),
    return_failure = CASE
        WHEN x.return_tries = 0 THEN 'A conta foi encerrada, e o banco não foi consultado.'
        ELSE 'A conta foi encerrada antes da resposta: confira no banco se ele devolveu.'
    END
FROM payments p JOIN bank_accounts b ON b.id = p.bank_account_id
WHERE p.id = x.payment_id AND x.return_next_try_at IS NOT NULL AND b.status = 'CLOSED';

-- +goose Down
