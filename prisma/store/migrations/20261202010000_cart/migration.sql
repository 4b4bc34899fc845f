-- CreateTable
CREATE TABLE "cart" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'OPEN',
    "contents" JSONB NOT NULL,
    "email_key" TEXT,
    "order_id" INTEGER,
    "pay_until" TIMESTAMPTZ(3),
    "abandoned_order_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "cart_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE INDEX "cart_abandoned_order" ON "cart"("store_id", "abandoned_order_id") WHERE (abandoned_order_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "cart_email" ON "cart"("store_id", "email_key") WHERE (email_key IS NOT NULL);

-- CreateIndex
CREATE INDEX "cart_order" ON "cart"("store_id", "order_id") WHERE (order_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "cart_pay_until" ON "cart"("pay_until") WHERE (pay_until IS NOT NULL);

-- CreateIndex
CREATE INDEX "cart_updated" ON "cart"("updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "cart_store_id_token_hash_key" ON "cart"("store_id", "token_hash");

-- AddForeignKey
ALTER TABLE "cart" ADD CONSTRAINT "cart_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE cart ADD CHECK (status IN ('OPEN', 'ORDERED'));
ALTER TABLE cart ADD CHECK ((order_id IS NULL) = (status = 'OPEN'));
