-- What questions come to is kept once: whoever asks again within its validity has the same answer, made from the same evidence. A decision is
-- who asked what, when, and which judgement it was.

CREATE TABLE judgement (
  -- SHA-256 of what was asked, by what it was judged and what came out, in hexadecimal.
  id             text PRIMARY KEY,
  -- What was asked, with its normalised target.
  request        text NOT NULL,
  snapshot_id    text NOT NULL REFERENCES snapshot,
  policy_version text NOT NULL,
  -- The caller's override as it was then; null without one.
  override       text,
  -- The decision in canonical JSON (RFC 8785).
  body           text NOT NULL,
  valid_until    timestamptz(0) NOT NULL
);

ALTER TABLE decision RENAME TO decision_whole;

CREATE TABLE decision (
  id           text NOT NULL,
  key_id       bigint NOT NULL,
  created_at   timestamptz(3) NOT NULL,
  -- SHA-256 of the judgement's "request": finds repetitions.
  request_hash bytea NOT NULL,
  judgement_id text NOT NULL,
  -- From the request to the decision.
  elapsed_ms   integer NOT NULL
);

INSERT INTO decision
SELECT id, key_id, created_at, request_hash,
  encode(sha256(convert_to(concat_ws(E'\n', request, snapshot_id, policy_version, coalesce(override, ''), body), 'UTF8')), 'hex'), elapsed_ms
FROM decision_whole;

INSERT INTO judgement
SELECT DISTINCT ON (decision.judgement_id) decision.judgement_id, request, snapshot_id, policy_version, override, body, valid_until
FROM decision JOIN decision_whole USING (id);

-- Only now: its indexes have the names that these get.
DROP TABLE decision_whole;
ALTER TABLE decision
  ADD PRIMARY KEY (id),
  ADD FOREIGN KEY (key_id) REFERENCES api_key ON DELETE CASCADE,
  ADD FOREIGN KEY (judgement_id) REFERENCES judgement;
CREATE INDEX decision_repeated ON decision (key_id, request_hash, created_at DESC);
CREATE INDEX decision_of_key ON decision (key_id, created_at);
-- What is old is found by its age, and what nothing refers to any more by that.
CREATE INDEX decision_age ON decision (created_at);
CREATE INDEX decision_of_judgement ON decision (judgement_id);
CREATE INDEX judgement_age ON judgement (valid_until, id);
CREATE INDEX judgement_of_snapshot ON judgement (snapshot_id);
