-- What a line comes to, in whole minor units: the lines of an order sum to it, and parts of a line can be paid back exactly.
ALTER TABLE order_line
  ADD COLUMN subtotal numeric(14,4) NOT NULL DEFAULT 0,
  ADD COLUMN tax      numeric(14,4) NOT NULL DEFAULT 0,
  ADD COLUMN total    numeric(14,4) NOT NULL DEFAULT 0;

-- Units of lines that a refund was for.
CREATE TABLE order_refund_line (
  store_id      integer NOT NULL,
  refund_id     integer NOT NULL,
  order_line_id integer NOT NULL,
  quantity      integer NOT NULL CHECK (quantity >= 1),
  amount        numeric(14,4) NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (store_id, refund_id, order_line_id),
  FOREIGN KEY (store_id, refund_id) REFERENCES order_refund ON DELETE CASCADE,
  FOREIGN KEY (store_id, order_line_id) REFERENCES order_line ON DELETE CASCADE
);
CREATE INDEX order_refund_line_line ON order_refund_line (store_id, order_line_id);

ALTER TABLE order_document ADD COLUMN version integer NOT NULL DEFAULT 1;

CREATE INDEX order_fulfillment ON "order" (store_id, fulfillment_status, id);
-- The balance of a store, without reading its entries.
CREATE INDEX ledger_entry_balance ON ledger_entry (store_id, currency) INCLUDE (amount);
