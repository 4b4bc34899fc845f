-- CreateTable
CREATE TABLE "product_rating" (
    "store_id" INTEGER NOT NULL,
    "product_id" INTEGER NOT NULL,
    "count" INTEGER NOT NULL,
    "sum" INTEGER NOT NULL,

    CONSTRAINT "product_rating_pkey" PRIMARY KEY ("store_id","product_id")
);

-- CreateTable
CREATE TABLE "product_search_word" (
    "store_id" INTEGER NOT NULL,
    "word" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "product_search_word_pkey" PRIMARY KEY ("store_id","word")
);

-- AddForeignKey
ALTER TABLE "product_rating" ADD CONSTRAINT "product_rating_store_id_product_id_fkey" FOREIGN KEY ("store_id", "product_id") REFERENCES "product"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "product_search_word" ADD CONSTRAINT "product_search_word_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Lists of shoppers by listed price and by name.
CREATE INDEX product_listed_price ON product (store_id, (price - discount), id) WHERE status <> 'DISABLED';
CREATE INDEX product_listed_name ON product (store_id, (lower(name) COLLATE "C"), id) WHERE status <> 'DISABLED';

ALTER TABLE product_rating ADD CHECK (count > 0);

CREATE FUNCTION count_product_rating() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.status = 'PUBLISHED' AND OLD.product_id IS NOT NULL THEN
    DELETE FROM product_rating WHERE store_id = OLD.store_id AND product_id = OLD.product_id AND count = 1;
    IF NOT FOUND THEN
      UPDATE product_rating SET count = count - 1, sum = sum - OLD.rating
      WHERE store_id = OLD.store_id AND product_id = OLD.product_id;
    END IF;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.status = 'PUBLISHED' AND NEW.product_id IS NOT NULL THEN
    INSERT INTO product_rating AS known (store_id, product_id, count, sum) VALUES (NEW.store_id, NEW.product_id, 1, NEW.rating)
    ON CONFLICT (store_id, product_id) DO UPDATE SET count = known.count + 1, sum = known.sum + excluded.sum;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER count_product_rating AFTER INSERT OR DELETE OR UPDATE OF status, rating, product_id ON product_review
FOR EACH ROW EXECUTE FUNCTION count_product_rating();

INSERT INTO product_rating (store_id, product_id, count, sum)
SELECT store_id, product_id, count(*), sum(rating) FROM product_review
WHERE status = 'PUBLISHED' AND product_id IS NOT NULL GROUP BY store_id, product_id;

INSERT INTO product_search_word (store_id, word)
SELECT DISTINCT store_id, word
FROM product_search, regexp_split_to_table(concat_ws(' ', keys ->> 'name', keys ->> 'brand'), '[^[:alnum:]]+') AS word
WHERE length(word) BETWEEN 3 AND 40;
