-- AlterTable
ALTER TABLE "store_import" ADD COLUMN "source" TEXT,
ADD COLUMN "takes_stock" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "sends_events" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "imported_order" (
    "store_id" INTEGER NOT NULL,
    "order_id" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "external_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "imported_order_pkey" PRIMARY KEY ("store_id","order_id")
);

-- CreateIndex
CREATE INDEX "imported_order_created" ON "imported_order"("store_id", "created_at", "order_id");

-- CreateIndex
CREATE UNIQUE INDEX "imported_order_store_id_source_name_key" ON "imported_order"("store_id", "source", "name");

-- AddForeignKey
ALTER TABLE "imported_order" ADD CONSTRAINT "imported_order_store_id_order_id_fkey" FOREIGN KEY ("store_id", "order_id") REFERENCES "order"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE store_import DROP CONSTRAINT store_import_kind_check;
ALTER TABLE store_import ADD CONSTRAINT store_import_kind_check CHECK (kind IN ('PRODUCTS', 'CUSTOMERS', 'ORDERS'));
ALTER TABLE store_import ADD CHECK ((kind = 'ORDERS') = (source IS NOT NULL));
ALTER TABLE store_import ADD CHECK (kind = 'ORDERS' OR NOT (takes_stock OR sends_events));
