-- AlterTable
ALTER TABLE "order" ADD COLUMN     "currency_rate" DECIMAL(14,4),
ADD COLUMN     "currency_rate_base" DECIMAL(14,4);

-- AlterTable
ALTER TABLE "price_list" ADD COLUMN     "currency" TEXT;

-- CreateTable
CREATE TABLE "store_currency" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "code" TEXT NOT NULL,
    "rate" DECIMAL(14,4) NOT NULL,
    "rate_base" DECIMAL(14,4) NOT NULL DEFAULT 1,
    "rounding_step" DECIMAL(14,4),
    "rounding_ending" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "rounding_direction" TEXT NOT NULL DEFAULT 'NEAREST',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "store_currency_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "store_currency_store_id_code_key" ON "store_currency"("store_id", "code");

-- CreateIndex
CREATE INDEX "price_list_currency" ON "price_list"("store_id", "currency");

-- AddForeignKey
ALTER TABLE "price_list" ADD CONSTRAINT "price_list_store_id_currency_fkey" FOREIGN KEY ("store_id", "currency") REFERENCES "store_currency"("store_id", "code") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "store_currency" ADD CONSTRAINT "store_currency_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE store_currency ADD CHECK (code ~ '^[A-Z]{3}$');
ALTER TABLE store_currency ADD CHECK (rate > 0 AND rate_base > 0);
ALTER TABLE store_currency ADD CHECK (rounding_step > 0);
ALTER TABLE store_currency ADD CHECK (rounding_ending >= 0);
ALTER TABLE store_currency ADD CHECK (rounding_direction IN ('NEAREST', 'UP', 'DOWN'));
-- Orders there are have neither: new rows are checked, and nothing is read for it.
ALTER TABLE "order" ADD CONSTRAINT order_currency_rate_check CHECK ((currency_rate IS NULL) = (currency_rate_base IS NULL)
  AND (currency_rate IS NULL OR (currency_rate > 0 AND currency_rate_base > 0))) NOT VALID;

SELECT audit_table('store_currency', '{code}', '{rate,rate_base,rounding_step,rounding_ending,rounding_direction}', '{}');
SELECT audit_table('price_list', '{name}', '{active,customer_category_id,currency,priority,starts_at,ends_at,adjustment_percent,rounding_step,rounding_ending,rounding_direction}', '{}');
