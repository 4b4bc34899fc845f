-- Shops and everything in them. Every row belongs to one store: primary keys begin with store_id, and so do foreign keys and unique
-- indexes, so that no row can refer to another store's. Ids are unique over all stores, fit 31 bits, and are what the REST API calls id.
-- Money and measures are exact decimals with four digits behind the point. Columns named *_key hold text as it is compared: without case
-- and accents (subgraphs/store/text-key.ts).
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- Stores ------------------------------------------------------------------------------------------------------------

CREATE TABLE store (
  id                  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Part of the address of the shop; lower-case letters, digits and hyphens.
  code                text NOT NULL UNIQUE,
  name                text NOT NULL,
  email               text,
  currency            text NOT NULL,
  country             text NOT NULL,
  timezone            text NOT NULL,
  weight_unit         text NOT NULL DEFAULT 'kg' CHECK (weight_unit IN ('kg', 'lb')),
  logo_url            text,
  fb_pixel_id         text,
  whatsapp_phone      text,
  theme               text,
  address             jsonb,
  -- Signs webhooks, and is shown to whoever may read the store: a key to be kept, not a hash.
  hooks_token         text NOT NULL,
  subscription_status text NOT NULL DEFAULT 'active',
  subscription_plan   text NOT NULL DEFAULT 'pro',
  -- When the first subscription was paid; null: never.
  paid_since          timestamptz(3),
  -- Opaque id of a user of the social graph; null: nobody has claimed it.
  owner_id            text,
  -- Whose credentials set it up; null: an operator did.
  created_by          integer REFERENCES store ON DELETE SET NULL,
  created_at          timestamptz(3) NOT NULL,
  updated_at          timestamptz(3) NOT NULL,
  version             integer NOT NULL DEFAULT 1
);
CREATE INDEX store_owner ON store (owner_id);
CREATE INDEX store_creator ON store (created_by, created_at);

CREATE TABLE store_language (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  code       text NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  PRIMARY KEY (store_id, code)
);

-- The login and authtoken of a store. The token is 192 random bits, so a fast hash keeps it.
CREATE TABLE credential (
  store_id   integer PRIMARY KEY REFERENCES store ON DELETE CASCADE,
  login      text NOT NULL UNIQUE,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL,
  reset_at   timestamptz(3)
);

-- What a mutation with an idempotency key did, so that a repetition is told the same.
CREATE TABLE idempotency_key (
  store_id    integer NOT NULL REFERENCES store ON DELETE CASCADE,
  key         text NOT NULL,
  -- SHA-256 of the mutation's name and input: another input under the same key is a mistake.
  fingerprint bytea NOT NULL,
  -- Null only within the transaction that writes it.
  outcome     jsonb,
  created_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, key)
);
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

-- Facts of apps and merchants about anything that has an id.
CREATE TABLE metafield (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id         integer GENERATED ALWAYS AS IDENTITY,
  -- SDL type of the owner, such as Product.
  owner_type text NOT NULL,
  owner_id   integer NOT NULL,
  namespace  text NOT NULL,
  key        text NOT NULL,
  type       text NOT NULL,
  value      text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, owner_type, owner_id, namespace, key)
);

-- Files, wherever their bytes are.
CREATE TABLE file (
  store_id     integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id           integer GENERATED ALWAYS AS IDENTITY,
  -- Name in the storage, unguessable.
  key          text NOT NULL,
  is_public    boolean NOT NULL,
  content_type text NOT NULL,
  byte_count   bigint NOT NULL,
  sha256       bytea NOT NULL,
  filename     text NOT NULL,
  -- Where it was fetched from; null: uploaded.
  source_url   text,
  created_at   timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, key)
);

-- Catalogue ---------------------------------------------------------------------------------------------------------

CREATE TABLE product_category (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id         integer GENERATED ALWAYS AS IDENTITY,
  parent_id  integer,
  name       text NOT NULL,
  permalink  text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version    integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, permalink),
  FOREIGN KEY (store_id, parent_id) REFERENCES product_category ON DELETE SET NULL (parent_id)
);
CREATE INDEX product_category_parent ON product_category (store_id, parent_id);

CREATE TABLE product (
  store_id                integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                      integer GENERATED ALWAYS AS IDENTITY,
  name                    text NOT NULL,
  page_title              text,
  meta_description        text,
  description             text,
  type                    text NOT NULL DEFAULT 'PHYSICAL' CHECK (type IN ('PHYSICAL', 'DIGITAL', 'GIFT_CARD')),
  status                  text NOT NULL DEFAULT 'AVAILABLE' CHECK (status IN ('AVAILABLE', 'NOT_AVAILABLE', 'DISABLED')),
  -- Of a gift card, from its sale on.
  days_to_expire          integer NOT NULL DEFAULT 365,
  price                   numeric(14,4) NOT NULL CHECK (price >= 0),
  discount                numeric(14,4) NOT NULL DEFAULT 0 CHECK (discount >= 0),
  cost_per_item           numeric(14,4),
  compare_at_price        numeric(14,4),
  weight                  numeric(14,4) NOT NULL DEFAULT 1,
  -- Of a product without variants. Where stock levels exist, their sum.
  stock                   integer NOT NULL DEFAULT 0 CHECK (stock >= 0),
  stock_unlimited         boolean NOT NULL DEFAULT false,
  stock_threshold         integer NOT NULL DEFAULT 0,
  stock_notification      boolean NOT NULL DEFAULT false,
  back_in_stock_enabled   boolean NOT NULL DEFAULT false,
  minimum_quantity        integer,
  maximum_quantity        integer,
  sku                     text,
  brand                   text,
  barcode                 text,
  google_product_category text,
  quotable                boolean NOT NULL DEFAULT false,
  featured                boolean NOT NULL DEFAULT false,
  reviews_enabled         boolean NOT NULL DEFAULT true,
  shipping_required       boolean NOT NULL DEFAULT true,
  package_format          text NOT NULL DEFAULT 'BOX' CHECK (package_format IN ('BOX', 'CYLINDER')),
  length                  numeric(14,4),
  width                   numeric(14,4),
  height                  numeric(14,4),
  diameter                numeric(14,4),
  permalink               text NOT NULL,
  created_at              timestamptz(3) NOT NULL,
  updated_at              timestamptz(3) NOT NULL,
  version                 integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, permalink)
);
CREATE INDEX product_status ON product (store_id, status, id);
CREATE INDEX product_sku ON product (store_id, sku);

-- What search looks through, a row per searched text: field is one of the words of products/search (name, sku, variants, …).
CREATE TABLE product_search (
  store_id   integer NOT NULL,
  product_id integer NOT NULL,
  field      text NOT NULL,
  text_key   text NOT NULL,
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE
);
CREATE INDEX product_search_owner ON product_search (store_id, product_id, field);
CREATE INDEX product_search_text ON product_search USING gin (text_key public.gin_trgm_ops);

CREATE TABLE product_translation (
  store_id         integer NOT NULL,
  product_id       integer NOT NULL,
  locale           text NOT NULL,
  name             text,
  description      text,
  page_title       text,
  meta_description text,
  permalink        text,
  PRIMARY KEY (store_id, product_id, locale),
  UNIQUE (store_id, locale, permalink),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE
);

CREATE TABLE product_category_member (
  store_id    integer NOT NULL,
  category_id integer NOT NULL,
  product_id  integer NOT NULL,
  position    integer NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, category_id, product_id),
  FOREIGN KEY (store_id, category_id) REFERENCES product_category ON DELETE CASCADE,
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE
);
CREATE INDEX product_category_member_product ON product_category_member (store_id, product_id);

CREATE TABLE product_option (
  store_id    integer NOT NULL,
  id          integer GENERATED ALWAYS AS IDENTITY,
  product_id  integer NOT NULL,
  name        text NOT NULL,
  name_key    text NOT NULL,
  position    integer NOT NULL,
  option_type text NOT NULL DEFAULT 'OPTION' CHECK (option_type IN ('OPTION', 'INPUT', 'TEXT', 'FILE', 'COLOR', 'CHECKLIST')),
  addon_price numeric(14,4),
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, product_id, id),
  UNIQUE (store_id, product_id, name_key),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE
);

CREATE TABLE product_option_value (
  store_id   integer NOT NULL,
  id         integer GENERATED ALWAYS AS IDENTITY,
  product_id integer NOT NULL,
  option_id  integer NOT NULL,
  name       text NOT NULL,
  name_key   text NOT NULL,
  -- Of a colour: #rrggbb.
  custom     text,
  position   integer NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, product_id, id),
  UNIQUE (store_id, option_id, name_key),
  FOREIGN KEY (store_id, product_id, option_id) REFERENCES product_option (store_id, product_id, id) ON DELETE CASCADE
);

CREATE TABLE product_image (
  store_id   integer NOT NULL,
  id         integer GENERATED ALWAYS AS IDENTITY,
  product_id integer NOT NULL,
  -- From 1, without gaps.
  position   integer NOT NULL,
  file_id    integer NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, product_id, id),
  UNIQUE (store_id, product_id, position) DEFERRABLE INITIALLY DEFERRED,
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE,
  FOREIGN KEY (store_id, file_id) REFERENCES file
);

CREATE TABLE product_variant (
  store_id           integer NOT NULL,
  id                 integer GENERATED ALWAYS AS IDENTITY,
  product_id         integer NOT NULL,
  price              numeric(14,4) NOT NULL CHECK (price >= 0),
  cost_per_item      numeric(14,4),
  compare_at_price   numeric(14,4),
  weight             numeric(14,4),
  sku                text,
  barcode            text,
  stock              integer NOT NULL DEFAULT 0 CHECK (stock >= 0),
  stock_unlimited    boolean NOT NULL DEFAULT false,
  stock_threshold    integer NOT NULL DEFAULT 0,
  stock_notification boolean NOT NULL DEFAULT false,
  image_id           integer,
  -- The ids of its option values, ascending, with commas: one variant per combination.
  combination        text NOT NULL,
  created_at         timestamptz(3) NOT NULL,
  updated_at         timestamptz(3) NOT NULL,
  version            integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, product_id, id),
  UNIQUE (store_id, product_id, combination),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE,
  FOREIGN KEY (store_id, product_id, image_id) REFERENCES product_image (store_id, product_id, id) ON DELETE SET NULL (image_id)
);
CREATE INDEX product_variant_sku ON product_variant (store_id, sku);

CREATE TABLE product_variant_value (
  store_id   integer NOT NULL,
  product_id integer NOT NULL,
  variant_id integer NOT NULL,
  value_id   integer NOT NULL,
  PRIMARY KEY (store_id, variant_id, value_id),
  FOREIGN KEY (store_id, product_id, variant_id) REFERENCES product_variant (store_id, product_id, id) ON DELETE CASCADE,
  FOREIGN KEY (store_id, product_id, value_id) REFERENCES product_option_value (store_id, product_id, id) ON DELETE CASCADE
);
CREATE INDEX product_variant_value_value ON product_variant_value (store_id, value_id);

CREATE TABLE product_attachment (
  store_id   integer NOT NULL,
  id         integer GENERATED ALWAYS AS IDENTITY,
  product_id integer NOT NULL,
  file_id    integer NOT NULL,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE,
  FOREIGN KEY (store_id, file_id) REFERENCES file
);
CREATE INDEX product_attachment_product ON product_attachment (store_id, product_id);

CREATE TABLE digital_asset (
  store_id           integer NOT NULL,
  id                 integer GENERATED ALWAYS AS IDENTITY,
  product_id         integer NOT NULL,
  -- A file of ours, or an address elsewhere.
  file_id            integer,
  external_url       text,
  -- How long a link to it is good for.
  expiration_seconds integer NOT NULL,
  PRIMARY KEY (store_id, id),
  CHECK ((file_id IS NULL) <> (external_url IS NULL)),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE,
  FOREIGN KEY (store_id, file_id) REFERENCES file
);
CREATE INDEX digital_asset_product ON digital_asset (store_id, product_id);

CREATE TABLE custom_field (
  store_id           integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                 integer GENERATED ALWAYS AS IDENTITY,
  label              text NOT NULL,
  label_key          text NOT NULL,
  type               text NOT NULL CHECK (type IN ('TEXT', 'SELECTION', 'INPUT')),
  product_visibility boolean NOT NULL DEFAULT true,
  created_at         timestamptz(3) NOT NULL,
  updated_at         timestamptz(3) NOT NULL,
  version            integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, label_key)
);

CREATE TABLE custom_field_select_option (
  store_id        integer NOT NULL,
  id              integer GENERATED ALWAYS AS IDENTITY,
  custom_field_id integer NOT NULL,
  value           text NOT NULL,
  value_key       text NOT NULL,
  position        integer NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, custom_field_id, id),
  UNIQUE (store_id, custom_field_id, value_key),
  FOREIGN KEY (store_id, custom_field_id) REFERENCES custom_field ON DELETE CASCADE
);

CREATE TABLE product_custom_field_value (
  store_id         integer NOT NULL,
  id               integer GENERATED ALWAYS AS IDENTITY,
  product_id       integer NOT NULL,
  custom_field_id  integer NOT NULL,
  -- Null: of the product itself.
  variant_id       integer,
  -- Of a selection; otherwise value holds the text.
  select_option_id integer,
  value            text,
  PRIMARY KEY (store_id, id),
  UNIQUE NULLS NOT DISTINCT (store_id, product_id, custom_field_id, variant_id),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE,
  FOREIGN KEY (store_id, product_id, variant_id) REFERENCES product_variant (store_id, product_id, id) ON DELETE CASCADE,
  FOREIGN KEY (store_id, custom_field_id) REFERENCES custom_field ON DELETE CASCADE,
  FOREIGN KEY (store_id, custom_field_id, select_option_id)
    REFERENCES custom_field_select_option (store_id, custom_field_id, id) ON DELETE CASCADE
);

-- Stock -------------------------------------------------------------------------------------------------------------

CREATE TABLE location (
  store_id        integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id              integer GENERATED ALWAYS AS IDENTITY,
  name            text NOT NULL,
  email           text,
  active          boolean NOT NULL DEFAULT true,
  main            boolean NOT NULL DEFAULT false,
  pickup_point    boolean NOT NULL DEFAULT false,
  is_stock_origin boolean NOT NULL DEFAULT true,
  address         jsonb NOT NULL,
  created_at      timestamptz(3) NOT NULL,
  updated_at      timestamptz(3) NOT NULL,
  version         integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id)
);
-- Exactly one: at most one by this index, at least one by the rules.
CREATE UNIQUE INDEX location_main ON location (store_id) WHERE main;

CREATE TABLE inventory_level (
  store_id    integer NOT NULL,
  id          integer GENERATED ALWAYS AS IDENTITY,
  location_id integer NOT NULL,
  product_id  integer NOT NULL,
  -- Null: of a product without variants.
  variant_id  integer,
  stock       integer NOT NULL CHECK (stock >= 0),
  updated_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE NULLS NOT DISTINCT (store_id, product_id, variant_id, location_id),
  FOREIGN KEY (store_id, location_id) REFERENCES location ON DELETE CASCADE,
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE,
  FOREIGN KEY (store_id, product_id, variant_id) REFERENCES product_variant (store_id, product_id, id) ON DELETE CASCADE
);
CREATE INDEX inventory_level_location ON inventory_level (store_id, location_id);

-- Customers ---------------------------------------------------------------------------------------------------------

CREATE TABLE customer (
  store_id               integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                     integer GENERATED ALWAYS AS IDENTITY,
  email                  text NOT NULL,
  email_key              text NOT NULL,
  phone                  text,
  phone_prefix           text,
  status                 text NOT NULL DEFAULT 'APPROVED' CHECK (status IN ('APPROVED', 'PENDING', 'DISABLED')),
  -- argon2id in PHC form; null: cannot sign in.
  password_hash          text,
  accepts_marketing      boolean NOT NULL DEFAULT false,
  accepted_marketing_at  timestamptz(3),
  cancelled_marketing_at timestamptz(3),
  shipping_address       jsonb,
  billing_address        jsonb,
  -- Names, e-mail and phone, for search.
  search_key             text NOT NULL,
  created_at             timestamptz(3) NOT NULL,
  updated_at             timestamptz(3) NOT NULL,
  version                integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, email_key)
);
CREATE INDEX customer_created ON customer (store_id, created_at, id);
CREATE INDEX customer_search ON customer USING gin (search_key public.gin_trgm_ops);

CREATE TABLE customer_category (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id         integer GENERATED ALWAYS AS IDENTITY,
  name       text NOT NULL,
  code       text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version    integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, code)
);

CREATE TABLE customer_category_member (
  store_id    integer NOT NULL,
  category_id integer NOT NULL,
  customer_id integer NOT NULL,
  PRIMARY KEY (store_id, category_id, customer_id),
  FOREIGN KEY (store_id, category_id) REFERENCES customer_category ON DELETE CASCADE,
  FOREIGN KEY (store_id, customer_id) REFERENCES customer ON DELETE CASCADE
);
CREATE INDEX customer_category_member_customer ON customer_category_member (store_id, customer_id);

CREATE TABLE checkout_custom_field (
  store_id       integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id             integer GENERATED ALWAYS AS IDENTITY,
  label          text NOT NULL,
  type           text NOT NULL CHECK (type IN ('TEXT', 'SELECT', 'INPUT', 'CHECKBOX', 'DATE')),
  area           text NOT NULL CHECK (area IN ('CONTACT', 'BILLING_SHIPPING', 'OTHER')),
  required       boolean NOT NULL DEFAULT false,
  position       integer NOT NULL,
  deletable      boolean NOT NULL DEFAULT true,
  select_options text[] NOT NULL DEFAULT '{}',
  created_at     timestamptz(3) NOT NULL,
  updated_at     timestamptz(3) NOT NULL,
  version        integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id)
);

CREATE TABLE customer_additional_field (
  store_id                 integer NOT NULL,
  id                       integer GENERATED ALWAYS AS IDENTITY,
  customer_id              integer NOT NULL,
  checkout_custom_field_id integer NOT NULL,
  value                    text NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, customer_id, checkout_custom_field_id),
  FOREIGN KEY (store_id, customer_id) REFERENCES customer ON DELETE CASCADE,
  FOREIGN KEY (store_id, checkout_custom_field_id) REFERENCES checkout_custom_field ON DELETE CASCADE
);

-- Prices ------------------------------------------------------------------------------------------------------------

CREATE TABLE tax (
  store_id    integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id          integer GENERATED ALWAYS AS IDENTITY,
  name        text NOT NULL,
  country     text,
  region      text,
  category_id integer,
  -- Percent, or an amount of money when fixed.
  rate        numeric(14,4) NOT NULL CHECK (rate >= 0),
  fixed       boolean NOT NULL DEFAULT false,
  -- On shipping instead of products.
  shipping    boolean NOT NULL DEFAULT false,
  created_at  timestamptz(3) NOT NULL,
  updated_at  timestamptz(3) NOT NULL,
  version     integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, category_id) REFERENCES product_category ON DELETE CASCADE
);

CREATE TABLE promotion (
  store_id                integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                      integer GENERATED ALWAYS AS IDENTITY,
  name                    text NOT NULL,
  enabled                 boolean NOT NULL DEFAULT true,
  discount_target         text NOT NULL CHECK (discount_target IN ('ORDER', 'SHIPPING', 'CATEGORIES', 'BUY_X_GET_Y')),
  buys_at_least           text NOT NULL DEFAULT 'NONE' CHECK (buys_at_least IN ('NONE', 'PRICE', 'QTY', 'SINGLE_ITEM')),
  condition_price         numeric(14,4),
  condition_qty           integer,
  quantity_x              integer,
  type                    text NOT NULL CHECK (type IN ('FIX', 'PERCENTAGE')),
  discount_amount_fix     numeric(14,4),
  discount_amount_percent numeric(14,4),
  lasts                   text NOT NULL DEFAULT 'NONE' CHECK (lasts IN ('NONE', 'DATE', 'MAX_TIMES_USED', 'BOTH')),
  begins_at               timestamptz(3),
  expires_at              timestamptz(3),
  times_used              integer NOT NULL DEFAULT 0,
  max_times_used          integer,
  cumulative              boolean NOT NULL DEFAULT false,
  customers               text NOT NULL DEFAULT 'ALL' CHECK (customers IN ('ALL', 'LOGGEDIN', 'CATEGORIES', 'GUESTS')),
  -- Empty: everywhere.
  countries               text[] NOT NULL DEFAULT '{}',
  regions                 text[] NOT NULL DEFAULT '{}',
  municipalities          text[] NOT NULL DEFAULT '{}',
  created_at              timestamptz(3) NOT NULL,
  updated_at              timestamptz(3) NOT NULL,
  version                 integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id)
);

-- is_x: what has to be bought to get something else cheaper.
CREATE TABLE promotion_category (
  store_id     integer NOT NULL,
  promotion_id integer NOT NULL,
  category_id  integer NOT NULL,
  is_x         boolean NOT NULL,
  PRIMARY KEY (store_id, promotion_id, category_id, is_x),
  FOREIGN KEY (store_id, promotion_id) REFERENCES promotion ON DELETE CASCADE,
  FOREIGN KEY (store_id, category_id) REFERENCES product_category ON DELETE CASCADE
);
CREATE TABLE promotion_product (
  store_id     integer NOT NULL,
  promotion_id integer NOT NULL,
  product_id   integer NOT NULL,
  is_x         boolean NOT NULL,
  PRIMARY KEY (store_id, promotion_id, product_id, is_x),
  FOREIGN KEY (store_id, promotion_id) REFERENCES promotion ON DELETE CASCADE,
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE
);
CREATE TABLE promotion_customer_category (
  store_id     integer NOT NULL,
  promotion_id integer NOT NULL,
  category_id  integer NOT NULL,
  PRIMARY KEY (store_id, promotion_id, category_id),
  FOREIGN KEY (store_id, promotion_id) REFERENCES promotion ON DELETE CASCADE,
  FOREIGN KEY (store_id, category_id) REFERENCES customer_category ON DELETE CASCADE
);

CREATE TABLE coupon (
  store_id     integer NOT NULL,
  id           integer GENERATED ALWAYS AS IDENTITY,
  promotion_id integer NOT NULL,
  code         text NOT NULL,
  code_key     text NOT NULL,
  -- 0: none.
  usage_limit  integer NOT NULL DEFAULT 0 CHECK (usage_limit >= 0),
  times_used   integer NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, code_key),
  FOREIGN KEY (store_id, promotion_id) REFERENCES promotion ON DELETE CASCADE,
  CHECK (usage_limit = 0 OR times_used <= usage_limit)
);

CREATE TABLE shipping_method (
  store_id                       integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                             integer GENERATED ALWAYS AS IDENTITY,
  type                           text NOT NULL
    CHECK (type IN ('FREE', 'TABLES', 'CORREOS_CHILE', 'CHILEXPRESS', 'FLAT', 'UPS', 'EXTERNAL')),
  name                           text NOT NULL,
  enabled                        boolean NOT NULL DEFAULT true,
  free_shipping                  boolean NOT NULL DEFAULT false,
  free_shipping_minimum_purchase boolean NOT NULL DEFAULT false,
  fees                           jsonb NOT NULL DEFAULT '[]',
  -- Of an external method: who is asked for rates, and where the goods leave from.
  callback_url                   text,
  fetch_services_url             text,
  token                          text,
  state                          text,
  city                           text,
  postal                         text,
  tables                         jsonb NOT NULL DEFAULT '[]',
  created_at                     timestamptz(3) NOT NULL,
  updated_at                     timestamptz(3) NOT NULL,
  version                        integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id)
);

CREATE TABLE shipping_service (
  store_id              integer NOT NULL,
  id                    integer GENERATED ALWAYS AS IDENTITY,
  shipping_method_id    integer NOT NULL,
  service_code          text NOT NULL,
  service_name          text NOT NULL,
  original_service_name text NOT NULL,
  enabled               boolean NOT NULL DEFAULT true,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, shipping_method_id, service_code),
  FOREIGN KEY (store_id, shipping_method_id) REFERENCES shipping_method ON DELETE CASCADE
);

CREATE TABLE payment_method (
  store_id           integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                 integer GENERATED ALWAYS AS IDENTITY,
  type               text NOT NULL,
  name               text NOT NULL,
  description        text,
  payment_method_url text,
  -- Sign what we send to the gateway; never told to anybody.
  key                text,
  secret             text,
  show_review        boolean NOT NULL DEFAULT false,
  use_new_version    boolean NOT NULL DEFAULT true,
  enabled            boolean NOT NULL DEFAULT true,
  created_at         timestamptz(3) NOT NULL,
  updated_at         timestamptz(3) NOT NULL,
  version            integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id)
);

-- Orders ------------------------------------------------------------------------------------------------------------

-- A cart is an order that is abandoned, which is what every order begins as.
CREATE TABLE "order" (
  store_id                 integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                       integer GENERATED ALWAYS AS IDENTITY,
  status                   text NOT NULL CHECK (status IN ('ABANDONED', 'CANCELED', 'PENDING_PAYMENT', 'PAID')),
  fulfillment_status       text NOT NULL DEFAULT 'UNFULFILLED' CHECK (fulfillment_status IN ('UNFULFILLED', 'FULFILLED')),
  shipment_status          text NOT NULL DEFAULT 'UNFULFILLED'
    CHECK (shipment_status IN ('UNFULFILLED', 'REQUESTED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'PICKUP_AVAILABLE')),
  currency                 text NOT NULL,
  locale                   text,
  subtotal                 numeric(14,4) NOT NULL,
  tax                      numeric(14,4) NOT NULL DEFAULT 0,
  shipping                 numeric(14,4) NOT NULL DEFAULT 0,
  shipping_tax             numeric(14,4) NOT NULL DEFAULT 0,
  discount                 numeric(14,4) NOT NULL DEFAULT 0,
  shipping_discount        numeric(14,4) NOT NULL DEFAULT 0,
  gift_cards_discount      numeric(14,4) NOT NULL DEFAULT 0,
  total                    numeric(14,4) NOT NULL CHECK (total >= 0),
  refunded                 numeric(14,4) NOT NULL DEFAULT 0 CHECK (refunded >= 0 AND refunded <= total),
  shipping_required        boolean NOT NULL DEFAULT true,
  shipping_option          text CHECK (shipping_option IN ('DELIVERY', 'STORE_PICKUP', 'NO_SHIPPING')),
  same_day_delivery        boolean NOT NULL DEFAULT false,
  -- Snapshots beside soft references: methods, products and customers may go, orders stay.
  shipping_method_id       integer,
  shipping_service_id      integer,
  shipping_method_name     text,
  shipping_branch          jsonb,
  pickup_location_id       integer,
  payment_method_id        integer,
  payment_method_name      text,
  payment_method_type      text,
  payment_information      text,
  payment_notification_id  text,
  additional_information   text,
  external_shipping_rate_id          text,
  external_shipping_rate_description text,
  customer_id              integer,
  customer                 jsonb NOT NULL,
  shipping_address         jsonb,
  billing_address          jsonb,
  pickup_address           jsonb,
  billing_information      jsonb,
  source                   jsonb,
  coupons                  text[] NOT NULL DEFAULT '{}',
  promotions               jsonb NOT NULL DEFAULT '[]',
  shipping_taxes           jsonb NOT NULL DEFAULT '[]',
  tracking_number          text,
  tracking_company         text,
  tracking_url             text,
  -- Part of the links that a customer gets; unguessable.
  token                    text NOT NULL,
  recovered_from           integer,
  -- Names, e-mail, ids and products, for search.
  search_key               text NOT NULL,
  created_at               timestamptz(3) NOT NULL,
  -- When it first left ABANDONED.
  completed_at             timestamptz(3),
  updated_at               timestamptz(3) NOT NULL,
  version                  integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, token)
);
CREATE INDEX order_status ON "order" (store_id, status, id);
CREATE INDEX order_customer ON "order" (store_id, customer_id, id);
CREATE INDEX order_created ON "order" (store_id, created_at, id);
CREATE INDEX order_search ON "order" USING gin (search_key public.gin_trgm_ops);

CREATE TABLE order_line (
  store_id   integer NOT NULL,
  id         integer GENERATED ALWAYS AS IDENTITY,
  order_id   integer NOT NULL,
  position   integer NOT NULL,
  -- What was sold, as long as it exists.
  product_id integer,
  variant_id integer,
  sku        text,
  name       text NOT NULL,
  image_url  text,
  qty        integer NOT NULL CHECK (qty >= 1),
  -- Of one piece, before discount.
  price      numeric(14,4) NOT NULL CHECK (price >= 0),
  -- Of the whole line.
  discount   numeric(14,4) NOT NULL DEFAULT 0 CHECK (discount >= 0),
  weight     numeric(14,4) NOT NULL DEFAULT 1,
  taxes      jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, order_id, position),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE CASCADE
);
CREATE INDEX order_line_product ON order_line (store_id, product_id);

-- What an order holds of the stock. Rows go when it is given back.
CREATE TABLE stock_allocation (
  store_id      integer NOT NULL,
  id            integer GENERATED ALWAYS AS IDENTITY,
  order_line_id integer NOT NULL,
  -- Null: of a product whose stock is not kept per location.
  location_id   integer,
  product_id    integer NOT NULL,
  variant_id    integer,
  quantity      integer NOT NULL CHECK (quantity >= 1),
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, order_line_id) REFERENCES order_line ON DELETE CASCADE
);
CREATE INDEX stock_allocation_line ON stock_allocation (store_id, order_line_id);

CREATE TABLE order_additional_field (
  store_id integer NOT NULL,
  id       integer GENERATED ALWAYS AS IDENTITY,
  order_id integer NOT NULL,
  label    text NOT NULL,
  value    text,
  area     text,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE CASCADE
);
CREATE INDEX order_additional_field_order ON order_additional_field (store_id, order_id);

CREATE TABLE order_history (
  store_id   integer NOT NULL,
  id         integer GENERATED ALWAYS AS IDENTITY,
  order_id   integer NOT NULL,
  message    text NOT NULL,
  log        jsonb,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE CASCADE
);
CREATE INDEX order_history_order ON order_history (store_id, order_id, id);

CREATE TABLE order_document (
  store_id      integer NOT NULL,
  id            integer GENERATED ALWAYS AS IDENTITY,
  order_id      integer NOT NULL,
  app_code      text,
  -- 0: credit note, 1: invoice.
  document_type smallint NOT NULL CHECK (document_type IN (0, 1)),
  external_id   text,
  -- Digits.
  public_id     text NOT NULL,
  url           text,
  created_at    timestamptz(3) NOT NULL,
  updated_at    timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, public_id),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE CASCADE
);
CREATE INDEX order_document_order ON order_document (store_id, order_id);

-- An order that used a promotion, by which coupon; counted in promotion.times_used and coupon.times_used.
CREATE TABLE promotion_redemption (
  store_id     integer NOT NULL,
  order_id     integer NOT NULL,
  promotion_id integer NOT NULL,
  coupon_id    integer,
  PRIMARY KEY (store_id, order_id, promotion_id),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE CASCADE,
  FOREIGN KEY (store_id, promotion_id) REFERENCES promotion ON DELETE CASCADE,
  FOREIGN KEY (store_id, coupon_id) REFERENCES coupon ON DELETE CASCADE
);

CREATE TABLE order_refund (
  store_id   integer NOT NULL,
  id         integer GENERATED ALWAYS AS IDENTITY,
  order_id   integer NOT NULL,
  amount     numeric(14,4) NOT NULL CHECK (amount > 0),
  reason     text,
  restocked  boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE CASCADE
);
CREATE INDEX order_refund_order ON order_refund (store_id, order_id);

-- Money in (positive) and out (negative); the balance of a store is its sum.
CREATE TABLE ledger_entry (
  store_id   integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id         integer GENERATED ALWAYS AS IDENTITY,
  order_id   integer,
  kind       text NOT NULL CHECK (kind IN ('PAYMENT', 'REFUND')),
  amount     numeric(14,4) NOT NULL,
  currency   text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX ledger_entry_order ON ledger_entry (store_id, order_id);

CREATE TABLE product_review (
  store_id       integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id             integer GENERATED ALWAYS AS IDENTITY,
  product_id     integer,
  product_name   text NOT NULL,
  order_id       integer,
  customer_email text,
  status         text NOT NULL DEFAULT 'UNREAD' CHECK (status IN ('UNREAD', 'UNPUBLISHED', 'PUBLISHED')),
  rating         smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
  review         text,
  created_at     timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE SET NULL (product_id),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE SET NULL (order_id)
);
CREATE INDEX product_review_product ON product_review (store_id, product_id, id);

-- Fulfillments ------------------------------------------------------------------------------------------------------

CREATE TABLE fulfillment (
  store_id              integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id                    integer GENERATED ALWAYS AS IDENTITY,
  order_id              integer,
  location_id           integer NOT NULL,
  type                  text NOT NULL,
  service_type          text,
  shipment_status       text NOT NULL CHECK (shipment_status IN ('REQUESTED', 'IN_TRANSIT', 'DELIVERED', 'FAILED')),
  tracking_number       text,
  tracking_company      text,
  tracking_url          text,
  external_id           text,
  message               text,
  observations          text,
  receiver_email        text,
  phone                 text,
  phone_prefix          text,
  expected_arrival_from timestamptz(3),
  expected_arrival_to   timestamptz(3),
  address               jsonb,
  packages              jsonb NOT NULL DEFAULT '[]',
  label_file_id         integer,
  created_at            timestamptz(3) NOT NULL,
  updated_at            timestamptz(3) NOT NULL,
  version               integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, order_id) REFERENCES "order" ON DELETE CASCADE,
  FOREIGN KEY (store_id, location_id) REFERENCES location,
  FOREIGN KEY (store_id, label_file_id) REFERENCES file
);
CREATE INDEX fulfillment_order ON fulfillment (store_id, order_id, id);
CREATE INDEX fulfillment_location ON fulfillment (store_id, location_id);

CREATE TABLE fulfillment_history (
  store_id        integer NOT NULL,
  id              integer GENERATED ALWAYS AS IDENTITY,
  fulfillment_id  integer NOT NULL,
  shipment_status text NOT NULL,
  message         text,
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, fulfillment_id) REFERENCES fulfillment ON DELETE CASCADE
);
CREATE INDEX fulfillment_history_fulfillment ON fulfillment_history (store_id, fulfillment_id, id);

-- Content -----------------------------------------------------------------------------------------------------------

CREATE TABLE page_template (
  store_id integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id       integer GENERATED ALWAYS AS IDENTITY,
  name     text NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, name)
);

CREATE TABLE page_category (
  store_id integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id       integer GENERATED ALWAYS AS IDENTITY,
  name     text NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, name)
);

CREATE TABLE page (
  store_id         integer NOT NULL REFERENCES store ON DELETE CASCADE,
  id               integer GENERATED ALWAYS AS IDENTITY,
  title            text NOT NULL,
  body             text,
  status           text NOT NULL DEFAULT 'PUBLIC' CHECK (status IN ('PUBLIC', 'DRAFT', 'HIDDEN')),
  legal            boolean NOT NULL DEFAULT false,
  page_title       text,
  meta_description text,
  permalink        text NOT NULL,
  template_id      integer,
  created_at       timestamptz(3) NOT NULL,
  updated_at       timestamptz(3) NOT NULL,
  version          integer NOT NULL DEFAULT 1,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, permalink),
  FOREIGN KEY (store_id, template_id) REFERENCES page_template ON DELETE SET NULL (template_id)
);

CREATE TABLE page_category_member (
  store_id    integer NOT NULL,
  category_id integer NOT NULL,
  page_id     integer NOT NULL,
  position    integer NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, category_id, page_id),
  FOREIGN KEY (store_id, category_id) REFERENCES page_category ON DELETE CASCADE,
  FOREIGN KEY (store_id, page_id) REFERENCES page ON DELETE CASCADE
);
CREATE INDEX page_category_member_page ON page_category_member (store_id, page_id);

CREATE TABLE page_image (
  store_id integer NOT NULL,
  id       integer GENERATED ALWAYS AS IDENTITY,
  page_id  integer NOT NULL,
  -- From 1; the first is the page's image.
  position integer NOT NULL,
  file_id  integer NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, page_id, position) DEFERRABLE INITIALLY DEFERRED,
  FOREIGN KEY (store_id, page_id) REFERENCES page ON DELETE CASCADE,
  FOREIGN KEY (store_id, file_id) REFERENCES file
);

-- Events: platform/events/outbox.ts ---------------------------------------------------------------------------------

-- Its row is locked from the writing of an event until the commit, so numbers are dense and in the order of commits.
CREATE TABLE event_topic (
  name        text PRIMARY KEY,
  last_number bigint NOT NULL
);

CREATE TABLE event (
  topic      text NOT NULL,
  number     bigint NOT NULL,
  payload    jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (topic, number)
);
CREATE INDEX event_age ON event (created_at);

-- A process that hands out events. While it lives it holds an advisory lock that is made from its id, so that others see at once when it is gone.
CREATE TABLE event_process (
  id      uuid PRIMARY KEY,
  seen_at timestamptz(3) NOT NULL
);

-- How far each process has handed out a topic that somebody listens to there.
CREATE TABLE event_position (
  process uuid NOT NULL REFERENCES event_process ON DELETE CASCADE,
  topic   text NOT NULL,
  number  bigint NOT NULL,
  PRIMARY KEY (process, topic)
);

-- Who listens: left behind by a process that dies, so that its listeners go on where it stopped.
CREATE TABLE event_listener (
  id       uuid PRIMARY KEY,
  process  uuid NOT NULL REFERENCES event_process ON DELETE CASCADE,
  topic    text NOT NULL,
  -- Names the listener's session.
  listener text NOT NULL,
  -- How far this one has come; null: as far as its process.
  number   bigint
);
CREATE INDEX event_listener_of_topic ON event_listener (topic, listener);
CREATE INDEX event_listener_of_process ON event_listener (process);
