-- CreateTable
CREATE TABLE "usage_batch" (
    "id" UUID NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_batch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_count" (
    "day" DATE NOT NULL,
    "operation" TEXT NOT NULL,
    "client_name" TEXT NOT NULL,
    "client_version" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "errors" BIGINT NOT NULL,
    "milliseconds" DOUBLE PRECISION NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "usage_count_pkey" PRIMARY KEY ("day","operation","client_name","client_version")
);

-- CreateTable
CREATE TABLE "usage_operation" (
    "hash" TEXT NOT NULL,
    "name" TEXT,
    "kind" TEXT NOT NULL,
    "signature" TEXT,
    "coordinates" TEXT[],
    "first_day" DATE NOT NULL,
    "last_day" DATE NOT NULL,

    CONSTRAINT "usage_operation_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "usage_batch_age" ON "usage_batch"("recorded_at");

-- CreateIndex
CREATE INDEX "usage_count_of_operation" ON "usage_count"("operation");

-- CreateIndex
CREATE INDEX "usage_operation_first_day" ON "usage_operation"("first_day");

-- CreateIndex
CREATE INDEX "usage_operation_last_day" ON "usage_operation"("last_day");

-- AddForeignKey
ALTER TABLE "usage_count" ADD CONSTRAINT "usage_count_operation_fkey" FOREIGN KEY ("operation") REFERENCES "usage_operation"("hash") ON DELETE CASCADE ON UPDATE NO ACTION;
