-- The demo store of a first start, whose orders everybody may see arrive. Stores that exist are none.
ALTER TABLE store ADD COLUMN is_sample boolean NOT NULL DEFAULT false;
