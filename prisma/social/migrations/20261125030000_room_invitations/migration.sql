-- Who was invited into a room and is no member of it.
CREATE TABLE room_invitation (
  room_id     bigint NOT NULL REFERENCES room ON DELETE CASCADE,
  user_id     bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  -- The owner of the room at that time.
  inviter_id  bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  invited_at  timestamptz(3) NOT NULL DEFAULT now(),
  -- Declined: the row stays for a while, so that the same room does not invite again. Null: pending.
  declined_at timestamptz(3),
  PRIMARY KEY (room_id, user_id)
);
CREATE INDEX room_invitation_of_user ON room_invitation (user_id, invited_at DESC, room_id DESC) WHERE declined_at IS NULL;
CREATE INDEX room_invitation_of_inviter ON room_invitation (inviter_id);
CREATE INDEX room_invitation_age ON room_invitation (invited_at);
