-- AlterTable
ALTER TABLE "package_observation" ADD COLUMN     "advisories" TEXT[];
