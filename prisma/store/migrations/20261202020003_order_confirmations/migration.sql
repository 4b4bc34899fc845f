-- AlterTable
ALTER TABLE "store" ADD COLUMN     "order_confirmations" BOOLEAN NOT NULL DEFAULT true;
