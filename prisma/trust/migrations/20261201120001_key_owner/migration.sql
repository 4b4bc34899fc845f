-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "owner_id" TEXT;

-- CreateIndex
CREATE INDEX "api_key_of_owner" ON "api_key"("owner_id", "id") WHERE (owner_id IS NOT NULL);
