-- Block, allow and brand lists of the operator, which apply to all keys, and keys that may change them.

ALTER TABLE api_key
  -- operator: it may also change the lists of the operator.
  ADD COLUMN role text NOT NULL DEFAULT 'caller' CHECK (role IN ('caller', 'operator'));

CREATE TABLE operator_list_entry (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  list        text NOT NULL CHECK (list IN ('block', 'allow', 'brand')),
  scope       text NOT NULL CHECK (scope IN ('domain', 'host', 'url', 'prefix')),
  -- What is looked up: a name or an address; for url and prefix the hash of subgraphs/trust/url-key.ts.
  key         text COLLATE "C" NOT NULL,
  host        text COLLATE "C" NOT NULL,
  -- As the operator wrote it.
  target      text NOT NULL,
  reason      text NOT NULL,
  -- Name of the operator's key, or of the program.
  created_by  text NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  -- Null: until it is removed. Whole seconds.
  expires_at  timestamptz(0),
  -- Decisions that it has applied to, written some seconds later.
  hits        bigint NOT NULL DEFAULT 0,
  last_hit_at timestamptz(3),
  UNIQUE (key, list, scope)
);
CREATE INDEX operator_list_entry_page ON operator_list_entry (list, id);
