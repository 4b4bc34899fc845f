-- Keys watch domains: changes of verdicts, and what is sent of them.

CREATE TABLE watched_domain (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id        bigint NOT NULL REFERENCES api_key ON DELETE CASCADE,
  domain        text COLLATE "C" NOT NULL,
  -- Null: changes are not sent.
  webhook_url   text,
  -- What signs webhooks, encrypted; null without a URL.
  secret        text,
  created_at    timestamptz(3) NOT NULL,
  -- Null: not yet.
  checked_at    timestamptz(3),
  -- No assessment before then; moved first, so that one of several processes makes it.
  next_check_at timestamptz(3) NOT NULL,
  -- Assessments in a row that lacked the answer of a source.
  incomplete    smallint NOT NULL DEFAULT 0,
  UNIQUE (key_id, domain),
  CHECK ((webhook_url IS NULL) = (secret IS NULL))
);
CREATE INDEX watched_domain_due ON watched_domain (next_check_at);

CREATE TABLE verdict_change (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  watch_id        bigint NOT NULL REFERENCES watched_domain ON DELETE CASCADE,
  changed_at      timestamptz(3) NOT NULL,
  action          text NOT NULL CHECK (action IN ('proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny')),
  -- Null when the form of the target decided.
  state           text CHECK (state IN ('A', 'B', 'C', 'D', 'E', 'F')),
  trust_score     smallint NOT NULL,
  threat_score    smallint NOT NULL,
  deviation_score smallint NOT NULL,
  reason_codes    text[] NOT NULL,
  -- Null: the first assessment.
  previous_action text CHECK (previous_action IN ('proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny')),
  previous_state  text CHECK (previous_state IN ('A', 'B', 'C', 'D', 'E', 'F')),
  -- State of its webhook; null: none is sent.
  webhook         text CHECK (webhook IN ('waiting', 'delivered', 'failed')),
  attempts        smallint NOT NULL DEFAULT 0,
  -- When it is sent next, unless another process does; moved first. Null: never.
  due_at          timestamptz(3),
  -- Why the last attempt failed; null: it did not.
  error           text,
  CHECK ((webhook IS NOT DISTINCT FROM 'waiting') = (due_at IS NOT NULL))
);
CREATE INDEX verdict_change_of_watch ON verdict_change (watch_id, id DESC);
CREATE INDEX verdict_change_due ON verdict_change (due_at) WHERE webhook = 'waiting';
CREATE INDEX verdict_change_age ON verdict_change (changed_at);
