-- CreateTable
CREATE TABLE "inventory_transfer" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'DRAFT',
    "source_id" INTEGER,
    "destination_id" INTEGER,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "inventory_transfer_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "inventory_transfer_line" (
    "store_id" INTEGER NOT NULL,
    "transfer_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "product_id" INTEGER NOT NULL,
    "variant_id" INTEGER,
    "quantity" INTEGER NOT NULL,
    "received" INTEGER NOT NULL DEFAULT 0,
    "missing" INTEGER NOT NULL DEFAULT 0,
    "reason" TEXT,
    "returned" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "inventory_transfer_line_pkey" PRIMARY KEY ("store_id","transfer_id","id")
);

-- AddForeignKey
ALTER TABLE "inventory_transfer" ADD CONSTRAINT "inventory_transfer_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inventory_transfer" ADD CONSTRAINT "inventory_transfer_store_id_source_id_fkey" FOREIGN KEY ("store_id", "source_id") REFERENCES "location"("store_id", "id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inventory_transfer" ADD CONSTRAINT "inventory_transfer_store_id_destination_id_fkey" FOREIGN KEY ("store_id", "destination_id") REFERENCES "location"("store_id", "id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inventory_transfer_line" ADD CONSTRAINT "inventory_transfer_line_store_id_transfer_id_fkey" FOREIGN KEY ("store_id", "transfer_id") REFERENCES "inventory_transfer"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- A location that is deleted leaves the transfer.
ALTER TABLE inventory_transfer DROP CONSTRAINT inventory_transfer_store_id_source_id_fkey;
ALTER TABLE inventory_transfer ADD CONSTRAINT inventory_transfer_store_id_source_id_fkey
  FOREIGN KEY (store_id, source_id) REFERENCES location ON DELETE SET NULL (source_id);
ALTER TABLE inventory_transfer DROP CONSTRAINT inventory_transfer_store_id_destination_id_fkey;
ALTER TABLE inventory_transfer ADD CONSTRAINT inventory_transfer_store_id_destination_id_fkey
  FOREIGN KEY (store_id, destination_id) REFERENCES location ON DELETE SET NULL (destination_id);

ALTER TABLE inventory_transfer ADD CHECK (status IN ('DRAFT', 'IN_TRANSIT', 'RECEIVED', 'CANCELED'));
ALTER TABLE inventory_transfer ADD CHECK ((status IN ('RECEIVED', 'CANCELED')) = (finished_at IS NOT NULL));
ALTER TABLE inventory_transfer ADD CHECK (status NOT IN ('IN_TRANSIT', 'RECEIVED') OR sent_at IS NOT NULL);
ALTER TABLE inventory_transfer ADD CHECK (source_id <> destination_id);
ALTER TABLE inventory_transfer_line ADD CHECK (quantity >= 1);
-- No unit is counted twice: it is in at most one of these.
ALTER TABLE inventory_transfer_line ADD CHECK (received >= 0 AND missing >= 0 AND returned >= 0 AND received + missing + returned <= quantity);
ALTER TABLE inventory_transfer_line ADD CHECK (reason IN ('DAMAGED', 'LOST', 'NOT_SENT', 'OTHER'));
ALTER TABLE inventory_transfer_line ADD CHECK ((missing > 0) = (reason IS NOT NULL));
CREATE INDEX inventory_transfer_open ON inventory_transfer (store_id, id) WHERE finished_at IS NULL;

SELECT audit_table('inventory_transfer', '{}', '{status,source_id,destination_id}', '{note}');
SELECT audit_table('inventory_transfer_line', '{transfer_id,product_id,variant_id}', '{quantity,received,missing,reason,returned}', '{}');
