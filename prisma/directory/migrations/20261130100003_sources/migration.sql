-- CreateTable
CREATE TABLE "source" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "repository" TEXT,
    "interval_minutes" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "next_run_at" TIMESTAMPTZ(6),
    "accepts_drop" BOOLEAN NOT NULL DEFAULT false,
    "last_attempt_at" TIMESTAMPTZ(6),
    "last_success_at" TIMESTAMPTZ(6),
    "last_complete_at" TIMESTAMPTZ(6),
    "problem" TEXT,
    "last_error" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "added" INTEGER,
    "updated" INTEGER,
    "removed" INTEGER,
    "rejected" INTEGER,
    "etag" TEXT,
    "last_modified" TEXT,
    "requests_since" TIMESTAMPTZ(6),
    "requests" INTEGER NOT NULL DEFAULT 0,
    "pages_since" TIMESTAMPTZ(6),
    "pages_complete" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "source_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "source_page" (
    "source_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "next_cursor" TEXT,
    "rows" TEXT NOT NULL,

    CONSTRAINT "source_page_pkey" PRIMARY KEY ("source_id","position")
);

-- CreateIndex
CREATE UNIQUE INDEX "source_name_key" ON "source"("name");

-- CreateIndex
CREATE UNIQUE INDEX "source_address_key" ON "source"("address");

-- AddForeignKey
ALTER TABLE "source_page" ADD CONSTRAINT "source_page_source_id_fkey" FOREIGN KEY ("source_id") REFERENCES "source"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the rules of the subgraph say as well.
ALTER TABLE "source" ALTER COLUMN "name" TYPE TEXT COLLATE "C";
ALTER TABLE "source" ALTER COLUMN "address" TYPE TEXT COLLATE "C";
ALTER TABLE "source" ADD CONSTRAINT "source_name" CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,59}$');
ALTER TABLE "source" ADD CONSTRAINT "source_kind" CHECK (kind IN ('MCP_REGISTRY', 'DOCKER_CATALOGUE', 'TOOLHIVE_REGISTRY', 'PLUGIN_MARKETPLACE', 'SKILL_REPOSITORY', 'FILE'));
ALTER TABLE "source" ADD CONSTRAINT "source_interval" CHECK (interval_minutes BETWEEN 5 AND 43200);
ALTER TABLE "source" ADD CONSTRAINT "source_last_error" CHECK (length(last_error) <= 500);
