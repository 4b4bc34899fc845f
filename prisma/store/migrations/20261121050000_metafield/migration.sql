-- Metafields go with their owner. No foreign key can say so, for an owner is in one of many tables; the argument of the trigger is its SDL type.
CREATE FUNCTION forget_metafields() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM metafield WHERE store_id = OLD.store_id AND owner_type = TG_ARGV[0] AND owner_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER forget_metafields AFTER DELETE ON product_category FOR EACH ROW EXECUTE FUNCTION forget_metafields('ProductCategory');
CREATE TRIGGER forget_metafields AFTER DELETE ON product FOR EACH ROW EXECUTE FUNCTION forget_metafields('Product');
CREATE TRIGGER forget_metafields AFTER DELETE ON product_variant FOR EACH ROW EXECUTE FUNCTION forget_metafields('ProductVariant');
CREATE TRIGGER forget_metafields AFTER DELETE ON custom_field FOR EACH ROW EXECUTE FUNCTION forget_metafields('CustomField');
CREATE TRIGGER forget_metafields AFTER DELETE ON location FOR EACH ROW EXECUTE FUNCTION forget_metafields('Location');
CREATE TRIGGER forget_metafields AFTER DELETE ON customer FOR EACH ROW EXECUTE FUNCTION forget_metafields('Customer');
CREATE TRIGGER forget_metafields AFTER DELETE ON customer_category FOR EACH ROW EXECUTE FUNCTION forget_metafields('CustomerCategory');
CREATE TRIGGER forget_metafields AFTER DELETE ON checkout_custom_field FOR EACH ROW EXECUTE FUNCTION forget_metafields('CheckoutCustomField');
CREATE TRIGGER forget_metafields AFTER DELETE ON tax FOR EACH ROW EXECUTE FUNCTION forget_metafields('Tax');
CREATE TRIGGER forget_metafields AFTER DELETE ON promotion FOR EACH ROW EXECUTE FUNCTION forget_metafields('Promotion');
CREATE TRIGGER forget_metafields AFTER DELETE ON shipping_method FOR EACH ROW EXECUTE FUNCTION forget_metafields('ShippingMethod');
CREATE TRIGGER forget_metafields AFTER DELETE ON payment_method FOR EACH ROW EXECUTE FUNCTION forget_metafields('PaymentMethod');
CREATE TRIGGER forget_metafields AFTER DELETE ON "order" FOR EACH ROW EXECUTE FUNCTION forget_metafields('Order');
CREATE TRIGGER forget_metafields AFTER DELETE ON fulfillment FOR EACH ROW EXECUTE FUNCTION forget_metafields('Fulfillment');
CREATE TRIGGER forget_metafields AFTER DELETE ON page FOR EACH ROW EXECUTE FUNCTION forget_metafields('Page');
CREATE TRIGGER forget_metafields AFTER DELETE ON page_category FOR EACH ROW EXECUTE FUNCTION forget_metafields('PageCategory');
CREATE TRIGGER forget_metafields AFTER DELETE ON page_template FOR EACH ROW EXECUTE FUNCTION forget_metafields('PageTemplate');
