-- CreateTable
CREATE TABLE "repository_observation" (
    "repository" TEXT NOT NULL,
    "observed_at" TIMESTAMPTZ(6) NOT NULL,
    "answered_at" TIMESTAMPTZ(6),
    "etag" TEXT,
    "archived" BOOLEAN,
    "license" TEXT,
    "pushed_at" TIMESTAMPTZ(6),

    CONSTRAINT "repository_observation_pkey" PRIMARY KEY ("repository")
);

-- CreateIndex
CREATE INDEX "repository_observation_observed" ON "repository_observation"("observed_at");
