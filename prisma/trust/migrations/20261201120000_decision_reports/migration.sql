-- Owners of keys report wrong decisions, and operators answer.

CREATE TABLE decision_report (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id      bigint NOT NULL REFERENCES api_key ON DELETE CASCADE,
  -- One report of a decision; it is deleted with it.
  decision_id text NOT NULL UNIQUE REFERENCES decision ON DELETE CASCADE,
  kind        text NOT NULL CHECK (kind IN ('false_positive', 'false_negative')),
  -- Of the key's owner, for the operator.
  text        text NOT NULL,
  host        text COLLATE "C" NOT NULL,
  action      text NOT NULL CHECK (action IN ('proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny')),
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'accepted', 'rejected')),
  -- Of the operator; null while it is open, as the next two.
  answer      text,
  resolved_at timestamptz(3),
  -- Name of the operator's key, or of the program.
  resolved_by text,
  created_at  timestamptz(3) NOT NULL,
  CHECK ((status = 'open') = (answer IS NULL))
);
CREATE INDEX decision_report_of_key ON decision_report (key_id, created_at);
CREATE INDEX decision_report_status ON decision_report (status, id);
