-- What apps cost, and what stores owe and have paid for them.

CREATE TABLE app_plan (
  app_id          integer NOT NULL REFERENCES app ON DELETE CASCADE,
  name            text NOT NULL,
  -- In the order in which the maker of the app gave them.
  place           integer NOT NULL,
  currency        text NOT NULL,
  monthly_price   numeric(14,4) NOT NULL CHECK (monthly_price >= 0),
  -- Orders of a cycle that nothing is charged for.
  free_orders     integer NOT NULL CHECK (free_orders >= 0),
  price_per_order numeric(14,4) NOT NULL CHECK (price_per_order >= 0),
  PRIMARY KEY (app_id, name)
);

-- A plan as it was when the store subscribed to it: what becomes of the plan later changes nothing. Those of a store and an app follow each other.
CREATE TABLE app_subscription (
  store_id        integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id              integer GENERATED ALWAYS AS IDENTITY,
  app_id          integer NOT NULL REFERENCES app ON DELETE CASCADE,
  plan            text NOT NULL,
  currency        text NOT NULL,
  monthly_price   numeric(14,4) NOT NULL,
  free_orders     integer NOT NULL,
  price_per_order numeric(14,4) NOT NULL,
  -- Days of the store's calendar.
  starts_on       date NOT NULL,
  -- Null: until it is canceled, which ends it with its cycle.
  ends_on         date CHECK (ends_on >= starts_on),
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, app_id, starts_on)
);
CREATE INDEX app_subscription_of_app ON app_subscription (app_id);

-- What was paid of a cycle. Money is entered in the ledger as well, in the same transaction.
CREATE TABLE app_payment (
  store_id        integer NOT NULL,
  id              integer GENERATED ALWAYS AS IDENTITY,
  subscription_id integer NOT NULL,
  cycle_starts_on date NOT NULL,
  amount          numeric(14,4) NOT NULL CHECK (amount > 0),
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, subscription_id) REFERENCES app_subscription ON DELETE CASCADE
);
CREATE INDEX app_payment_of_cycle ON app_payment (store_id, subscription_id, cycle_starts_on);

ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_kind_check;
ALTER TABLE ledger_entry ADD CONSTRAINT ledger_entry_kind_check CHECK (kind IN ('PAYMENT', 'REFUND', 'APP_FEE'));

-- Orders are charged for in the order in which they were completed.
CREATE INDEX order_completed ON "order" (store_id, completed_at, id) WHERE completed_at IS NOT NULL;
