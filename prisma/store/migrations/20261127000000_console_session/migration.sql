-- Who is signed in to the console of a store. A row opens nothing by itself: pages of the console are asked for with the login and authtoken, which
-- the browser keeps sealed. Without its row, a kept cookie is good for nothing.
CREATE TABLE console_session (
  -- SHA-256 of 256 random bits that only the browser has.
  hash       bytea PRIMARY KEY,
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX console_session_of_store ON console_session (store_id, created_at);
CREATE INDEX console_session_age ON console_session (expires_at);
