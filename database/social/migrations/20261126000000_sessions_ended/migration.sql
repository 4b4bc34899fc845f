-- When an operator last ended every session at once, those of pages included; no row: never.
CREATE TABLE sessions_ended (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  ended_at timestamptz(3) NOT NULL
);
