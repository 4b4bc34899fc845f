CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- People ------------------------------------------------------------------------------------------------------------

CREATE TABLE "user" (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- As it was given; email_key is what log-in and uniqueness compare.
  email         text NOT NULL,
  email_key     text NOT NULL UNIQUE,
  name          text NOT NULL,
  -- What search and the order of names compare.
  name_key      text NOT NULL,
  role          text NOT NULL CHECK (role IN ('USER', 'ADMIN', 'MODERATOR')),
  phone_number  text,
  -- argon2id in PHC form; null: this user cannot sign in.
  password_hash text,
  created_at    timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX user_name_order ON "user" (name_key COLLATE "C", id);
CREATE INDEX user_name_search ON "user" USING gin (name_key public.gin_trgm_ops);
CREATE INDEX user_email_search ON "user" USING gin (email_key public.gin_trgm_ops);

-- Signing in --------------------------------------------------------------------------------------------------------

CREATE TABLE session (
  id         uuid PRIMARY KEY,
  user_id    bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  -- Signed out, refused for reuse of a refresh token, or ended by a new password; null: alive.
  ended_at   timestamptz(3)
);
CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_age ON session (expires_at);

CREATE TABLE refresh_token (
  -- SHA-256 of the token, which is 256 random bits.
  hash       bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES session ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,
  used_at    timestamptz(3)
);
CREATE INDEX refresh_token_of_session ON refresh_token (session_id);

-- Failed log-ins in a row, by SHA-256 of the address, whether it has a user or not: the answer must not tell.
CREATE TABLE login_attempt (
  email_hash   bytea PRIMARY KEY,
  failures     integer NOT NULL,
  locked_until timestamptz(3),
  attempted_at timestamptz(3) NOT NULL
);
CREATE INDEX login_attempt_age ON login_attempt (attempted_at);

CREATE TABLE signing_key (
  kid         text PRIMARY KEY,
  public_key  jsonb NOT NULL,
  private_key jsonb NOT NULL,
  -- Signs from its creation until it is retired, and is published for as long as its last token lives.
  created_at  timestamptz(3) NOT NULL,
  retires_at  timestamptz(3) NOT NULL
);

-- Writing -----------------------------------------------------------------------------------------------------------

CREATE TABLE post (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author_id    bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  title        text NOT NULL,
  content      text NOT NULL,
  -- Id of an item of the directory, as the directory spells it.
  about_id     text,
  -- Null for a draft.
  published_at timestamptz(3),
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  updated_at   timestamptz(3) NOT NULL DEFAULT now(),
  -- The place in every list.
  ordered_at   timestamptz(3) NOT NULL GENERATED ALWAYS AS (coalesce(published_at, created_at)) STORED
);
CREATE INDEX post_of_author ON post (author_id, ordered_at DESC, id DESC);
CREATE INDEX post_feed ON post (ordered_at DESC, id DESC) WHERE published_at IS NOT NULL;
CREATE INDEX post_about ON post (about_id, ordered_at DESC, id DESC) WHERE published_at IS NOT NULL;

CREATE TABLE comment (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  post_id    bigint NOT NULL REFERENCES post ON DELETE CASCADE,
  author_id  bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  content    text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX comment_of_post ON comment (post_id, id);
CREATE INDEX comment_of_author ON comment (author_id);

-- Talking -----------------------------------------------------------------------------------------------------------

CREATE TABLE room (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text NOT NULL,
  -- Passes on, or the room ends, before its owner is deleted.
  owner_id   bigint NOT NULL REFERENCES "user",
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX room_of_owner ON room (owner_id);

CREATE TABLE room_member (
  room_id   bigint NOT NULL REFERENCES room ON DELETE CASCADE,
  user_id   bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  joined_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (room_id, user_id)
);
CREATE INDEX room_member_order ON room_member (room_id, joined_at, user_id);
CREATE INDEX room_member_of_user ON room_member (user_id, joined_at DESC, room_id DESC);

-- Ids rise in the order of commits within a room: who writes locks the room's row first.
CREATE TABLE message (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  room_id    bigint NOT NULL REFERENCES room ON DELETE CASCADE,
  author_id  bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  text       text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX message_of_room ON message (room_id, id DESC);
CREATE INDEX message_of_author ON message (author_id);

-- Events: platform/events/outbox.ts ---------------------------------------------------------------------------------

-- Its row is locked from the writing of an event until the commit, so numbers are dense and in the order of commits.
CREATE TABLE event_topic (
  name        text PRIMARY KEY,
  last_number bigint NOT NULL
);

CREATE TABLE event (
  topic      text NOT NULL,
  number     bigint NOT NULL,
  payload    jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (topic, number)
);
CREATE INDEX event_age ON event (created_at);

-- A process that hands out events. While it lives it holds an advisory lock that is made from its id, so that others see at once when it is gone.
CREATE TABLE event_process (
  id      uuid PRIMARY KEY,
  seen_at timestamptz(3) NOT NULL
);

-- How far each process has handed out a topic that somebody listens to there.
CREATE TABLE event_position (
  process uuid NOT NULL REFERENCES event_process ON DELETE CASCADE,
  topic   text NOT NULL,
  number  bigint NOT NULL,
  PRIMARY KEY (process, topic)
);

-- Who listens: left behind by a process that dies, so that its listeners go on where it stopped.
CREATE TABLE event_listener (
  id       uuid PRIMARY KEY,
  process  uuid NOT NULL REFERENCES event_process ON DELETE CASCADE,
  topic    text NOT NULL,
  -- Names the listener's session.
  listener text NOT NULL,
  -- How far this one has come; null: as far as its process.
  number   bigint
);
CREATE INDEX event_listener_of_topic ON event_listener (topic, listener);
CREATE INDEX event_listener_of_process ON event_listener (process);
