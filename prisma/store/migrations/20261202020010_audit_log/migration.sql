-- CreateTable
CREATE TABLE "audit_entry" (
    "store_id" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "id" SERIAL NOT NULL,
    "actor" TEXT NOT NULL,
    "user_id" TEXT,
    "role" TEXT,
    "app_code" TEXT,
    "operation" TEXT NOT NULL,
    "request_id" TEXT,
    "noun" TEXT NOT NULL,
    "object_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "fields" JSONB NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("store_id","at","id")
);

-- CreateIndex
CREATE INDEX "audit_entry_object" ON "audit_entry"("store_id", "noun", "object_id", "at");

-- CreateIndex
CREATE INDEX "audit_entry_user" ON "audit_entry"("user_id") WHERE (user_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "audit_entry_age" ON "audit_entry" USING BRIN ("at");

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE audit_entry ADD CHECK (actor IN ('USER', 'AUTHTOKEN', 'APP', 'OPERATOR'));
ALTER TABLE audit_entry ADD CHECK ((actor = 'USER') = (role IS NOT NULL));
ALTER TABLE audit_entry ADD CHECK (user_id IS NULL OR actor = 'USER');
ALTER TABLE audit_entry ADD CHECK ((actor = 'APP') = (app_code IS NOT NULL));
ALTER TABLE audit_entry ADD CHECK (kind IN ('CREATED', 'UPDATED', 'DELETED'));

-- Makes, or replaces, the trigger that keeps changes of a table in the audit log. It works where
-- a transaction has set atrium.audit_entry to who makes the change, and only for statements of the
-- transaction itself: what foreign keys and other triggers do follows from these.
-- Of names the value is kept with every entry, of kept columns the values before and after a
-- change, of noted columns that they have changed. It is one function for each table, because
-- fields of a record that are named in the text are read ten times as fast as those of to_jsonb.
CREATE FUNCTION audit_table(audited text, names text[], kept text[], noted text[], id_column text DEFAULT 'id', store_column text DEFAULT 'store_id')
RETURNS void LANGUAGE plpgsql AS $audit_table$
DECLARE
  named text;
  changed text;
  valued text;
BEGIN
  -- A text is cut: a log is no copy of descriptions.
  SELECT
    string_agg(format('%L, jsonb_build_array(%s)', name, replace(value, '$', 'thing')), ', ') FILTER (WHERE name = ANY(names)),
    string_agg(
      format('%L, CASE WHEN OLD.%I IS DISTINCT FROM NEW.%I THEN %s END', name, name, name, CASE WHEN name = ANY(noted)
        THEN 'jsonb_build_array()'
        ELSE format('jsonb_build_array(%s, %s)', replace(value, '$', 'OLD'), replace(value, '$', 'NEW')) END), ', '),
    string_agg(
      format('%L, CASE WHEN thing.%I IS NOT NULL THEN CASE TG_OP WHEN ''INSERT'' THEN jsonb_build_array(NULL, %s) ELSE jsonb_build_array(%s, NULL) END END',
        name, name, replace(value, '$', 'thing'), replace(value, '$', 'thing')), ', ') FILTER (WHERE name = ANY(kept))
  INTO named, changed, valued
  FROM (
    SELECT attname AS name, format(CASE WHEN atttypid = 'text'::regtype THEN 'left($.%I, 200)' ELSE '$.%I' END, attname) AS value
    FROM pg_attribute
    WHERE attrelid = format('%I', audited)::regclass AND attnum > 0 AND NOT attisdropped AND attname = ANY(names || kept || noted)
    ORDER BY attnum
  ) AS columns;

  EXECUTE format($function$
    CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      entry jsonb := current_setting('atrium.audit_entry');
      thing %I;
      fields jsonb;
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        fields := jsonb_strip_nulls(jsonb_build_object(%s));
        IF fields = '{}' THEN RETURN NULL; END IF;
        thing := NEW;
      ELSE
        IF TG_OP = 'INSERT' THEN thing := NEW; ELSE thing := OLD; END IF;
        fields := jsonb_strip_nulls(jsonb_build_object(%s));
      END IF;
      INSERT INTO audit_entry (store_id, at, actor, user_id, role, app_code, operation, request_id, noun, object_id, kind, fields)
      VALUES (thing.%I, (entry ->> 'at')::timestamptz, entry ->> 'actor', entry ->> 'userId', entry ->> 'role', entry ->> 'appCode',
        entry ->> 'operation', entry ->> 'requestId', %L, thing.%I,
        CASE TG_OP WHEN 'INSERT' THEN 'CREATED' WHEN 'UPDATE' THEN 'UPDATED' ELSE 'DELETED' END,
        jsonb_build_object(%s) || fields);
      RETURN NULL;
    END $body$
  $function$, 'audit_' || audited, audited, changed, coalesce(valued, ''), store_column, upper(audited), id_column, coalesce(named, ''));
  EXECUTE format($trigger$
    CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND current_setting('atrium.audit_entry', true) <> '') EXECUTE FUNCTION %I()
  $trigger$, audited, 'audit_' || audited);
END $audit_table$;

SELECT audit_table('app_authorization', '{app_id}', '{scopes}', '{}');
SELECT audit_table('app_subscription', '{app_id}', '{plan,ends_on}', '{}');
SELECT audit_table('checkout_custom_field', '{label}', '{type,area,required,position}', '{select_options}');
SELECT audit_table('coupon', '{promotion_id}', '{usage_limit}', '{code}');
SELECT audit_table('credential', '{}', '{reset_at}', '{token_hash}', 'store_id');
SELECT audit_table('custom_field', '{label}', '{type,product_visibility}', '{}');
SELECT audit_table('customer', '{}', '{status,accepts_marketing}', '{email,phone,shipping_address,billing_address,password_hash}');
SELECT audit_table('customer_additional_field', '{customer_id,checkout_custom_field_id}', '{}', '{value}');
SELECT audit_table('customer_category', '{name}', '{code}', '{}');
SELECT audit_table('digital_asset', '{product_id}', '{expiration_seconds}', '{external_url,file_id}');
SELECT audit_table('draft_order', '{}', '{status,currency,total,order_id}', '{contents}');
SELECT audit_table('fulfillment', '{order_id}', '{shipment_status,service_type,tracking_company,location_id}', '{tracking_number,tracking_url,address,receiver_email,phone,message,observations}');
SELECT audit_table('gift_card', '{}', '{issued,balance,expires_at,disabled_at}', '{note}');
SELECT audit_table('inventory_level', '{product_id,variant_id,location_id}', '{stock}', '{}');
SELECT audit_table('location', '{name}', '{active,main,pickup_point,is_stock_origin}', '{email,address}');
SELECT audit_table('metafield', '{owner_type,owner_id,namespace,key}', '{}', '{value,type}');
SELECT audit_table('order', '{}', '{status,fulfillment_status,shipment_status,currency,total,refunded,shipping_method_name,payment_method_name,tracking_company}', '{customer,shipping_address,billing_address,billing_information,tracking_number,tracking_url,additional_information,payment_information}');
SELECT audit_table('order_document', '{order_id}', '{document_type,app_code}', '{url,external_id,public_id}');
SELECT audit_table('order_refund', '{order_id}', '{amount,to_gift_cards,restocked}', '{reason}');
SELECT audit_table('order_return', '{order_id}', '{status,refund_id}', '{note,reason}');
SELECT audit_table('page', '{title}', '{status,permalink,legal,template_id}', '{body}');
SELECT audit_table('page_category', '{name}', '{}', '{}');
SELECT audit_table('page_template', '{name}', '{}', '{}');
SELECT audit_table('payment', '{order_id}', '{status,amount,captured,voided,refunded}', '{}');
SELECT audit_table('payment_method', '{name}', '{type,enabled}', '{description,payment_method_url,key,secret}');
SELECT audit_table('payment_operation', '{payment_id}', '{kind,amount,status}', '{message}');
SELECT audit_table('product', '{name}', '{status,type,price,discount,cost_per_item,compare_at_price,stock,stock_unlimited,stock_threshold,sku,barcode,brand,permalink,featured}', '{description,page_title,meta_description,weight,minimum_quantity,maximum_quantity}');
SELECT audit_table('product_category', '{name}', '{parent_id,permalink}', '{}');
SELECT audit_table('product_image', '{product_id}', '{position}', '{}');
SELECT audit_table('product_option', '{product_id,name}', '{option_type,position,addon_price}', '{}');
SELECT audit_table('product_review', '{product_id}', '{status,rating}', '{review,customer_email}');
SELECT audit_table('product_variant', '{product_id}', '{price,cost_per_item,compare_at_price,sku,barcode,stock,stock_unlimited,stock_threshold}', '{weight,image_id}');
SELECT audit_table('promotion', '{name}', '{enabled,discount_target,type,discount_amount_fix,discount_amount_percent,begins_at,expires_at,max_times_used,cumulative,customers}', '{condition_price,condition_qty,quantity_x,countries,regions,municipalities}');
SELECT audit_table('script_tag', '{app_id}', '{template,element}', '{url}');
SELECT audit_table('shipping_method', '{name}', '{type,enabled,free_shipping,free_shipping_from,fallback_price}', '{fees,tables,callback_url,fetch_services_url,token,state,city,postal}');
SELECT audit_table('staff_member', '{}', '{role,accepted_at}', '{}');
SELECT audit_table('store', '{}', '{name,currency,country,timezone,weight_unit,subscription_plan,order_confirmations,return_window_days}', '{email,address,logo_url,whatsapp_phone,fb_pixel_id,theme,owner_id,hooks_token}', 'id', 'id');
SELECT audit_table('store_import', '{kind,format}', '{status,dry_run,overwrite}', '{}');
SELECT audit_table('tax', '{name}', '{country,region,rate,fixed,shipping,category_id}', '{}');
SELECT audit_table('tax_settings', '{}', '{prices_include_tax,taxed_address}', '{}', 'store_id');
SELECT audit_table('theme', '{name}', '{label}', '{settings,customised}');
SELECT audit_table('theme_publication', '{theme_id}', '{}', '{}');
SELECT audit_table('webhook_subscription', '{name,event}', '{paused_at}', '{url}');
