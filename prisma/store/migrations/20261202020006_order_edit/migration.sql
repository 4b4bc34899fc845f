-- AlterTable
ALTER TABLE "order" ADD COLUMN     "balance_refunded" DECIMAL(14,4) NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "order_line" ADD COLUMN     "added_at" TIMESTAMPTZ(3);

ALTER TABLE "order" ADD CHECK (balance_refunded >= 0);
