-- AlterTable
ALTER TABLE "store" ADD COLUMN     "low_stock_alerts" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "staff_member" ADD COLUMN     "low_stock_email" TEXT;

-- CreateTable
CREATE TABLE "low_stock_item" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "product_id" INTEGER NOT NULL,
    "variant_id" INTEGER,
    "alert_id" INTEGER,

    CONSTRAINT "low_stock_item_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "low_stock_alert" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "low_stock_alert_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE INDEX "low_stock_item_alert" ON "low_stock_item"("store_id", "alert_id");

-- CreateIndex
CREATE INDEX "low_stock_item_unreported" ON "low_stock_item"("store_id") WHERE (alert_id IS NULL);

-- AddForeignKey
ALTER TABLE "low_stock_item" ADD CONSTRAINT "low_stock_item_store_id_product_id_fkey" FOREIGN KEY ("store_id", "product_id") REFERENCES "product"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "low_stock_item" ADD CONSTRAINT "low_stock_item_store_id_product_id_variant_id_fkey" FOREIGN KEY ("store_id", "product_id", "variant_id") REFERENCES "product_variant"("store_id", "product_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "low_stock_alert" ADD CONSTRAINT "low_stock_alert_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- One row of an item until it is above its threshold again.
CREATE UNIQUE INDEX low_stock_item_once ON low_stock_item (store_id, product_id, coalesce(variant_id, 0));

-- An item falls to its threshold, or is above it again, in the transaction that changes its stock:
-- whatever changes it. The condition of the trigger costs no call where neither happens.
CREATE FUNCTION note_low_stock() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  item low_stock_item;
BEGIN
  item.store_id := NEW.store_id;
  IF TG_TABLE_NAME = 'product' THEN
    item.product_id := NEW.id;
  ELSE
    item.product_id := NEW.product_id;
    item.variant_id := NEW.id;
  END IF;
  IF NEW.stock_notification AND NOT NEW.stock_unlimited AND NEW.stock <= NEW.stock_threshold THEN
    INSERT INTO low_stock_item (store_id, product_id, variant_id) VALUES (item.store_id, item.product_id, item.variant_id)
    ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM low_stock_item WHERE store_id = item.store_id AND product_id = item.product_id
      AND coalesce(variant_id, 0) = coalesce(item.variant_id, 0);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER low_stock AFTER UPDATE OF stock, stock_unlimited, stock_threshold, stock_notification ON product FOR EACH ROW
  WHEN ((OLD.stock_notification AND NOT OLD.stock_unlimited AND OLD.stock <= OLD.stock_threshold)
    <> (NEW.stock_notification AND NOT NEW.stock_unlimited AND NEW.stock <= NEW.stock_threshold)) EXECUTE FUNCTION note_low_stock();
CREATE TRIGGER low_stock AFTER UPDATE OF stock, stock_unlimited, stock_threshold, stock_notification ON product_variant FOR EACH ROW
  WHEN ((OLD.stock_notification AND NOT OLD.stock_unlimited AND OLD.stock <= OLD.stock_threshold)
    <> (NEW.stock_notification AND NOT NEW.stock_unlimited AND NEW.stock <= NEW.stock_threshold)) EXECUTE FUNCTION note_low_stock();

SELECT audit_table('staff_member', '{}', '{role,accepted_at}', '{low_stock_email}');
SELECT audit_table('store', '{}', '{name,currency,country,timezone,weight_unit,subscription_plan,order_confirmations,return_window_days,low_stock_alerts}', '{email,address,logo_url,whatsapp_phone,fb_pixel_id,theme,owner_id,hooks_token}', 'id', 'id');

-- After its last number every sale of a last unit would fail: it begins again instead, as a number
-- tells apart the items of one store that are low at one time.
ALTER SEQUENCE low_stock_item_id_seq CYCLE;
