-- AlterTable
ALTER TABLE "order_refund" ADD COLUMN     "to_gift_cards" DECIMAL(14,4) NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "gift_card" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "issued" DECIMAL(14,4) NOT NULL,
    "balance" DECIMAL(14,4) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gift_card_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "gift_card_transaction" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "gift_card_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "amount" DECIMAL(14,4) NOT NULL,
    "order_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gift_card_transaction_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "gift_card_code" ON "gift_card"("store_id", "code_hash");

-- CreateIndex
CREATE INDEX "gift_card_transaction_gift_card" ON "gift_card_transaction"("store_id", "gift_card_id", "id");

-- CreateIndex
CREATE INDEX "gift_card_transaction_order" ON "gift_card_transaction"("store_id", "order_id");

-- AddForeignKey
ALTER TABLE "gift_card" ADD CONSTRAINT "gift_card_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "gift_card_transaction" ADD CONSTRAINT "gift_card_transaction_store_id_gift_card_id_fkey" FOREIGN KEY ("store_id", "gift_card_id") REFERENCES "gift_card"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "gift_card_transaction" ADD CONSTRAINT "gift_card_transaction_store_id_order_id_fkey" FOREIGN KEY ("store_id", "order_id") REFERENCES "order"("store_id", "id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- Prisma cannot say which column becomes null.
ALTER TABLE gift_card_transaction DROP CONSTRAINT gift_card_transaction_store_id_order_id_fkey;
ALTER TABLE gift_card_transaction ADD CONSTRAINT gift_card_transaction_store_id_order_id_fkey
  FOREIGN KEY (store_id, order_id) REFERENCES "order" (store_id, id) ON DELETE SET NULL (order_id) ON UPDATE NO ACTION;
-- More than was issued never comes back, and more than is there is never taken.
ALTER TABLE gift_card ADD CHECK (issued > 0 AND balance >= 0 AND balance <= issued);
ALTER TABLE gift_card ADD CHECK (octet_length(code_hash) = 32 AND length(last_four) = 4);
ALTER TABLE gift_card_transaction ADD CHECK (kind IN ('ISSUE', 'REDEMPTION', 'RETURN'));
ALTER TABLE gift_card_transaction ADD CHECK (CASE kind WHEN 'REDEMPTION' THEN amount < 0 ELSE amount > 0 END);
-- A refund may be to gift cards alone.
ALTER TABLE order_refund DROP CONSTRAINT order_refund_amount_check;
ALTER TABLE order_refund ADD CHECK (amount >= 0 AND to_gift_cards >= 0 AND amount + to_gift_cards > 0);
