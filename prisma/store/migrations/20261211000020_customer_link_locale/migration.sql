-- AlterTable
ALTER TABLE "customer_account" ADD COLUMN     "link_locale" TEXT;

-- AlterTable
ALTER TABLE "customer_account_link" ADD COLUMN     "locale" TEXT;
