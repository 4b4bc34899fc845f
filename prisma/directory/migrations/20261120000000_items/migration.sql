-- The directory: what importers found (contribution), and what they amount to (item).
-- Runs with search_path = directory, public.

-- One record as one file of one source states it. Items are a pure function of all contributions,
-- so sources can be imported one by one, in any order, and vanish one by one.
CREATE TABLE contribution (
  -- Whose file: "owner/repository", a host name, or "file:/folder" when neither is known.
  origin   text  NOT NULL COLLATE "C",
  -- Path of the file inside the origin.
  path     text  NOT NULL COLLATE "C",
  -- Which record of the file, such as "[12]" or a name; empty when the file holds one.
  locator  text  NOT NULL COLLATE "C",
  format   text  NOT NULL,
  kind     text  NOT NULL,
  -- The record as the reader of its format made it; type Contribution in subgraphs/directory/import.
  record   jsonb NOT NULL,
  PRIMARY KEY (origin, path, locator)
);

CREATE TABLE item (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind              text        NOT NULL CHECK (kind IN ('MCP_SERVER', 'PLUGIN', 'SKILL', 'PERSONA', 'BUNDLE', 'AGENT', 'GUIDE')),
  -- What makes two contributions the same item; keeps its key through every later import.
  identity          text        NOT NULL COLLATE "C",
  -- Natural key: owner/repo, marketplace/slug, slug. Original case; unique without regard to case.
  key               text        NOT NULL COLLATE "C",
  name              text        NOT NULL,
  description       text        NOT NULL,
  category          text        NOT NULL,
  -- As the source spelled it; null when no source named one.
  original_category text,
  tags              text[]      NOT NULL,
  -- Stars of the repository, 0 when unknown.
  popularity        integer     NOT NULL CHECK (popularity >= 0),
  -- The fields that only this kind has; types McpServerDetail, PluginDetail, SkillDetail, EntryDetail.
  detail            jsonb       NOT NULL,
  provenance        jsonb       NOT NULL,
  created_at        timestamptz NOT NULL,
  updated_at        timestamptz NOT NULL,
  -- Set when every source of the item is gone: the row stays as a tombstone and keeps its key.
  removed_at        timestamptz,
  -- The directory revision that last touched the row.
  revision          bigint      NOT NULL,
  UNIQUE (kind, identity)
);
CREATE UNIQUE INDEX item_key ON item (kind, lower(key));
CREATE INDEX item_revision ON item (revision, id);

-- Exactly one row: the state of the whole directory.
CREATE TABLE revision (
  only_row   boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Random, so that cache validators of two databases never agree by chance.
  dataset    uuid        NOT NULL DEFAULT gen_random_uuid(),
  number     bigint      NOT NULL DEFAULT 0,
  changed_at timestamptz
);
INSERT INTO revision DEFAULT VALUES;
