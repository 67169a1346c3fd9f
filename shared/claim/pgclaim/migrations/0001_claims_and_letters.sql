CREATE SEQUENCE onceway_claim_versions;

CREATE TABLE onceway_claims (
    id         text        PRIMARY KEY,
    version    bigint      NOT NULL,
    written_at timestamptz NOT NULL,
    state      text        NOT NULL,
    expire_at  timestamptz, -- only in DONE and DEAD
    record     json        NOT NULL
);

-- People and Sweep page by state and ID; hardly any row is in another state than DONE.
CREATE INDEX onceway_claims_by_state ON onceway_claims (state, id) WHERE state <> 'DONE';

CREATE INDEX onceway_claims_by_expiry ON onceway_claims (expire_at) WHERE expire_at IS NOT NULL;

CREATE TABLE onceway_letters (
    id        text        PRIMARY KEY,
    stored_at timestamptz NOT NULL,
    head      json        NOT NULL,
    data      bytea       NOT NULL
);

-- Bodies don't shrink by much, and reading one must not cost unpacking it.
ALTER TABLE onceway_letters ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE INDEX onceway_letters_by_time ON onceway_letters (stored_at DESC, id DESC);
