-- Names are told apart by more than before: `カラス` and `ガラス`, `25` and `2⁵`, `CAFE` and `CAFÉ` had one key. And search no longer does without the signs of scripts in which
-- they are as good as letters.

-- Where the database's own locale knows no letters but those of ASCII, as `C`, that of Unicode has to.
DO $$ BEGIN
  EXECUTE format(
    'CREATE FUNCTION pg_temp.lowered(text) RETURNS text LANGUAGE sql IMMUTABLE AS %L',
    CASE
      WHEN lower('Д') = 'д' THEN 'SELECT lower($1)'
      WHEN EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN 'SELECT lower($1 COLLATE "und-x-icu")'
    END);
EXCEPTION WHEN null_value_not_allowed OR syntax_error THEN
  RAISE EXCEPTION 'Expected a database whose lower() knows more letters than those of ASCII: create it with a locale of UTF-8, such as C.UTF-8.';
END $$;

-- What `identityKey` and `textKey` of subgraphs/store/text-key.ts make of a text. Taken apart first, letters with accents are lowered whatever the database's locale
-- knows; at the end of a word, Σ becomes ς.
CREATE FUNCTION pg_temp.plain_spaces(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT btrim(regexp_replace($1, '[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+', ' ', 'g'), ' ')
$$;
CREATE FUNCTION pg_temp.identity_key(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT pg_temp.plain_spaces(normalize(pg_temp.lowered(normalize(
    regexp_replace(normalize($1, NFC), '([\u0370-\u03ff\u1f00-\u1fff])Σ(?![\u0370-\u03ff\u1f00-\u1fff])', '\1ς', 'g'), NFD)), NFC))
$$;
CREATE FUNCTION pg_temp.search_key(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT pg_temp.plain_spaces(pg_temp.lowered(regexp_replace(normalize(left($1, 20000), NFKD),
    '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]',
    '', 'g')))
$$;
-- Scripts with such signs: from Syriac to Mongolian, Japanese, further ones of India and South East Asia.
CREATE FUNCTION pg_temp.has_signs(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT $1 ~ '[\u0700-\u1aaf\u1b00-\u1dbf\u3040-\u30ff\ua800-\uabff\uff61-\uff9f\U00010a00-\U0001efff]'
$$;

-- No two rows can clash. What has one new key had one old key, which is the new one less accents and signs; old keys are unique, so new ones are. Nor meets a row that
-- is written another that is yet to be: a new key that is the old key of another row would be that of its own row as well.
UPDATE product_option SET name_key = pg_temp.identity_key(name) WHERE name_key <> pg_temp.identity_key(name);
UPDATE product_option_value SET name_key = pg_temp.identity_key(name) WHERE name_key <> pg_temp.identity_key(name);
UPDATE custom_field SET label_key = pg_temp.identity_key(label) WHERE label_key <> pg_temp.identity_key(label);
UPDATE custom_field_select_option SET value_key = pg_temp.identity_key(value) WHERE value_key <> pg_temp.identity_key(value);
UPDATE coupon SET code_key = pg_temp.identity_key(code) WHERE code_key <> pg_temp.identity_key(code);

-- Only what has signs is found by other keys than before.
CREATE TEMPORARY TABLE found_by ON COMMIT DROP AS SELECT store_id, product_id, field, pg_temp.search_key(text) AS key FROM (
  SELECT store_id, id AS product_id, field, text
  FROM product, LATERAL (VALUES
    ('name', name), ('description', description), ('sku', sku), ('barcode', barcode), ('brand', brand)) AS texts (field, text)
  WHERE text IS NOT NULL
  UNION ALL
  SELECT store_id, product_id, field, text
  FROM product_translation, LATERAL (VALUES ('name', name), ('description', description)) AS texts (field, text)
  WHERE text IS NOT NULL
  UNION ALL
  SELECT store_id, product_id, field, text
  FROM product_variant, LATERAL (VALUES ('sku', sku), ('barcode', barcode)) AS texts (field, text)
  WHERE text IS NOT NULL
  UNION ALL
  SELECT store_id, product_id, 'option_name', name FROM product_option
  UNION ALL
  SELECT store_id, product_id, 'variants', name FROM product_option_value
  UNION ALL
  SELECT store_id, product_id, 'custom_fields', value FROM product_custom_field_value WHERE value IS NOT NULL
  UNION ALL
  SELECT held.store_id, held.product_id, 'custom_fields_selects', chosen.value
  FROM product_custom_field_value held
  JOIN custom_field_select_option chosen ON chosen.store_id = held.store_id AND chosen.id = held.select_option_id
) AS texts;
DELETE FROM found_by WHERE NOT pg_temp.has_signs(key);
DELETE FROM product_search USING (SELECT DISTINCT store_id, product_id, field FROM found_by) AS changed
  WHERE product_search.store_id = changed.store_id AND product_search.product_id = changed.product_id
    AND product_search.field = changed.field AND pg_temp.has_signs(product_search.text_key);
INSERT INTO product_search (store_id, product_id, field, text_key)
  SELECT store_id, product_id, field, key FROM found_by;

UPDATE customer SET search_key = pg_temp.search_key(concat_ws(' ', email,
    concat(billing_address ->> 'name', ' ', billing_address ->> 'surname'),
    nullif(concat(shipping_address ->> 'name', ' ', shipping_address ->> 'surname'),
      concat(billing_address ->> 'name', ' ', billing_address ->> 'surname')),
    phone, regexp_replace(coalesce(phone_prefix, '') || phone, '[^+0-9]', '', 'g')))
  WHERE pg_temp.has_signs(search_key);

UPDATE "order" SET search_key = pg_temp.search_key(concat_ws(' ',
    customer ->> 'email', customer ->> 'fullname', customer ->> 'phone',
    shipping_address ->> 'name', shipping_address ->> 'surname', billing_address ->> 'name', billing_address ->> 'surname',
    (SELECT string_agg(concat_ws(' ', line.name, line.sku), ' ' ORDER BY line.id) FROM order_line line
     WHERE line.store_id = "order".store_id AND line.order_id = "order".id)))
  WHERE pg_temp.has_signs(search_key);

DROP FUNCTION pg_temp.has_signs, pg_temp.search_key, pg_temp.identity_key, pg_temp.plain_spaces, pg_temp.lowered;
