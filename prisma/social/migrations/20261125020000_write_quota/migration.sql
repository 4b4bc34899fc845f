-- What each author may still write: subgraphs/toolkit/quota.ts fills it up evenly. A row is there from the first write on.
CREATE TABLE write_quota (
  author_id   bigint PRIMARY KEY REFERENCES "user" ON DELETE CASCADE,
  writes_left double precision NOT NULL,
  bytes_left  double precision NOT NULL,
  counted_at  timestamptz NOT NULL
);
