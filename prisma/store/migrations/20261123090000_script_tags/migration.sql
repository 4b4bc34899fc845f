-- Which apps a store has installed, and the scripts that they put into its pages.

-- From the first consent on, or the first script of the store's own, until the store uninstalls the app: tokens may end meanwhile.
CREATE TABLE app_installation (
  store_id     integer NOT NULL REFERENCES store ON DELETE CASCADE,
  app_id       integer NOT NULL REFERENCES app ON DELETE CASCADE,
  installed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, app_id)
);
CREATE INDEX app_installation_of_app ON app_installation (app_id);
INSERT INTO app_installation (store_id, app_id, installed_at)
  SELECT store_id, app_id, min(created_at) FROM app_authorization GROUP BY store_id, app_id;

-- The app that scripts of the store's own authtoken belong to.
ALTER TABLE app ADD COLUMN is_store_itself boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX app_of_store_itself ON app (store_id) WHERE is_store_itself;

CREATE TABLE script_tag (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id         integer GENERATED ALWAYS AS IDENTITY,
  app_id     integer NOT NULL,
  url        text NOT NULL,
  template   text NOT NULL CHECK (template IN ('LAYOUT', 'HOME', 'PRODUCT', 'PAGE', 'CATEGORY', 'CART', 'CHECKOUT')),
  element    text NOT NULL CHECK (element IN ('HEAD', 'BODY')),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version    integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, app_id) REFERENCES app_installation ON DELETE CASCADE
);
CREATE INDEX script_tag_of_app ON script_tag (store_id, app_id, id);
