-- What an import needs to know about earlier ones.
-- Runs with search_path = directory, public.

-- The folder or URL that the file was read under: two folders may hold different parts of one origin,
-- and importing one of them again must not remove what came from the other.
ALTER TABLE contribution ADD COLUMN root text NOT NULL DEFAULT '' COLLATE "C";
ALTER TABLE contribution ALTER COLUMN root DROP DEFAULT;

-- Stars of repositories, from files given with --stars; they outlive the import that brought them.
CREATE TABLE repository_stars (
  -- "owner/repository" in lower case.
  repository text    PRIMARY KEY COLLATE "C",
  stars      integer NOT NULL CHECK (stars >= 0),
  as_of      date    NOT NULL
);
