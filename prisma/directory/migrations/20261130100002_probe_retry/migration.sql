-- AlterTable
ALTER TABLE "feature_probe" ADD COLUMN     "retry_at" TIMESTAMPTZ(6);
