-- AlterTable
ALTER TABLE "decision_job" ADD COLUMN     "request_hash" BYTEA;
