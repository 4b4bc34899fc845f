-- Documents of orders have metafields, which go with them.
CREATE TRIGGER forget_metafields AFTER DELETE ON order_document FOR EACH ROW EXECUTE FUNCTION forget_metafields('OrderDocument');
