-- Lists of items of the directory that a user makes and shares.
CREATE TABLE item_collection (
  -- Random: whoever has the id of an unlisted collection reads it.
  id          text COLLATE "C" PRIMARY KEY DEFAULT (gen_random_uuid())::text,
  author_id   bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  name        text NOT NULL,
  description text NOT NULL,
  visibility  text NOT NULL CHECK (visibility IN ('PUBLIC', 'UNLISTED', 'PRIVATE')),
  created_at  timestamptz(3) NOT NULL DEFAULT now(),
  -- Last change of the collection or its entries; sort key of every list.
  updated_at  timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX item_collection_public ON item_collection (updated_at DESC, id DESC) WHERE visibility = 'PUBLIC';
CREATE INDEX item_collection_of_author ON item_collection (author_id, updated_at DESC, id DESC);

-- Items of collections, at most 100 of one. The directory knows whether they exist.
CREATE TABLE item_collection_entry (
  collection_id text COLLATE "C" NOT NULL REFERENCES item_collection ON DELETE CASCADE,
  item_id       text NOT NULL,
  note          text NOT NULL,
  -- Order of the author; may have gaps.
  position      integer NOT NULL,
  added_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (collection_id, item_id)
);
CREATE INDEX item_collection_entry_of_item ON item_collection_entry (item_id, collection_id);
