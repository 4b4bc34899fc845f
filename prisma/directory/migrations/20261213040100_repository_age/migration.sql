-- AlterTable
ALTER TABLE "repository_observation" ADD COLUMN     "created_at" TIMESTAMPTZ(6);

-- A repository that is the same is answered without its facts: the next request wants them once more.
UPDATE "repository_observation" SET "etag" = NULL;
