-- How a store's prices and its taxes belong together. No row: as the defaults say.
CREATE TABLE tax_settings (
  store_id           integer PRIMARY KEY REFERENCES store ON DELETE CASCADE,
  prices_include_tax boolean NOT NULL DEFAULT false,
  taxed_address      text NOT NULL DEFAULT 'SHIPPING' CHECK (taxed_address IN ('SHIPPING', 'BILLING')),
  version            integer NOT NULL DEFAULT 1
);

CREATE INDEX promotion_redemption_promotion ON promotion_redemption (store_id, promotion_id);
CREATE INDEX coupon_promotion ON coupon (store_id, promotion_id, id);

-- The minimum purchase is a price; whether there is one follows from it.
ALTER TABLE shipping_method DROP COLUMN free_shipping_minimum_purchase;
ALTER TABLE shipping_method ADD COLUMN free_shipping_from numeric(14,4) CHECK (free_shipping_from >= 0);
-- Of an external method: what it costs while its service does not answer; null: it is not offered then.
ALTER TABLE shipping_method ADD COLUMN fallback_price numeric(14,4) CHECK (fallback_price >= 0);
