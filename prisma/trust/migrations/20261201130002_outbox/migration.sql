-- Outbox: changes of verdicts as events, in the transaction that stores them.

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
