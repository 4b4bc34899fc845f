-- Jobs decide many targets in the background: their targets, and the result of each.

CREATE TABLE decision_job (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id          bigint NOT NULL REFERENCES api_key ON DELETE CASCADE,
  -- Null: none.
  idempotency_key text COLLATE "C",
  status          text NOT NULL CHECK (status IN ('running', 'completed', 'canceled')),
  targets         integer NOT NULL CHECK (targets > 0),
  decided         integer NOT NULL DEFAULT 0,
  invalid         integer NOT NULL DEFAULT 0,
  exceeded        integer NOT NULL DEFAULT 0,
  failed          integer NOT NULL DEFAULT 0,
  created_at      timestamptz(3) NOT NULL,
  -- Null: not yet.
  started_at      timestamptz(3),
  -- Null: it runs.
  finished_at     timestamptz(3),
  -- Jobs take turns: by the clock of the database, for their order only.
  taken_at        timestamptz(6) NOT NULL DEFAULT '-infinity',
  UNIQUE (key_id, idempotency_key),
  CHECK ((status = 'running') = (finished_at IS NULL)),
  CHECK (decided + invalid + exceeded + failed <= targets)
);
CREATE INDEX decision_job_of_key ON decision_job (key_id, id DESC);
CREATE INDEX decision_job_running ON decision_job (taken_at) WHERE status = 'running';
CREATE INDEX decision_job_age ON decision_job (finished_at);

CREATE TABLE decision_job_target (
  job_id      bigint NOT NULL REFERENCES decision_job ON DELETE CASCADE,
  position    integer NOT NULL,
  target      text NOT NULL,
  -- Null once it is finished: it may hold a path.
  input       text,
  status      text NOT NULL CHECK (status IN ('waiting', 'decided', 'invalid', 'exceeded', 'failed')),
  -- Null unless it is decided, and once the decision is deleted.
  decision_id text REFERENCES decision ON DELETE SET NULL,
  -- Null unless it is invalid.
  faults      text,
  attempts    smallint NOT NULL DEFAULT 0,
  -- When it is taken next, unless another process does; moved first. Null: it is finished.
  due_at      timestamptz(3),
  PRIMARY KEY (job_id, position),
  CHECK ((status = 'waiting') = (due_at IS NOT NULL)),
  CHECK ((status = 'waiting') = (input IS NOT NULL)),
  CHECK ((status = 'invalid') = (faults IS NOT NULL))
);
CREATE INDEX decision_job_target_waiting ON decision_job_target (job_id, position) WHERE status = 'waiting';
CREATE INDEX decision_job_target_of_decision ON decision_job_target (decision_id) WHERE decision_id IS NOT NULL;
