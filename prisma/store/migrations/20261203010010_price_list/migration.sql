-- CreateTable
CREATE TABLE "price_list" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "customer_category_id" INTEGER,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "starts_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "adjustment_percent" DECIMAL(14,4),
    "rounding_step" DECIMAL(14,4),
    "rounding_ending" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "rounding_direction" TEXT NOT NULL DEFAULT 'NEAREST',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "price_list_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "price_list_price" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "price_list_id" INTEGER NOT NULL,
    "product_id" INTEGER NOT NULL,
    "variant_id" INTEGER,
    "minimum_quantity" INTEGER NOT NULL DEFAULT 1,
    "price" DECIMAL(14,4) NOT NULL,
    "compare_at_price" DECIMAL(14,4),

    CONSTRAINT "price_list_price_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE INDEX "price_list_customer_category" ON "price_list"("store_id", "customer_category_id");

-- CreateIndex
CREATE INDEX "price_list_price_list" ON "price_list_price"("store_id", "price_list_id", "id");

-- CreateIndex
CREATE INDEX "price_list_price_item" ON "price_list_price"("store_id", "product_id", "variant_id");

-- AddForeignKey
ALTER TABLE "price_list" ADD CONSTRAINT "price_list_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "price_list" ADD CONSTRAINT "price_list_store_id_customer_category_id_fkey" FOREIGN KEY ("store_id", "customer_category_id") REFERENCES "customer_category"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "price_list_price" ADD CONSTRAINT "price_list_price_store_id_price_list_id_fkey" FOREIGN KEY ("store_id", "price_list_id") REFERENCES "price_list"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "price_list_price" ADD CONSTRAINT "price_list_price_store_id_product_id_fkey" FOREIGN KEY ("store_id", "product_id") REFERENCES "product"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "price_list_price" ADD CONSTRAINT "price_list_price_store_id_product_id_variant_id_fkey" FOREIGN KEY ("store_id", "product_id", "variant_id") REFERENCES "product_variant"("store_id", "product_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- One price of an item from a number of units on.
CREATE UNIQUE INDEX price_list_price_once ON price_list_price (store_id, price_list_id, product_id, coalesce(variant_id, 0), minimum_quantity);

ALTER TABLE price_list ADD CHECK (rounding_direction IN ('NEAREST', 'UP', 'DOWN'));
ALTER TABLE price_list ADD CHECK (priority BETWEEN 0 AND 1000);
ALTER TABLE price_list ADD CHECK (adjustment_percent BETWEEN -100 AND 1000);
ALTER TABLE price_list ADD CHECK (rounding_step > 0 AND rounding_step <= 1000000);
ALTER TABLE price_list ADD CHECK (rounding_ending >= 0 AND rounding_ending < coalesce(rounding_step, 1));
ALTER TABLE price_list ADD CHECK (ends_at > starts_at);
ALTER TABLE price_list_price ADD CHECK (minimum_quantity BETWEEN 1 AND 1000000);
ALTER TABLE price_list_price ADD CHECK (price >= 0);
ALTER TABLE price_list_price ADD CHECK (compare_at_price > price);

SELECT audit_table('price_list', '{name}', '{active,customer_category_id,priority,starts_at,ends_at,adjustment_percent,rounding_step,rounding_ending,rounding_direction}', '{}');
SELECT audit_table('price_list_price', '{price_list_id,product_id,variant_id,minimum_quantity}', '{price,compare_at_price}', '{}');
