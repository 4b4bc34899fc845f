-- Who may ask the trust subgraph, what was asked and answered, and what callers decided for themselves.

-- Keys --------------------------------------------------------------------------------------------------------------

CREATE TABLE api_key (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What its owner calls it.
  name       text NOT NULL,
  plan       text NOT NULL CHECK (plan IN ('free', 'unlimited')),
  created_at timestamptz(3) NOT NULL,
  -- Nothing is answered from then on; null: it is in use.
  revoked_at timestamptz(3)
);

-- What callers present. A key has one, and for a while two when it is rotated.
CREATE TABLE api_key_secret (
  -- SHA-256 of the secret, which is 256 random bits.
  hash       bytea PRIMARY KEY,
  key_id     bigint NOT NULL REFERENCES api_key ON DELETE CASCADE,
  -- Its first characters, so that people can tell secrets apart.
  hint       text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- Null: as long as the key.
  ends_at    timestamptz(3)
);
CREATE INDEX api_key_secret_of_key ON api_key_secret (key_id);

-- Scans of keys whose plan has a limit. A row is raised in the transaction that writes the decisions, so that both agree whatever happens.
CREATE TABLE scan_count (
  key_id bigint NOT NULL REFERENCES api_key ON DELETE CASCADE,
  -- Its first day, in UTC.
  month  date NOT NULL,
  scans  integer NOT NULL,
  -- How many the last statement took: before PostgreSQL 18, RETURNING does not see what was there before.
  taken  integer NOT NULL,
  PRIMARY KEY (key_id, month)
);

-- Overrides ---------------------------------------------------------------------------------------------------------

CREATE TABLE override (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id     bigint NOT NULL REFERENCES api_key ON DELETE CASCADE,
  -- A host, the tenant of a shared suffix, or a registrable domain.
  subject    text COLLATE "C" NOT NULL,
  action     text NOT NULL CHECK (action IN ('proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny')),
  reason     text NOT NULL,
  -- Null: until it is taken back. Whole seconds, as decisions count.
  expires_at timestamptz(0),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (key_id, subject)
);

-- Decisions ---------------------------------------------------------------------------------------------------------

-- Everything that a decision was made from. A row never changes; JSON is kept as text, to be read back byte by byte.
CREATE TABLE decision (
  -- `dec_` and 128 random bits in hexadecimal.
  id             text PRIMARY KEY,
  key_id         bigint NOT NULL REFERENCES api_key ON DELETE CASCADE,
  created_at     timestamptz(3) NOT NULL,
  -- What was asked, with its normalised target.
  request        text NOT NULL,
  -- SHA-256 of `request`: finds repetitions.
  request_hash   bytea NOT NULL,
  snapshot_id    text NOT NULL REFERENCES snapshot,
  policy_version text NOT NULL,
  -- The caller's override as it was then; null without one.
  override       text,
  -- The decision in canonical JSON (RFC 8785).
  body           text NOT NULL,
  valid_until    timestamptz(0) NOT NULL,
  -- From the request to the decision.
  elapsed_ms     integer NOT NULL
);
CREATE INDEX decision_repeated ON decision (key_id, request_hash, created_at DESC);
CREATE INDEX decision_of_key ON decision (key_id, created_at);
