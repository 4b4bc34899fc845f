-- CreateTable
CREATE TABLE "product_facet" (
    "store_id" INTEGER NOT NULL,
    "product_id" INTEGER NOT NULL,
    "brand" TEXT,
    "price" DECIMAL(14,4) NOT NULL,
    "name_key" TEXT NOT NULL,
    "featured" BOOLEAN NOT NULL,
    "available" BOOLEAN NOT NULL,
    "stars" SMALLINT,
    "category_ids" INTEGER[],
    "option_keys" TEXT[],

    CONSTRAINT "product_facet_pkey" PRIMARY KEY ("store_id","product_id")
);

-- CreateIndex
CREATE INDEX "product_facet_price" ON "product_facet"("store_id", "price", "product_id");

-- CreateIndex
CREATE INDEX "product_facet_brand" ON "product_facet"("store_id", "brand", "product_id");

-- CreateIndex
CREATE INDEX "product_facet_options" ON "product_facet" USING GIN ("option_keys");

-- AddForeignKey
ALTER TABLE "product_facet" ADD CONSTRAINT "product_facet_store_id_product_id_fkey" FOREIGN KEY ("store_id", "product_id") REFERENCES "product"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE product_facet ALTER COLUMN name_key TYPE text COLLATE "C";
ALTER TABLE product_facet ALTER COLUMN category_ids SET NOT NULL;
ALTER TABLE product_facet ALTER COLUMN option_keys SET NOT NULL;
ALTER TABLE product_facet ADD CHECK (stars BETWEEN 1 AND 5);
CREATE INDEX product_facet_name ON product_facet (store_id, name_key, product_id);

-- Those of lists of shoppers before.
DROP INDEX product_listed_price;
DROP INDEX product_listed_name;

-- Writes the rows of these products anew. Two transactions that sell the last of two variants of one product wait for
-- each other here, and the second one sees what the first one did: rows are locked before they are read, in one order.
-- Plans are made once in a session: planning takes three times as long as refreshing one product.
CREATE FUNCTION refresh_product_facets(of_store integer, ids integer[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM FROM product_facet WHERE store_id = of_store AND product_id = ANY (ids) ORDER BY product_id FOR UPDATE;
  DELETE FROM product_facet USING product
  WHERE product_facet.store_id = of_store AND product_facet.product_id = ANY (ids)
    AND product.store_id = of_store AND product.id = product_facet.product_id AND product.status = 'DISABLED';
  INSERT INTO product_facet AS known
    (store_id, product_id, brand, price, name_key, featured, available, stars, category_ids, option_keys)
  SELECT of_store, product.id, product.brand, product.price - product.discount, lower(product.name), product.featured,
    product.status = 'AVAILABLE' AND coalesce(
      (SELECT bool_or(variant.stock_unlimited OR variant.stock > 0) FROM product_variant variant
        WHERE variant.store_id = of_store AND variant.product_id = product.id),
      product.stock_unlimited OR product.stock > 0),
    (SELECT sum / count FROM product_rating WHERE product_rating.store_id = of_store AND product_rating.product_id = product.id),
    ARRAY(SELECT category_id FROM product_category_member member
      WHERE member.store_id = of_store AND member.product_id = product.id ORDER BY category_id),
    ARRAY(SELECT concat_ws(chr(31), of_store, option.name_key, value.name_key)
      FROM product_option option
      JOIN product_option_value value ON value.store_id = of_store AND value.option_id = option.id
      WHERE option.store_id = of_store AND option.product_id = product.id ORDER BY option.id, value.id)
  FROM product WHERE product.store_id = of_store AND product.id = ANY (ids) AND product.status <> 'DISABLED'
  ORDER BY product.id
  ON CONFLICT (store_id, product_id) DO UPDATE SET brand = excluded.brand, price = excluded.price, name_key = excluded.name_key,
    featured = excluded.featured, available = excluded.available, stars = excluded.stars,
    category_ids = excluded.category_ids, option_keys = excluded.option_keys
  WHERE (known.brand, known.price, known.name_key, known.featured, known.available, known.stars, known.category_ids, known.option_keys)
    IS DISTINCT FROM (excluded.brand, excluded.price, excluded.name_key, excluded.featured, excluded.available, excluded.stars,
      excluded.category_ids, excluded.option_keys);
END
$$;

-- After changes of rows of products, in `changed`.
CREATE FUNCTION refresh_facets_of_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE of_store integer; ids integer[];
BEGIN
  FOR of_store, ids IN SELECT store_id, array_agg(DISTINCT product_id) FROM changed GROUP BY store_id ORDER BY store_id LOOP
    PERFORM refresh_product_facets(of_store, ids);
  END LOOP;
  RETURN NULL;
END
$$;

CREATE FUNCTION refresh_facets_of_product() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE of_store integer; ids integer[];
BEGIN
  FOR of_store, ids IN SELECT store_id, array_agg(id) FROM changed GROUP BY store_id ORDER BY store_id LOOP
    PERFORM refresh_product_facets(of_store, ids);
  END LOOP;
  RETURN NULL;
END
$$;

-- Most changes of products and variants are of their stock, and few of these change whether they can be bought.
CREATE FUNCTION refresh_facets_of_changed_product() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE of_store integer; ids integer[];
BEGIN
  FOR of_store, ids IN SELECT now.store_id, array_agg(now.id) FROM changed now JOIN former USING (store_id, id)
    WHERE (now.status, now.brand, now.price - now.discount, now.name, now.featured, now.stock_unlimited OR now.stock > 0)
      IS DISTINCT FROM (former.status, former.brand, former.price - former.discount, former.name, former.featured,
        former.stock_unlimited OR former.stock > 0)
    GROUP BY now.store_id ORDER BY now.store_id LOOP
    PERFORM refresh_product_facets(of_store, ids);
  END LOOP;
  RETURN NULL;
END
$$;

CREATE FUNCTION refresh_facets_of_changed_variant() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE of_store integer; ids integer[];
BEGIN
  FOR of_store, ids IN SELECT now.store_id, array_agg(DISTINCT now.product_id) FROM changed now JOIN former USING (store_id, id)
    WHERE (now.stock_unlimited OR now.stock > 0) <> (former.stock_unlimited OR former.stock > 0)
    GROUP BY now.store_id ORDER BY now.store_id LOOP
    PERFORM refresh_product_facets(of_store, ids);
  END LOOP;
  RETURN NULL;
END
$$;

CREATE TRIGGER product_facets_inserted AFTER INSERT ON product
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_product();
CREATE TRIGGER product_facets_updated AFTER UPDATE ON product
  REFERENCING NEW TABLE AS changed OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed_product();
CREATE TRIGGER product_facets_updated AFTER UPDATE ON product_variant
  REFERENCING NEW TABLE AS changed OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed_variant();
CREATE TRIGGER product_facets_inserted AFTER INSERT ON product_variant
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_deleted AFTER DELETE ON product_variant
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_inserted AFTER INSERT ON product_category_member
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_deleted AFTER DELETE ON product_category_member
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_updated AFTER UPDATE ON product_option
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_deleted AFTER DELETE ON product_option
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_inserted AFTER INSERT ON product_option_value
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_updated AFTER UPDATE ON product_option_value
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_deleted AFTER DELETE ON product_option_value
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_inserted AFTER INSERT ON product_rating
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_updated AFTER UPDATE ON product_rating
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();
CREATE TRIGGER product_facets_deleted AFTER DELETE ON product_rating
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refresh_facets_of_changed();

-- Products of before, in sets that fit into memory.
DO $$
DECLARE of_store integer; ids integer[];
BEGIN
  FOR of_store, ids IN SELECT store_id, array_agg(id) FROM product GROUP BY store_id, id / 5000 LOOP
    PERFORM refresh_product_facets(of_store, ids);
  END LOOP;
END
$$;
