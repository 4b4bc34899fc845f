-- CreateTable
CREATE TABLE "feature_probe" (
    "item_id" BIGINT NOT NULL,
    "probed_at" TIMESTAMPTZ(6) NOT NULL,
    "address" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "answered_at" TIMESTAMPTZ(6),
    "server_version" TEXT,
    "protocol_version" TEXT,
    "features" JSONB,
    "tool_names" TEXT[],

    CONSTRAINT "feature_probe_pkey" PRIMARY KEY ("item_id")
);

-- CreateTable
CREATE TABLE "feature_change" (
    "id" BIGSERIAL NOT NULL,
    "item_id" BIGINT NOT NULL,
    "seen_at" TIMESTAMPTZ(6) NOT NULL,
    "change" TEXT NOT NULL,
    "feature" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "field" TEXT,
    "before" TEXT,
    "after" TEXT,

    CONSTRAINT "feature_change_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "feature_change_item" ON "feature_change"("item_id", "id" DESC);

-- AddForeignKey
ALTER TABLE "feature_probe" ADD CONSTRAINT "feature_probe_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "item"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feature_change" ADD CONSTRAINT "feature_change_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "item"("id") ON DELETE CASCADE ON UPDATE CASCADE;
