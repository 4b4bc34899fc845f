-- What is old is found by its age, and what nothing refers to any more by that.

CREATE INDEX decision_age ON decision (created_at);
CREATE INDEX decision_of_snapshot ON decision (snapshot_id);
CREATE INDEX snapshot_age ON snapshot (valid_until, id);
