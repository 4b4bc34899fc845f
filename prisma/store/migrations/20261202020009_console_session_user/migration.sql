-- AlterTable
ALTER TABLE "console_session" ADD COLUMN     "user_id" TEXT;
