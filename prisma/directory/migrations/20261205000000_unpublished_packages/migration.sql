-- AlterTable
ALTER TABLE "package_observation" ADD COLUMN     "is_unpublished" BOOLEAN NOT NULL DEFAULT false;
