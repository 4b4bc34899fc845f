-- AlterTable
ALTER TABLE "customer_account" ADD COLUMN     "locale" TEXT;
