-- How shops look. A theme is what was uploaded and does not change, but for its name and the values of its settings.
CREATE TABLE theme (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id         integer GENERATED ALWAYS AS IDENTITY,
  name       text NOT NULL,
  label      text,
  -- The settings that it has, in their order: [{key, label, type, default, options}].
  settings   jsonb NOT NULL,
  -- Values by key; settings that are not in it have their default.
  customised jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version    integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id)
);

CREATE TABLE theme_file (
  store_id integer NOT NULL,
  theme_id integer NOT NULL,
  path     text NOT NULL,
  content  text NOT NULL,
  PRIMARY KEY (store_id, theme_id, path),
  FOREIGN KEY (store_id, theme_id) REFERENCES theme ON DELETE CASCADE
);

-- What customers saw and see: the newest counts, and one that is taken back is deleted.
CREATE TABLE theme_publication (
  store_id     integer NOT NULL,
  id           integer GENERATED ALWAYS AS IDENTITY,
  theme_id     integer NOT NULL,
  -- As `theme.customised` was then.
  customised   jsonb NOT NULL,
  published_at timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, theme_id) REFERENCES theme ON DELETE CASCADE
);
CREATE INDEX theme_publication_theme ON theme_publication (store_id, theme_id);

CREATE TRIGGER forget_metafields AFTER DELETE ON theme FOR EACH ROW EXECUTE FUNCTION forget_metafields('Theme');
