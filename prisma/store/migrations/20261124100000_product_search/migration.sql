-- Search looks through one row for a product instead of one for each of its texts: an index of trigrams then finds what holds all words of a question, where each word had to
-- be looked for by itself and what was found put together. How many products a word is in cannot be foretold well enough to do that quickly.
ALTER TABLE product_search RENAME TO product_search_by_field;
DROP INDEX product_search_owner, product_search_text;

-- text_key is what search reads, all texts of the product with line ends between; keys has the same by field: one of the words of products/search (name, sku, variants, …).
CREATE TABLE product_search (
  store_id   integer NOT NULL,
  product_id integer NOT NULL,
  text_key   text NOT NULL,
  keys       jsonb NOT NULL,
  PRIMARY KEY (store_id, product_id),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE
);
INSERT INTO product_search (store_id, product_id, text_key, keys)
  SELECT store_id, product_id, string_agg(key, E'\n'), jsonb_object_agg(field, key)
  FROM (
    SELECT store_id, product_id, field, string_agg(text_key, E'\n') AS key FROM product_search_by_field GROUP BY store_id, product_id, field
  ) AS by_field
  GROUP BY store_id, product_id;
CREATE INDEX product_search_text ON product_search USING gin (text_key public.gin_trgm_ops);

DROP TABLE product_search_by_field;
