-- What decisions of keys met in threat feeds, and what became of it: hits and precision per feed.

CREATE TABLE feed_usage (
  feed        text COLLATE "C" PRIMARY KEY,
  hits        bigint NOT NULL DEFAULT 0,
  last_hit_at timestamptz(3) NOT NULL
);

CREATE TABLE feed_listing (
  feed         text COLLATE "C" NOT NULL,
  -- `host NAME`, `domain NAME` or `url HASH`.
  subject      text COLLATE "C" NOT NULL,
  -- The target's host when it was met first: what lists are searched for later.
  host         text COLLATE "C" NOT NULL,
  first_hit_at timestamptz(3) NOT NULL,
  last_hit_at  timestamptz(3) NOT NULL,
  -- Null: not known yet.
  assessment      text CHECK (assessment IN ('confirmed_by_report', 'confirmed_by_feed', 'refuted_by_report',
    'refuted_by_removal', 'expired', 'unconfirmed')),
  assessed_at  timestamptz(3),
  PRIMARY KEY (feed, subject),
  CHECK ((assessment IS NULL) = (assessed_at IS NULL))
);
CREATE INDEX feed_listing_age ON feed_listing (feed, first_hit_at);
CREATE INDEX feed_listing_pending ON feed_listing (first_hit_at) WHERE assessment IS NULL;

-- Beside `feeds`, in its order: the subject that each one lists, '' where it is unknown.
ALTER TABLE decision_report ADD COLUMN feed_subjects text[] NOT NULL DEFAULT '{}';
