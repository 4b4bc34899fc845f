-- CreateTable
CREATE TABLE "draft_order" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'OPEN',
    "contents" JSONB NOT NULL,
    "currency" TEXT NOT NULL,
    "total" DECIMAL(14,4) NOT NULL,
    "email_key" TEXT,
    "customer_id" INTEGER,
    "order_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "draft_order_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE INDEX "draft_order_status" ON "draft_order"("store_id", "status", "id");

-- CreateIndex
CREATE INDEX "draft_order_email" ON "draft_order"("store_id", "email_key") WHERE (email_key IS NOT NULL);

-- CreateIndex
CREATE INDEX "draft_order_customer" ON "draft_order"("store_id", "customer_id") WHERE (customer_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "draft_order_order" ON "draft_order"("store_id", "order_id");

-- AddForeignKey
ALTER TABLE "draft_order" ADD CONSTRAINT "draft_order_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE draft_order ADD CHECK (status IN ('OPEN', 'COMPLETED', 'CANCELED'));
-- A draft is an order, or is not.
ALTER TABLE draft_order ADD CHECK ((status = 'COMPLETED') = (order_id IS NOT NULL));
