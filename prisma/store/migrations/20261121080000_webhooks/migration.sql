-- Webhooks: who wants to be told of what, and what became of it. Jobs that deliver are in the schema store_jobs, which belongs to pg-boss.

-- The token before the last rotation, which goes on signing until then.
ALTER TABLE store ADD COLUMN previous_hooks_token text;
ALTER TABLE store ADD COLUMN previous_hooks_token_until timestamptz(3);

CREATE TABLE webhook_subscription (
  store_id      integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id            integer GENERATED ALWAYS AS IDENTITY,
  name          text,
  event         text NOT NULL,
  url           text NOT NULL,
  -- Failed attempts since the last that succeeded, and when the first of them was; null: the last one succeeded.
  failure_count integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  paused_at     timestamptz(3),
  created_at    timestamptz(3) NOT NULL,
  updated_at    timestamptz(3) NOT NULL,
  version       integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id)
);
-- Also read for every event. Addresses are longer than an index takes.
CREATE UNIQUE INDEX webhook_subscription_once ON webhook_subscription (store_id, event, md5(url));

-- One row per event and subscription, written in the transaction of the event: ids of a store are in the order of its events.
CREATE TABLE webhook_delivery (
  store_id        integer NOT NULL,
  id              bigint GENERATED ALWAYS AS IDENTITY,
  subscription_id integer NOT NULL,
  -- Where it is sent: that of the subscription, repeated for the order between subscriptions of one receiver.
  url             text NOT NULL,
  event           text NOT NULL,
  entity          text NOT NULL,
  entity_id       integer NOT NULL,
  triggered_at    timestamptz(3) NOT NULL,
  is_test         boolean NOT NULL DEFAULT false,
  status          text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
  -- Attempts since it began, or was begun again.
  tries           smallint NOT NULL DEFAULT 0,
  -- Not before then.
  due_at          timestamptz(3) NOT NULL,
  -- The job that begins it, and which run of that job is sending it; null: none.
  taken_by        uuid,
  taken_run       integer,
  -- What is sent, from the first attempt on.
  body            text,
  created_at      timestamptz(3) NOT NULL,
  finished_at     timestamptz(3),
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, subscription_id) REFERENCES webhook_subscription ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_of_subscription ON webhook_delivery (store_id, subscription_id, id);
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (store_id, entity, entity_id, id) WHERE status = 'waiting';
CREATE INDEX webhook_delivery_age ON webhook_delivery (created_at);

CREATE TABLE webhook_attempt (
  store_id     integer NOT NULL,
  delivery_id  bigint NOT NULL,
  number       integer NOT NULL,
  started_at   timestamptz(3) NOT NULL,
  milliseconds integer NOT NULL,
  -- What the receiver answered; null: nothing.
  status       smallint,
  -- Why that was no success; null: it was one.
  error        text,
  -- The beginning of the answer.
  response     text,
  PRIMARY KEY (store_id, delivery_id, number),
  FOREIGN KEY (store_id, delivery_id) REFERENCES webhook_delivery ON DELETE CASCADE
);
