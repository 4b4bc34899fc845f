-- Failed log-ins in a row with an address from one network; `login_attempt` counts those of the address as a whole.
-- network_hash is SHA-256 of the key of the address and the network, so equal networks of two addresses look unlike.
CREATE TABLE login_attempt_from (
  email_hash   bytea NOT NULL,
  network_hash bytea NOT NULL,
  failures     integer NOT NULL,
  locked_until timestamptz(3),
  attempted_at timestamptz(3) NOT NULL,
  PRIMARY KEY (email_hash, network_hash)
);
CREATE INDEX login_attempt_from_age ON login_attempt_from (attempted_at);

-- Networks from which a user gave the right password; a few of each user, for a few months.
-- network_hash is SHA-256 of the user's id and the network.
CREATE TABLE login_network (
  user_id      bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  network_hash bytea NOT NULL,
  signed_in_at timestamptz(3) NOT NULL,
  PRIMARY KEY (user_id, network_hash)
);
CREATE INDEX login_network_age ON login_network (signed_in_at);

-- Whether an administrator is the last one.
CREATE INDEX user_administrators ON "user" (id) WHERE role = 'ADMIN';
