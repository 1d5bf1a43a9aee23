-- +goose Up
-- compatible with 00094: how an index is kept, which no program sees

-- The index names blocks of the table with the times in them, and lets each search read the blocks that it does not
-- yet know. It learned of them with a vacuum, so jobs that look at the last minutes read up to a hundredth of all
-- charges (docs/scale.md). Now it learns of each block soon after the block is full.
ALTER INDEX checkouts_by_creation SET (autosummarize = on);

-- +goose Down
ALTER INDEX checkouts_by_creation RESET (autosummarize);
