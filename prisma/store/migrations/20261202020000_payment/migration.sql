-- CreateTable
CREATE TABLE "payment" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "order_id" INTEGER NOT NULL,
    "payment_method_id" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" DECIMAL(14,4) NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING',
    "reference" TEXT,
    "redirect_url" TEXT,
    "authorized" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "captured" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "voided" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "refunded" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "payment_operation" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "payment_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "amount" DECIMAL(14,4) NOT NULL,
    "key" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING',
    "message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_operation_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE INDEX "payment_order" ON "payment"("store_id", "order_id");

-- CreateIndex
CREATE INDEX "payment_reference" ON "payment"("store_id", "payment_method_id", "reference");

-- CreateIndex
CREATE INDEX "payment_updated" ON "payment"("updated_at");

-- CreateIndex
CREATE INDEX "payment_operation_payment" ON "payment_operation"("store_id", "payment_id", "id");

-- AddForeignKey
ALTER TABLE "payment" ADD CONSTRAINT "payment_store_id_order_id_fkey" FOREIGN KEY ("store_id", "order_id") REFERENCES "order"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "payment_operation" ADD CONSTRAINT "payment_operation_store_id_payment_id_fkey" FOREIGN KEY ("store_id", "payment_id") REFERENCES "payment"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE payment ADD CHECK (status IN ('PENDING', 'REQUIRES_ACTION', 'AUTHORIZED', 'FAILED'));
ALTER TABLE payment ADD CHECK (amount > 0 AND authorized >= 0 AND captured >= 0 AND voided >= 0 AND refunded >= 0);
-- The books balance: nothing is captured or voided that was not authorized, nor refunded that was not captured.
ALTER TABLE payment ADD CHECK (captured + voided <= authorized AND refunded <= captured);
ALTER TABLE payment_operation ADD CHECK (kind IN ('AUTHORIZE', 'CAPTURE', 'VOID', 'REFUND'));
ALTER TABLE payment_operation ADD CHECK (status IN ('PENDING', 'DONE', 'FAILED'));
ALTER TABLE payment_operation ADD CHECK (amount > 0);
