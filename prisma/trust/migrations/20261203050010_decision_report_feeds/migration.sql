-- What a report expects instead, and which feeds list its target: false positives per feed.

ALTER TABLE decision_report
  -- Null: not said, as in reports before.
  ADD COLUMN expected_action text
    CHECK (expected_action IN ('proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny')),
  ADD COLUMN feeds text[] NOT NULL DEFAULT '{}';
