-- CreateTable
CREATE TABLE "package_observation" (
    "registry" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "observed_at" TIMESTAMPTZ(6) NOT NULL,
    "answered_at" TIMESTAMPTZ(6),
    "etag" TEXT,
    "version" TEXT,
    "published_at" TIMESTAMPTZ(6),
    "license" TEXT,
    "monthly_downloads" INTEGER,
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "withdrawn_reason" TEXT,
    "repository" TEXT,
    "has_install_script" BOOLEAN,
    "has_provenance" BOOLEAN,

    CONSTRAINT "package_observation_pkey" PRIMARY KEY ("registry","name")
);

-- CreateIndex
CREATE INDEX "package_observation_observed" ON "package_observation"("observed_at");
