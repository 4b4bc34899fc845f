-- SPDX identifier of the licence of an item; null: none is known. The next import writes it.
ALTER TABLE "item" ADD COLUMN "license" TEXT;
