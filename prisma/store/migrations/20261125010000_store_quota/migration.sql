-- What each store has, and may still add: subgraphs/toolkit/quota.ts fills the latter up evenly. A row is there from the first product or file on.
CREATE TABLE store_quota (
  store_id        integer PRIMARY KEY REFERENCES store ON DELETE CASCADE,
  products        integer NOT NULL,
  file_bytes      bigint NOT NULL,
  products_left   double precision NOT NULL,
  file_bytes_left double precision NOT NULL,
  counted_at      timestamptz NOT NULL
);
