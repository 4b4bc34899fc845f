-- Third-party apps, and what stores let them do. Nothing in these tables opens anything: secrets, codes and tokens are hashes of at least 190 random
-- bits, and what a sign-in remembers is sealed with the id that only its browser has.

-- An app as its maker registered it. The same for every store, unless it is a store's own.
CREATE TABLE app (
  id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The only store that may use it; null: any store that agrees.
  store_id      integer REFERENCES store ON DELETE CASCADE,
  -- `client_id` of the protocol.
  code          text NOT NULL UNIQUE,
  name          text NOT NULL,
  -- SHA-256; null: a public app, which cannot keep a secret.
  secret_hash   bytea,
  redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) > 0),
  -- At most what it may ask for.
  scopes        text[] NOT NULL,
  created_at    timestamptz(3) NOT NULL,
  updated_at    timestamptz(3) NOT NULL,
  version       integer NOT NULL DEFAULT 1
);
CREATE INDEX app_of_store ON app (store_id, id);

-- The consent of a store to an app, and the family of tokens that come from it: they live and end with this row.
CREATE TABLE app_authorization (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id         integer GENERATED ALWAYS AS IDENTITY,
  -- What the protocol calls it.
  grant_id   text NOT NULL UNIQUE,
  app_id     integer NOT NULL REFERENCES app ON DELETE CASCADE,
  scopes     text[] NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX app_authorization_of_app ON app_authorization (app_id, store_id);

CREATE TABLE app_token (
  -- SHA-256 of what the app holds.
  hash        bytea PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  grant_id    text NOT NULL REFERENCES app_authorization (grant_id) ON DELETE CASCADE,
  scopes      text[] NOT NULL,
  -- What else the protocol wants to know of it; nothing that would have to be kept secret.
  detail      jsonb NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  expires_at  timestamptz(3) NOT NULL,
  -- Codes and refresh tokens work once.
  consumed_at timestamptz(3)
);
CREATE INDEX app_token_of_grant ON app_token (grant_id);
CREATE INDEX app_token_age ON app_token (expires_at);

-- What a browser is doing at the authorization endpoint: `session` is who signed in, `request` what an app asks for.
CREATE TABLE app_sign_in (
  -- SHA-256 of the id.
  hash       bytea PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('session', 'request')),
  -- AES-256-GCM under a key made from the id.
  sealed     bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX app_sign_in_age ON app_sign_in (expires_at);
