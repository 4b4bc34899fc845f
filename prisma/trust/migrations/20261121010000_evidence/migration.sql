-- What the trust subgraph found out about names, and the lists it looks into.

-- Evidence ----------------------------------------------------------------------------------------------------------

-- The newest answer of each source, used again while it is valid, also for other hosts of the same domain.
CREATE TABLE evidence (
  source       text NOT NULL,
  -- A host, or its registrable domain for sources that know about those.
  subject      text NOT NULL,
  -- As subgraphs/trust/evidence.ts says it.
  body         json NOT NULL,
  collected_at timestamptz(0) NOT NULL,
  valid_until  timestamptz(0) NOT NULL,
  PRIMARY KEY (source, subject)
);
CREATE INDEX evidence_age ON evidence (valid_until);

-- All evidence of one host, as a decision saw it. A row never changes.
CREATE TABLE snapshot (
  -- SHA-256 of the canonical JSON of the rest, in hexadecimal.
  id           text PRIMARY KEY,
  host         text NOT NULL,
  -- Text, not jsonb: it is read back byte by byte.
  body         text NOT NULL,
  collected_at timestamptz(0) NOT NULL,
  -- When the first of its sources has to be asked again.
  valid_until  timestamptz(0) NOT NULL
);
CREATE INDEX snapshot_of_host ON snapshot (host, collected_at DESC);

-- Lists -------------------------------------------------------------------------------------------------------------

-- A list that is downloaded: a threat feed, a popularity list, the registries' services.
CREATE TABLE list (
  name            text PRIMARY KEY,
  -- Whose entries are looked at; null: nothing was loaded yet.
  edition         bigint,
  -- SHA-256 of the bytes, in hexadecimal.
  version         text,
  entries         integer NOT NULL DEFAULT 0,
  -- What the server said about the copy that we have.
  etag            text,
  as_of           timestamptz(0),
  -- When we last heard from the server that our copy is its newest.
  fetched_at      timestamptz(0),
  -- Nobody downloads before that; who does moves it first, so that of several processes one downloads.
  next_attempt_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Why the last attempt failed; null: it did not.
  fault           text
);

CREATE SEQUENCE list_edition;

-- Entries of editions; those of others than the list's are being loaded or about to go.
CREATE TABLE list_entry (
  list          text NOT NULL,
  edition       bigint NOT NULL,
  -- A host, an address, a domain or a top-level domain.
  key           text COLLATE "C" NOT NULL,
  -- host, domain (with all its hosts) or url.
  scope         text NOT NULL,
  category      text,
  -- As the list has it.
  indicator     text,
  first_seen_at timestamptz(0),
  last_seen_at  timestamptz(0),
  state         text,
  rank          integer
);
CREATE INDEX list_entry_key ON list_entry (key, list, edition);
CREATE INDEX list_entry_edition ON list_entry (list, edition);
