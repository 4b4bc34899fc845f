-- AlterTable
ALTER TABLE "payment" ADD COLUMN     "refunds_booked" DECIMAL(14,4) NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "store" ADD COLUMN     "return_window_days" INTEGER NOT NULL DEFAULT 30;

-- CreateTable
CREATE TABLE "order_return" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "order_id" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "requested_by" TEXT NOT NULL,
    "note" TEXT,
    "reason" TEXT,
    "refund_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_return_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "order_return_line" (
    "store_id" INTEGER NOT NULL,
    "return_id" INTEGER NOT NULL,
    "order_line_id" INTEGER NOT NULL,
    "quantity" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "note" TEXT,
    "received" INTEGER,
    "restock" TEXT,
    "location_id" INTEGER,

    CONSTRAINT "order_return_line_pkey" PRIMARY KEY ("store_id","return_id","order_line_id")
);

-- CreateIndex
CREATE INDEX "order_return_order" ON "order_return"("store_id", "order_id", "id");

-- CreateIndex
CREATE INDEX "order_return_status" ON "order_return"("store_id", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "order_return_refund" ON "order_return"("store_id", "refund_id");

-- CreateIndex
CREATE INDEX "order_return_line_line" ON "order_return_line"("store_id", "order_line_id");

-- AddForeignKey
ALTER TABLE "order_return" ADD CONSTRAINT "order_return_store_id_order_id_fkey" FOREIGN KEY ("store_id", "order_id") REFERENCES "order"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_return" ADD CONSTRAINT "order_return_store_id_refund_id_fkey" FOREIGN KEY ("store_id", "refund_id") REFERENCES "order_refund"("store_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_return_line" ADD CONSTRAINT "order_return_line_store_id_order_line_id_fkey" FOREIGN KEY ("store_id", "order_line_id") REFERENCES "order_line"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_return_line" ADD CONSTRAINT "order_return_line_store_id_return_id_fkey" FOREIGN KEY ("store_id", "return_id") REFERENCES "order_return"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE store ADD CHECK (return_window_days BETWEEN 0 AND 365);
ALTER TABLE order_return ADD CHECK (status IN ('REQUESTED', 'APPROVED', 'DECLINED', 'RECEIVED', 'CLOSED', 'CANCELED'));
ALTER TABLE order_return ADD CHECK (requested_by IN ('MERCHANT', 'CUSTOMER'));
-- Only what is closed was refunded.
ALTER TABLE order_return ADD CHECK (refund_id IS NULL OR status = 'CLOSED');
ALTER TABLE order_return_line ADD CHECK (quantity >= 1 AND received BETWEEN 0 AND quantity);
ALTER TABLE order_return_line ADD CHECK (reason IN ('DEFECTIVE', 'NOT_AS_DESCRIBED', 'WRONG_ITEM', 'SIZE', 'UNWANTED', 'OTHER'));
ALTER TABLE order_return_line ADD CHECK ((restock IS NULL OR restock IN ('RESTOCK', 'DISCARD')) AND (received IS NULL) = (restock IS NULL));
-- Every refund of a gateway so far has its entry in the ledger.
UPDATE payment SET refunds_booked = refunded;
ALTER TABLE payment ADD CHECK (refunds_booked >= 0);
