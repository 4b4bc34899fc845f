-- CreateTable
CREATE TABLE "store_import" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'RECEIVING',
    "dry_run" BOOLEAN NOT NULL DEFAULT false,
    "overwrite" BOOLEAN NOT NULL DEFAULT false,
    "file_name" TEXT,
    "byte_count" INTEGER NOT NULL DEFAULT 0,
    "bytes_read" INTEGER NOT NULL DEFAULT 0,
    "position" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "leased_until" TIMESTAMPTZ(3),
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "store_import_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "store_import_piece" (
    "store_id" INTEGER NOT NULL,
    "import_id" INTEGER NOT NULL,
    "start" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "store_import_piece_pkey" PRIMARY KEY ("store_id","import_id","start")
);

-- CreateTable
CREATE TABLE "store_import_error" (
    "store_id" INTEGER NOT NULL,
    "import_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "row" INTEGER NOT NULL,
    "column" TEXT NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "store_import_error_pkey" PRIMARY KEY ("store_id","import_id","id")
);

-- CreateTable
CREATE TABLE "product_image_url" (
    "store_id" INTEGER NOT NULL,
    "product_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "alt" TEXT,

    CONSTRAINT "product_image_url_pkey" PRIMARY KEY ("store_id","product_id","position")
);

-- CreateIndex
CREATE INDEX "store_import_due" ON "store_import"("leased_until", "id") WHERE (finished_at IS NULL);

-- CreateIndex
CREATE INDEX "store_import_age" ON "store_import"("created_at");

-- AddForeignKey
ALTER TABLE "store_import" ADD CONSTRAINT "store_import_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "store_import_piece" ADD CONSTRAINT "store_import_piece_store_id_import_id_fkey" FOREIGN KEY ("store_id", "import_id") REFERENCES "store_import"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "store_import_error" ADD CONSTRAINT "store_import_error_store_id_import_id_fkey" FOREIGN KEY ("store_id", "import_id") REFERENCES "store_import"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "product_image_url" ADD CONSTRAINT "product_image_url_store_id_product_id_fkey" FOREIGN KEY ("store_id", "product_id") REFERENCES "product"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE store_import ADD CHECK (kind IN ('PRODUCTS', 'CUSTOMERS'));
ALTER TABLE store_import ADD CHECK (format IN ('CSV', 'JSON_LINES'));
ALTER TABLE store_import ADD CHECK (status IN ('RECEIVING', 'QUEUED', 'RUNNING', 'COMPLETED', 'CANCELED', 'FAILED'));
ALTER TABLE store_import ADD CHECK ((status = 'FAILED') = (failure IS NOT NULL));
ALTER TABLE store_import ADD CHECK ((status IN ('COMPLETED', 'CANCELED', 'FAILED')) = (finished_at IS NOT NULL));
ALTER TABLE store_import ADD CHECK (bytes_read <= byte_count);
-- Nothing of a file can be counted twice: it is in one of these.
ALTER TABLE store_import ADD CHECK (position = created + updated + skipped + failed);
