-- Metafields of a price list go with it.
CREATE TRIGGER forget_metafields AFTER DELETE ON price_list FOR EACH ROW EXECUTE FUNCTION forget_metafields('PriceList');
