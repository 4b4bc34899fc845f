// Written by npm run db:generate from prisma/store: do not edit.
import type { ColumnType, GeneratedAlways } from 'kysely'
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
export type Timestamp = ColumnType<Date, Date | string, Date | string>

export type App = {
  id: GeneratedAlways<number>
  /**
   * The only store that may install it; null: any store.
   */
  store_id: number | null
  /**
   * OAuth client_id.
   */
  code: string
  name: string
  /**
   * SHA-256; null: a public client.
   */
  secret_hash: Buffer | null
  redirect_uris: string[]
  /**
   * Scopes that it may request at most.
   */
  scopes: string[]
  created_at: Date
  updated_at: Date
  version: Generated<number>
  /**
   * The built-in app that owns scripts created with the store's own authtoken.
   */
  is_store_itself: Generated<boolean>
}
export type AppAuthorization = {
  store_id: number
  id: Generated<number>
  /**
   * Identifier of the grant in the OAuth server.
   */
  grant_id: string
  app_id: number
  scopes: string[]
  created_at: Date
}
export type AppInstallation = {
  store_id: number
  app_id: number
  installed_at: Date
}
export type AppPayment = {
  store_id: number
  id: Generated<number>
  subscription_id: number
  /**
   * @kyselyType(string)
   */
  cycle_starts_on: string
  amount: string
  created_at: Date
}
export type AppPlan = {
  app_id: number
  name: string
  /**
   * Position in the developer's list.
   */
  place: number
  currency: string
  monthly_price: string
  /**
   * Orders per billing cycle without a charge.
   */
  free_orders: number
  price_per_order: string
}
export type AppSignIn = {
  /**
   * SHA-256 of the id.
   */
  hash: Buffer
  /**
   * @kyselyType('session' | 'request')
   */
  kind: 'session' | 'request'
  /**
   * AES-256-GCM under a key derived from the id.
   */
  sealed: Buffer
  expires_at: Date
}
export type AppSubscription = {
  store_id: number
  id: Generated<number>
  app_id: number
  plan: string
  currency: string
  monthly_price: string
  free_orders: number
  price_per_order: string
  /**
   * Day in the store's time zone.
   * @kyselyType(string)
   */
  starts_on: string
  /**
   * Null: not cancelled; a cancelled one ends with its billing cycle.
   * @kyselyType(string)
   */
  ends_on: string | null
  created_at: Date
}
export type AppToken = {
  /**
   * SHA-256 of the token.
   */
  hash: Buffer
  /**
   * @kyselyType('code' | 'access' | 'refresh')
   */
  kind: 'code' | 'access' | 'refresh'
  grant_id: string
  scopes: string[]
  /**
   * Further state of the OAuth server; nothing secret.
   */
  detail: unknown
  created_at: Date
  expires_at: Date
  /**
   * Codes and refresh tokens work once; null: unused.
   */
  consumed_at: Date | null
}
export type AuditEntry = {
  store_id: number
  /**
   * When the transaction of the change began.
   */
  at: Date
  id: Generated<number>
  /**
   * @kyselyType('USER' | 'AUTHTOKEN' | 'APP' | 'OPERATOR')
   */
  actor: 'USER' | 'AUTHTOKEN' | 'APP' | 'OPERATOR'
  /**
   * Id of a user of the social subgraph; null: not a USER, or deleted since.
   */
  user_id: string | null
  /**
   * Role that a USER had. Null for others.
   * @kyselyType('OWNER' | 'MANAGER' | 'CATALOGUE' | 'FULFILLMENT' | 'SUPPORT')
   */
  role: 'OWNER' | 'MANAGER' | 'CATALOGUE' | 'FULFILLMENT' | 'SUPPORT' | null
  /**
   * Null: not an APP.
   */
  app_code: string | null
  /**
   * Mutation, or command of the operator.
   */
  operation: string
  /**
   * Null: not a request.
   */
  request_id: string | null
  /**
   * Table of the object, in capitals.
   */
  noun: string
  object_id: number
  /**
   * @kyselyType('CREATED' | 'UPDATED' | 'DELETED')
   */
  kind: 'CREATED' | 'UPDATED' | 'DELETED'
  /**
   * By column: [before, after], [] where no values are kept, and [value] for what names the object.
   */
  fields: unknown
}
export type Cart = {
  store_id: number
  id: Generated<number>
  /**
   * SHA-256 of the token, which is 256 random bits.
   */
  token_hash: Buffer
  /**
   * @kyselyType('OPEN' | 'ORDERED')
   */
  status: Generated<'OPEN' | 'ORDERED'>
  /**
   * Lines, addresses, methods and answers: CartContents in subgraphs/store/cart/cart.ts.
   */
  contents: unknown
  /**
   * Of the e-mail address, for erasure; null: unknown.
   */
  email_key: string | null
  /**
   * Order that it became; null: none yet.
   */
  order_id: number | null
  /**
   * Until when its unpaid order reserves stock; null: paid, or without end.
   */
  pay_until: Date | null
  /**
   * Order with status ABANDONED that shows it to the merchant; null: none.
   */
  abandoned_order_id: number | null
  created_at: Date
  updated_at: Date
}
export type CheckoutCustomField = {
  store_id: number
  id: Generated<number>
  label: string
  /**
   * @kyselyType('TEXT' | 'SELECT' | 'INPUT' | 'CHECKBOX' | 'DATE')
   */
  type: 'TEXT' | 'SELECT' | 'INPUT' | 'CHECKBOX' | 'DATE'
  /**
   * @kyselyType('CONTACT' | 'BILLING_SHIPPING' | 'OTHER')
   */
  area: 'CONTACT' | 'BILLING_SHIPPING' | 'OTHER'
  required: Generated<boolean>
  position: number
  deletable: Generated<boolean>
  select_options: Generated<string[]>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type ConsoleSession = {
  /**
   * SHA-256 of 256 random bits that only the browser has.
   */
  hash: Buffer
  store_id: number
  /**
   * Id of the user of the social subgraph who began it; null: whoever has the authtoken of the store.
   */
  user_id: string | null
  created_at: Date
  expires_at: Date
}
export type Coupon = {
  store_id: number
  id: Generated<number>
  promotion_id: number
  code: string
  code_key: string
  /**
   * 0: unlimited.
   */
  usage_limit: Generated<number>
  times_used: Generated<number>
}
export type Credential = {
  store_id: number
  login: string
  /**
   * SHA-256 of the token, which is 192 random bits.
   */
  token_hash: Buffer
  created_at: Date
  reset_at: Date | null
}
export type Customer = {
  store_id: number
  id: Generated<number>
  email: string
  email_key: string
  phone: string | null
  phone_prefix: string | null
  /**
   * @kyselyType('APPROVED' | 'PENDING' | 'DISABLED')
   */
  status: Generated<'APPROVED' | 'PENDING' | 'DISABLED'>
  /**
   * argon2id in PHC form; null: cannot log in.
   */
  password_hash: string | null
  accepts_marketing: Generated<boolean>
  accepted_marketing_at: Date | null
  cancelled_marketing_at: Date | null
  shipping_address: unknown | null
  billing_address: unknown | null
  /**
   * Names, e-mail and phone, for search.
   */
  search_key: string
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type CustomerAccount = {
  store_id: number
  id: Generated<number>
  email: string
  /**
   * The address in lower case: one account for each.
   */
  email_key: string
  /**
   * argon2id in PHC form; null: signs in by links only.
   */
  password_hash: string | null
  /**
   * Saved addresses, as they were given.
   */
  addresses: Generated<unknown>
  /**
   * When a link proved the address; null: not yet, and deleted after a day.
   */
  confirmed_at: Date | null
  /**
   * When a link was last requested.
   */
  link_requested_at: Date
  /**
   * BCP 47 tag of the page of the last request of a link, by anybody; null: the first
   * language of the store.
   */
  link_locale: string | null
  /**
   * BCP 47 tag of its other e-mails: that of the link that was used last; null: the first language
   * of the store.
   */
  locale: string | null
  /**
   * Passwords that were tried since attempts_since; a right one resets them.
   */
  attempts: Generated<number>
  attempts_since: Date | null
  created_at: Date
  updated_at: Date
}
export type CustomerAccountLink = {
  store_id: number
  /**
   * SHA-256 of the token, which is 256 random bits.
   */
  token_hash: Buffer
  account_id: number
  /**
   * BCP 47 tag of its e-mail; null: the first language of the store.
   */
  locale: string | null
  expires_at: Date
}
export type CustomerAccountSession = {
  store_id: number
  /**
   * SHA-256 of the token, which is 256 random bits.
   */
  token_hash: Buffer
  account_id: number
  created_at: Date
  expires_at: Date
}
export type CustomerAdditionalField = {
  store_id: number
  id: Generated<number>
  customer_id: number
  checkout_custom_field_id: number
  value: string
}
export type CustomerCategory = {
  store_id: number
  id: Generated<number>
  name: string
  code: string
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type CustomerCategoryMember = {
  store_id: number
  category_id: number
  customer_id: number
}
export type CustomField = {
  store_id: number
  id: Generated<number>
  label: string
  label_key: string
  /**
   * @kyselyType('TEXT' | 'SELECTION' | 'INPUT')
   */
  type: 'TEXT' | 'SELECTION' | 'INPUT'
  product_visibility: Generated<boolean>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type CustomFieldSelectOption = {
  store_id: number
  id: Generated<number>
  custom_field_id: number
  value: string
  value_key: string
  position: number
}
export type DigitalAsset = {
  store_id: number
  id: Generated<number>
  product_id: number
  /**
   * Null: external_url instead.
   */
  file_id: number | null
  external_url: string | null
  /**
   * Lifetime of a download link.
   */
  expiration_seconds: number
}
export type DraftOrder = {
  store_id: number
  id: Generated<number>
  /**
   * @kyselyType('OPEN' | 'COMPLETED' | 'CANCELED')
   */
  status: Generated<'OPEN' | 'COMPLETED' | 'CANCELED'>
  /**
   * DraftOrderContentsInput, as it was given.
   */
  contents: unknown
  currency: string
  /**
   * At the last change.
   */
  total: string
  /**
   * Of the customer's e-mail address, for erasure; null: unknown.
   */
  email_key: string | null
  /**
   * Customer that it names, who may be deleted; null: by e-mail address, or none.
   */
  customer_id: number | null
  /**
   * Order that it became; null: none yet.
   */
  order_id: number | null
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type Event = {
  topic: string
  /**
   * Position in the topic, from 1.
   */
  number: string
  payload: unknown
  created_at: Generated<Date>
}
export type EventListener = {
  id: string
  process: string
  topic: string
  /**
   * Name of the listener's session.
   */
  listener: string
  /**
   * Last event delivered to this listener; null: as far as its process.
   */
  number: string | null
}
export type EventPosition = {
  process: string
  topic: string
  /**
   * Number of the last event delivered.
   */
  number: string
}
export type EventProcess = {
  id: string
  /**
   * Last heartbeat.
   */
  seen_at: Date
}
export type EventTopic = {
  name: string
  /**
   * Number of the newest event; 0 before the first.
   */
  last_number: string
}
export type File = {
  store_id: number
  id: Generated<number>
  /**
   * Unguessable name in the object storage.
   */
  key: string
  is_public: boolean
  content_type: string
  /**
   * Size in bytes.
   */
  byte_count: string
  sha256: Buffer
  filename: string
  /**
   * URL that it was fetched from; null: uploaded.
   */
  source_url: string | null
  created_at: Date
}
export type Fulfillment = {
  store_id: number
  id: Generated<number>
  /**
   * Null: a shipment without an order.
   */
  order_id: number | null
  location_id: number
  type: string
  service_type: string | null
  /**
   * @kyselyType('REQUESTED' | 'IN_TRANSIT' | 'DELIVERED' | 'FAILED' | 'PICKUP_AVAILABLE')
   */
  shipment_status: 'REQUESTED' | 'IN_TRANSIT' | 'DELIVERED' | 'FAILED' | 'PICKUP_AVAILABLE'
  tracking_number: string | null
  tracking_company: string | null
  tracking_url: string | null
  external_id: string | null
  message: string | null
  observations: string | null
  receiver_email: string | null
  phone: string | null
  phone_prefix: string | null
  expected_arrival_from: Date | null
  expected_arrival_to: Date | null
  address: unknown | null
  packages: Generated<unknown>
  label_file_id: number | null
  created_at: Date
  updated_at: Date
  version: Generated<number>
  /**
   * Whether the receiver gets e-mails.
   */
  send_email: Generated<boolean>
}
export type FulfillmentHistory = {
  store_id: number
  id: Generated<number>
  fulfillment_id: number
  shipment_status: string
  message: string
  created_at: Date
}
export type GiftCard = {
  store_id: number
  id: Generated<number>
  /**
   * SHA-256 of the store and the code.
   */
  code_hash: Buffer
  last_four: string
  currency: string
  issued: string
  /**
   * Sum of its transactions; never below 0.
   */
  balance: string
  expires_at: Date | null
  disabled_at: Date | null
  note: string | null
  created_at: Date
}
export type GiftCardTransaction = {
  store_id: number
  id: Generated<number>
  gift_card_id: number
  /**
   * @kyselyType('ISSUE' | 'REDEMPTION' | 'RETURN')
   */
  kind: 'ISSUE' | 'REDEMPTION' | 'RETURN'
  /**
   * Above 0: added to the balance.
   */
  amount: string
  order_id: number | null
  created_at: Date
}
export type IdempotencyKey = {
  store_id: number
  key: string
  /**
   * SHA-256 of the mutation's name and input: another input under the same key is an error.
   */
  fingerprint: Buffer
  /**
   * Null only within the transaction that writes it.
   */
  outcome: unknown | null
  created_at: Date
}
export type ImportedOrder = {
  store_id: number
  order_id: number
  /**
   * Shop, as the import said.
   */
  source: string
  /**
   * Number at that shop.
   */
  name: string
  /**
   * Id at that shop; null: unknown.
   */
  external_id: string | null
  /**
   * Of the order, for lists by time: its id says nothing about it.
   */
  created_at: Date
}
export type InventoryLevel = {
  store_id: number
  id: Generated<number>
  location_id: number
  product_id: number
  /**
   * Null: of a product without variants.
   */
  variant_id: number | null
  stock: number
  updated_at: Date
}
export type InventoryTransfer = {
  store_id: number
  id: Generated<number>
  /**
   * @kyselyType('DRAFT' | 'IN_TRANSIT' | 'RECEIVED' | 'CANCELED')
   */
  status: Generated<'DRAFT' | 'IN_TRANSIT' | 'RECEIVED' | 'CANCELED'>
  /**
   * Null: deleted after the transfer had ended.
   */
  source_id: number | null
  /**
   * Null: deleted after the transfer had ended.
   */
  destination_id: number | null
  note: string | null
  created_at: Date
  updated_at: Date
  /**
   * When its units left the source; null: they did not.
   */
  sent_at: Date | null
  /**
   * When it was received or canceled; null: it is open.
   */
  finished_at: Date | null
  /**
   * Rises with every change; optimistic locking.
   */
  version: Generated<number>
}
export type InventoryTransferLine = {
  store_id: number
  transfer_id: number
  id: Generated<number>
  /**
   * Stays when the product is deleted.
   */
  product_id: number
  /**
   * Null: a product without variants.
   */
  variant_id: number | null
  quantity: number
  received: Generated<number>
  /**
   * Units that did not arrive, or cannot be sold.
   */
  missing: Generated<number>
  /**
   * Why units are missing. Null: none is.
   * @kyselyType('DAMAGED' | 'LOST' | 'NOT_SENT' | 'OTHER' | null)
   */
  reason: 'DAMAGED' | 'LOST' | 'NOT_SENT' | 'OTHER' | null | null
  /**
   * Units that went back to the source, because the rest of the transfer was canceled.
   */
  returned: Generated<number>
}
export type LedgerEntry = {
  store_id: number
  id: Generated<number>
  order_id: number | null
  /**
   * @kyselyType('PAYMENT' | 'REFUND' | 'REFUND_FAILURE' | 'APP_FEE')
   */
  kind: 'PAYMENT' | 'REFUND' | 'REFUND_FAILURE' | 'APP_FEE'
  amount: string
  currency: string
  created_at: Date
}
export type Location = {
  store_id: number
  id: Generated<number>
  name: string
  email: string | null
  active: Generated<boolean>
  /**
   * The default location; one per store.
   */
  main: Generated<boolean>
  pickup_point: Generated<boolean>
  is_stock_origin: Generated<boolean>
  address: unknown
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type LowStockAlert = {
  store_id: number
  id: Generated<number>
  created_at: Date
}
export type LowStockItem = {
  store_id: number
  id: Generated<number>
  product_id: number
  /**
   * Null: of a product without variants.
   */
  variant_id: number | null
  /**
   * Id of the e-mail about it, which may be deleted since; null: none yet.
   */
  alert_id: number | null
}
export type MailText = {
  store_id: number
  id: Generated<number>
  /**
   * @kyselyType('ORDER_CONFIRMATION' | 'RETURN_REQUESTED' | 'RETURN_APPROVED' | 'RETURN_DECLINED' | 'RETURN_REFUNDED' | 'RETURN_EXCHANGED')
   */
  kind: 'ORDER_CONFIRMATION' | 'RETURN_REQUESTED' | 'RETURN_APPROVED' | 'RETURN_DECLINED' | 'RETURN_REFUNDED' | 'RETURN_EXCHANGED'
  /**
   * BCP 47 tag of a language of the store.
   */
  language: string
  subject: string
  opening: string
}
export type Metafield = {
  store_id: number
  id: Generated<number>
  /**
   * SDL type of the owner, such as Product.
   */
  owner_type: string
  owner_id: number
  namespace: string
  key: string
  type: string
  value: string
  created_at: Date
  updated_at: Date
}
export type Order = {
  store_id: number
  id: Generated<number>
  /**
   * @kyselyType('ABANDONED' | 'CANCELED' | 'PENDING_PAYMENT' | 'PAID')
   */
  status: 'ABANDONED' | 'CANCELED' | 'PENDING_PAYMENT' | 'PAID'
  /**
   * @kyselyType('UNFULFILLED' | 'FULFILLED')
   */
  fulfillment_status: Generated<'UNFULFILLED' | 'FULFILLED'>
  /**
   * @kyselyType('UNFULFILLED' | 'REQUESTED' | 'IN_TRANSIT' | 'DELIVERED' | 'FAILED' | 'PICKUP_AVAILABLE')
   */
  shipment_status: Generated<'UNFULFILLED' | 'REQUESTED' | 'IN_TRANSIT' | 'DELIVERED' | 'FAILED' | 'PICKUP_AVAILABLE'>
  currency: string
  /**
   * So many units of `currency` were worth `currency_rate_base` of the store's; null: it is the store's.
   */
  currency_rate: string | null
  currency_rate_base: string | null
  locale: string | null
  /**
   * Sum of lines before discounts, taxes and shipping.
   */
  subtotal: string
  tax: Generated<string>
  shipping: Generated<string>
  shipping_tax: Generated<string>
  discount: Generated<string>
  shipping_discount: Generated<string>
  gift_cards_discount: Generated<string>
  total: string
  /**
   * Sum of its refunds.
   */
  refunded: Generated<string>
  /**
   * Paid back because edits lowered the total; not in refunded.
   */
  balance_refunded: Generated<string>
  shipping_required: Generated<boolean>
  /**
   * @kyselyType('DELIVERY' | 'STORE_PICKUP' | 'NO_SHIPPING')
   */
  shipping_option: 'DELIVERY' | 'STORE_PICKUP' | 'NO_SHIPPING' | null
  same_day_delivery: Generated<boolean>
  shipping_method_id: number | null
  shipping_service_id: number | null
  shipping_method_name: string | null
  shipping_branch: unknown | null
  pickup_location_id: number | null
  payment_method_id: number | null
  payment_method_name: string | null
  payment_method_type: string | null
  payment_information: string | null
  payment_notification_id: string | null
  additional_information: string | null
  external_shipping_rate_id: string | null
  external_shipping_rate_description: string | null
  customer_id: number | null
  customer: unknown
  shipping_address: unknown | null
  billing_address: unknown | null
  pickup_address: unknown | null
  billing_information: unknown | null
  source: unknown | null
  coupons: Generated<string[]>
  promotions: Generated<unknown>
  shipping_taxes: Generated<unknown>
  tracking_number: string | null
  tracking_company: string | null
  tracking_url: string | null
  /**
   * Unguessable part of the customer's links.
   */
  token: string
  recovered_from: number | null
  /**
   * Account that it was placed with; null: of a guest.
   */
  customer_account_id: number | null
  /**
   * Names, e-mail, ids and products, for search.
   */
  search_key: string
  created_at: Date
  /**
   * When it first left ABANDONED; null: a cart.
   */
  completed_at: Date | null
  updated_at: Date
  version: Generated<number>
}
export type OrderAdditionalField = {
  store_id: number
  id: Generated<number>
  order_id: number
  label: string
  value: string | null
  area: string | null
}
export type OrderDocument = {
  store_id: number
  id: Generated<number>
  order_id: number
  app_code: string | null
  /**
   * 0: credit note, 1: invoice.
   */
  document_type: number
  external_id: string | null
  /**
   * Digits.
   */
  public_id: string
  url: string | null
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type OrderHistory = {
  store_id: number
  id: Generated<number>
  order_id: number
  message: string
  log: unknown | null
  created_at: Date
}
export type OrderLine = {
  store_id: number
  id: Generated<number>
  order_id: number
  position: number
  /**
   * Product sold; null of a custom line, null or dangling after it is deleted.
   */
  product_id: number | null
  variant_id: number | null
  sku: string | null
  name: string
  image_url: string | null
  /**
   * Number of units.
   */
  qty: number
  /**
   * Unit price before discount.
   */
  price: string
  /**
   * Of the whole line.
   */
  discount: Generated<string>
  weight: Generated<string>
  taxes: Generated<unknown>
  subtotal: Generated<string>
  tax: Generated<string>
  total: Generated<string>
  /**
   * When an edit added it to an order that was fulfilled; null: it is fulfilled with its order.
   */
  added_at: Date | null
}
export type OrderRefund = {
  store_id: number
  id: Generated<number>
  order_id: number
  /**
   * Money.
   */
  amount: string
  /**
   * Put back on gift cards.
   */
  to_gift_cards: Generated<string>
  /**
   * Part of `amount` that the gateway could not pay back.
   */
  failed_amount: Generated<string>
  reason: string | null
  restocked: boolean
  created_at: Date
}
export type OrderRefundLine = {
  store_id: number
  refund_id: number
  order_line_id: number
  quantity: number
  amount: string
}
export type OrderReturn = {
  store_id: number
  id: Generated<number>
  order_id: number
  /**
   * @kyselyType('REQUESTED' | 'APPROVED' | 'DECLINED' | 'RECEIVED' | 'CLOSED' | 'CANCELED')
   */
  status: 'REQUESTED' | 'APPROVED' | 'DECLINED' | 'RECEIVED' | 'CLOSED' | 'CANCELED'
  /**
   * @kyselyType('MERCHANT' | 'CUSTOMER')
   */
  requested_by: 'MERCHANT' | 'CUSTOMER'
  note: string | null
  /**
   * Why it was declined or canceled; null: no reason was given.
   */
  reason: string | null
  /**
   * Refund that closed it; null: none.
   */
  refund_id: number | null
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type OrderReturnLine = {
  store_id: number
  return_id: number
  order_line_id: number
  /**
   * Units announced.
   */
  quantity: number
  /**
   * @kyselyType('DEFECTIVE' | 'NOT_AS_DESCRIBED' | 'WRONG_ITEM' | 'SIZE' | 'UNWANTED' | 'OTHER')
   */
  reason: 'DEFECTIVE' | 'NOT_AS_DESCRIBED' | 'WRONG_ITEM' | 'SIZE' | 'UNWANTED' | 'OTHER'
  note: string | null
  /**
   * Units that arrived; null: not yet.
   */
  received: number | null
  /**
   * What became of them; null: not known yet.
   * @kyselyType('RESTOCK' | 'DISCARD')
   */
  restock: 'RESTOCK' | 'DISCARD' | null
  /**
   * Location that they were restocked to, which may be deleted; null: where they came from.
   */
  location_id: number | null
}
export type Page = {
  store_id: number
  id: Generated<number>
  title: string
  body: string | null
  /**
   * @kyselyType('PUBLIC' | 'DRAFT' | 'HIDDEN')
   */
  status: Generated<'PUBLIC' | 'DRAFT' | 'HIDDEN'>
  legal: Generated<boolean>
  page_title: string | null
  meta_description: string | null
  permalink: string
  template_id: number | null
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type PageCategory = {
  store_id: number
  id: Generated<number>
  name: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}
export type PageCategoryMember = {
  store_id: number
  category_id: number
  page_id: number
  position: Generated<number>
}
export type PageImage = {
  store_id: number
  id: Generated<number>
  page_id: number
  /**
   * From 1; the first is the page's main image.
   */
  position: number
  file_id: number
}
export type PageTemplate = {
  store_id: number
  id: Generated<number>
  name: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}
export type Payment = {
  store_id: number
  id: Generated<number>
  order_id: number
  /**
   * Payment method, which may be deleted.
   */
  payment_method_id: number
  currency: string
  /**
   * To be authorized.
   */
  amount: string
  /**
   * @kyselyType('PENDING' | 'REQUIRES_ACTION' | 'AUTHORIZED' | 'FAILED')
   */
  status: Generated<'PENDING' | 'REQUIRES_ACTION' | 'AUTHORIZED' | 'FAILED'>
  /**
   * Id at the gateway; null until it answered.
   */
  reference: string | null
  /**
   * Where the shopper confirms the payment; null: nowhere.
   */
  redirect_url: string | null
  authorized: Generated<string>
  captured: Generated<string>
  voided: Generated<string>
  refunded: Generated<string>
  /**
   * Part of `refunded` that failed later.
   */
  refunds_failed: Generated<string>
  /**
   * What of `refunded - refunds_failed` needs no entry in the ledger any more; above it while the
   * gateway has not answered.
   */
  refunds_booked: Generated<string>
  /**
   * What of `refunds_booked` has entries in the ledger.
   */
  refunds_entered: Generated<string>
  created_at: Date
  updated_at: Date
}
export type PaymentMethod = {
  store_id: number
  id: Generated<number>
  type: string
  name: string
  description: string | null
  payment_method_url: string | null
  /**
   * Credential that signs requests to the payment gateway; encrypted, never returned.
   */
  key: string | null
  /**
   * Credential that signs requests to the payment gateway; encrypted, never returned.
   */
  secret: string | null
  /**
   * Whether the key is of a test mode, where no money moves; null: no such mode, or no key.
   */
  test_mode: boolean | null
  show_review: Generated<boolean>
  use_new_version: Generated<boolean>
  enabled: Generated<boolean>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type PaymentOperation = {
  store_id: number
  id: Generated<number>
  payment_id: number
  /**
   * @kyselyType('AUTHORIZE' | 'CAPTURE' | 'VOID' | 'REFUND')
   */
  kind: 'AUTHORIZE' | 'CAPTURE' | 'VOID' | 'REFUND'
  amount: string
  /**
   * Idempotency key at the gateway, the same in every attempt.
   */
  key: string
  /**
   * @kyselyType('PENDING' | 'DONE' | 'FAILED')
   */
  status: Generated<'PENDING' | 'DONE' | 'FAILED'>
  /**
   * Why it failed; null: it did not.
   */
  message: string | null
  created_at: Date
  updated_at: Date
}
export type PriceList = {
  store_id: number
  id: Generated<number>
  name: string
  active: Generated<boolean>
  /**
   * Null: everybody has its prices.
   */
  customer_category_id: number | null
  /**
   * Currency of its prices. Null: that of the store, and prices are converted for others.
   */
  currency: string | null
  /**
   * Of two lists, the one with the higher number comes first.
   */
  priority: Generated<number>
  /**
   * Inclusive. Null: it has begun.
   */
  starts_at: Date | null
  /**
   * Exclusive. Null: it does not end.
   */
  ends_at: Date | null
  /**
   * Percent that are added to prices. Null: only fixed prices count.
   */
  adjustment_percent: string | null
  /**
   * Distance of two rounded prices. Null: the minor unit.
   */
  rounding_step: string | null
  /**
   * What rounded prices end with.
   */
  rounding_ending: Generated<string>
  /**
   * @kyselyType('NEAREST' | 'UP' | 'DOWN')
   */
  rounding_direction: Generated<'NEAREST' | 'UP' | 'DOWN'>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type PriceListPrice = {
  store_id: number
  id: Generated<number>
  price_list_id: number
  product_id: number
  /**
   * Null: the product, and all its variants without a price of their own.
   */
  variant_id: number | null
  /**
   * Units of an order from which it counts.
   */
  minimum_quantity: Generated<number>
  price: string
  /**
   * Former or recommended price. Null: that of the item.
   */
  compare_at_price: string | null
}
export type Product = {
  store_id: number
  id: Generated<number>
  name: string
  page_title: string | null
  meta_description: string | null
  description: string | null
  /**
   * @kyselyType('PHYSICAL' | 'DIGITAL' | 'GIFT_CARD')
   */
  type: Generated<'PHYSICAL' | 'DIGITAL' | 'GIFT_CARD'>
  /**
   * @kyselyType('AVAILABLE' | 'NOT_AVAILABLE' | 'DISABLED')
   */
  status: Generated<'AVAILABLE' | 'NOT_AVAILABLE' | 'DISABLED'>
  /**
   * Of a gift card: days from its sale.
   */
  days_to_expire: Generated<number>
  /**
   * Unit price in the store's currency.
   */
  price: string
  /**
   * Amount taken off the unit price.
   */
  discount: Generated<string>
  cost_per_item: string | null
  compare_at_price: string | null
  /**
   * In the store's weight unit.
   */
  weight: Generated<string>
  /**
   * Of a product without variants; with inventory levels, their sum.
   */
  stock: Generated<number>
  stock_unlimited: Generated<boolean>
  /**
   * Low-stock warning at or below this number.
   */
  stock_threshold: Generated<number>
  stock_notification: Generated<boolean>
  back_in_stock_enabled: Generated<boolean>
  minimum_quantity: number | null
  maximum_quantity: number | null
  sku: string | null
  brand: string | null
  barcode: string | null
  google_product_category: string | null
  quotable: Generated<boolean>
  featured: Generated<boolean>
  reviews_enabled: Generated<boolean>
  shipping_required: Generated<boolean>
  /**
   * @kyselyType('BOX' | 'CYLINDER')
   */
  package_format: Generated<'BOX' | 'CYLINDER'>
  /**
   * Centimetres.
   */
  length: string | null
  /**
   * Centimetres.
   */
  width: string | null
  /**
   * Centimetres.
   */
  height: string | null
  /**
   * Centimetres.
   */
  diameter: string | null
  permalink: string
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type ProductAttachment = {
  store_id: number
  id: Generated<number>
  product_id: number
  file_id: number
}
export type ProductCategory = {
  store_id: number
  id: Generated<number>
  /**
   * Null: top level.
   */
  parent_id: number | null
  name: string
  /**
   * Path segment, unique per store.
   */
  permalink: string
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type ProductCategoryMember = {
  store_id: number
  category_id: number
  product_id: number
  position: Generated<number>
}
export type ProductCustomFieldValue = {
  store_id: number
  id: Generated<number>
  product_id: number
  custom_field_id: number
  /**
   * Null: of the product itself.
   */
  variant_id: number | null
  /**
   * Of a selection; null: value holds the text.
   */
  select_option_id: number | null
  value: string | null
}
export type ProductFacet = {
  store_id: number
  product_id: number
  /**
   * Null: none.
   */
  brand: string | null
  /**
   * Listed price less the discount.
   */
  price: string
  /**
   * Name in lower case, to sort by.
   */
  name_key: string
  featured: boolean
  /**
   * Can be bought now: AVAILABLE, and it or one of its variants is in stock.
   */
  available: boolean
  /**
   * Whole stars of the average rating, 1 to 5; null without published reviews.
   */
  stars: number | null
  /**
   * Categories that it is in itself.
   */
  category_ids: number[]
  /**
   * Options with their values: store, key of the option and key of the value, with U+001F between.
   */
  option_keys: string[]
}
export type ProductImage = {
  store_id: number
  id: Generated<number>
  product_id: number
  /**
   * From 1, without gaps.
   */
  position: number
  file_id: number
}
export type ProductImageUrl = {
  store_id: number
  product_id: number
  /**
   * From 1, behind the stored images.
   */
  position: number
  url: string
  /**
   * Text for those who do not see it.
   */
  alt: string | null
}
export type ProductOption = {
  store_id: number
  id: Generated<number>
  product_id: number
  name: string
  name_key: string
  position: number
  /**
   * @kyselyType('OPTION' | 'INPUT' | 'TEXT' | 'FILE' | 'COLOR' | 'CHECKLIST')
   */
  option_type: Generated<'OPTION' | 'INPUT' | 'TEXT' | 'FILE' | 'COLOR' | 'CHECKLIST'>
  /**
   * Surcharge; null: none.
   */
  addon_price: string | null
}
export type ProductOptionValue = {
  store_id: number
  id: Generated<number>
  product_id: number
  option_id: number
  name: string
  name_key: string
  /**
   * Of a colour: #rrggbb.
   */
  custom: string | null
  position: number
}
export type ProductRating = {
  store_id: number
  product_id: number
  /**
   * Number of published reviews; above 0.
   */
  count: number
  /**
   * Sum of their ratings.
   */
  sum: number
}
export type ProductReview = {
  store_id: number
  id: Generated<number>
  product_id: number | null
  product_name: string
  order_id: number | null
  customer_email: string | null
  /**
   * @kyselyType('UNREAD' | 'UNPUBLISHED' | 'PUBLISHED')
   */
  status: Generated<'UNREAD' | 'UNPUBLISHED' | 'PUBLISHED'>
  /**
   * 1 to 5.
   */
  rating: number
  review: string | null
  created_at: Date
}
export type ProductSearch = {
  store_id: number
  product_id: number
  /**
   * All texts of the product, one per line: what search reads.
   */
  text_key: string
  /**
   * The same by field (name, sku, variants, …).
   */
  keys: unknown
}
export type ProductSearchWord = {
  store_id: number
  word: string
}
export type ProductTranslation = {
  store_id: number
  product_id: number
  locale: string
  name: string | null
  description: string | null
  page_title: string | null
  meta_description: string | null
  permalink: string | null
}
export type ProductVariant = {
  store_id: number
  id: Generated<number>
  product_id: number
  price: string
  cost_per_item: string | null
  compare_at_price: string | null
  weight: string | null
  sku: string | null
  barcode: string | null
  stock: Generated<number>
  stock_unlimited: Generated<boolean>
  stock_threshold: Generated<number>
  stock_notification: Generated<boolean>
  image_id: number | null
  /**
   * Ids of its option values, ascending, comma-separated: unique per product.
   */
  combination: string
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type ProductVariantValue = {
  store_id: number
  product_id: number
  variant_id: number
  value_id: number
}
export type Promotion = {
  store_id: number
  id: Generated<number>
  name: string
  enabled: Generated<boolean>
  /**
   * @kyselyType('ORDER' | 'SHIPPING' | 'CATEGORIES' | 'BUY_X_GET_Y')
   */
  discount_target: 'ORDER' | 'SHIPPING' | 'CATEGORIES' | 'BUY_X_GET_Y'
  /**
   * @kyselyType('NONE' | 'PRICE' | 'QTY' | 'SINGLE_ITEM')
   */
  buys_at_least: Generated<'NONE' | 'PRICE' | 'QTY' | 'SINGLE_ITEM'>
  condition_price: string | null
  condition_qty: number | null
  quantity_x: number | null
  /**
   * @kyselyType('FIX' | 'PERCENTAGE')
   */
  type: 'FIX' | 'PERCENTAGE'
  discount_amount_fix: string | null
  /**
   * 0 to 100.
   */
  discount_amount_percent: string | null
  /**
   * @kyselyType('NONE' | 'DATE' | 'MAX_TIMES_USED' | 'BOTH')
   */
  lasts: Generated<'NONE' | 'DATE' | 'MAX_TIMES_USED' | 'BOTH'>
  begins_at: Date | null
  expires_at: Date | null
  times_used: Generated<number>
  /**
   * Null: unlimited.
   */
  max_times_used: number | null
  cumulative: Generated<boolean>
  /**
   * @kyselyType('ALL' | 'LOGGEDIN' | 'CATEGORIES' | 'GUESTS')
   */
  customers: Generated<'ALL' | 'LOGGEDIN' | 'CATEGORIES' | 'GUESTS'>
  /**
   * Empty: everywhere.
   */
  countries: Generated<string[]>
  regions: Generated<string[]>
  municipalities: Generated<string[]>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type PromotionCategory = {
  store_id: number
  promotion_id: number
  category_id: number
  /**
   * To be bought to get another discounted (X of "buy X, get Y").
   */
  is_x: boolean
}
export type PromotionCustomerCategory = {
  store_id: number
  promotion_id: number
  category_id: number
}
export type PromotionProduct = {
  store_id: number
  promotion_id: number
  product_id: number
  /**
   * To be bought to get another discounted (X of "buy X, get Y").
   */
  is_x: boolean
}
export type PromotionRedemption = {
  store_id: number
  order_id: number
  promotion_id: number
  coupon_id: number | null
}
export type ScriptTag = {
  store_id: number
  id: Generated<number>
  app_id: number
  url: string
  /**
   * @kyselyType('LAYOUT' | 'HOME' | 'PRODUCT' | 'PAGE' | 'CATEGORY' | 'CART' | 'CHECKOUT')
   */
  template: 'LAYOUT' | 'HOME' | 'PRODUCT' | 'PAGE' | 'CATEGORY' | 'CART' | 'CHECKOUT'
  /**
   * @kyselyType('HEAD' | 'BODY')
   */
  element: 'HEAD' | 'BODY'
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type SearchSynonym = {
  store_id: number
  id: Generated<number>
  /**
   * As the merchant wrote them.
   */
  terms: string[]
  /**
   * What terms find as well; empty: they find each other.
   */
  targets: string[]
  /**
   * The same as search keys, in the same order.
   */
  term_keys: string[]
  target_keys: string[]
  created_at: Date
  updated_at: Date
  /**
   * Rises with every change; optimistic locking.
   */
  version: Generated<number>
}
export type ShippingMethod = {
  store_id: number
  id: Generated<number>
  /**
   * @kyselyType('FREE' | 'TABLES' | 'CORREOS_CHILE' | 'CHILEXPRESS' | 'FLAT' | 'UPS' | 'EXTERNAL')
   */
  type: 'FREE' | 'TABLES' | 'CORREOS_CHILE' | 'CHILEXPRESS' | 'FLAT' | 'UPS' | 'EXTERNAL'
  name: string
  enabled: Generated<boolean>
  free_shipping: Generated<boolean>
  fees: Generated<unknown>
  /**
   * External method: service that returns rates, and the address goods are sent from.
   */
  callback_url: string | null
  fetch_services_url: string | null
  token: string | null
  state: string | null
  city: string | null
  postal: string | null
  tables: Generated<unknown>
  created_at: Date
  updated_at: Date
  version: Generated<number>
  /**
   * Order subtotal from which shipping is free; null: never.
   */
  free_shipping_from: string | null
  /**
   * External method: price while its service does not respond; null: not offered then.
   */
  fallback_price: string | null
}
export type ShippingService = {
  store_id: number
  id: Generated<number>
  shipping_method_id: number
  service_code: string
  service_name: string
  original_service_name: string
  enabled: Generated<boolean>
}
export type StaffMember = {
  store_id: number
  id: Generated<number>
  /**
   * Id of a user of the social subgraph; null: the invitation is not accepted yet.
   */
  user_id: string | null
  /**
   * Address that was invited; null once accepted.
   */
  email: string | null
  /**
   * @kyselyType('MANAGER' | 'CATALOGUE' | 'FULFILLMENT' | 'SUPPORT')
   */
  role: 'MANAGER' | 'CATALOGUE' | 'FULFILLMENT' | 'SUPPORT'
  /**
   * SHA-256 of the secret of the invitation, which is 256 random bits; null once accepted.
   */
  secret_hash: Buffer | null
  invited_at: Date
  /**
   * End of the invitation; null once accepted.
   */
  expires_at: Date | null
  /**
   * Null: not yet.
   */
  accepted_at: Date | null
  /**
   * Address for e-mails about items that are low in stock; null: none.
   */
  low_stock_email: string | null
  /**
   * Rises with every change; optimistic locking.
   */
  version: Generated<number>
}
export type StockAllocation = {
  store_id: number
  id: Generated<number>
  order_line_id: number
  /**
   * Null: stock is not tracked per location.
   */
  location_id: number | null
  product_id: number
  variant_id: number | null
  quantity: number
}
export type Store = {
  id: GeneratedAlways<number>
  /**
   * Part of the shop's address: lower-case letters, digits and hyphens.
   */
  code: string
  name: string
  email: string | null
  /**
   * ISO 4217.
   */
  currency: string
  /**
   * ISO 3166-1 alpha-2.
   */
  country: string
  /**
   * IANA name.
   */
  timezone: string
  /**
   * @kyselyType('kg' | 'lb')
   */
  weight_unit: Generated<'kg' | 'lb'>
  logo_url: string | null
  fb_pixel_id: string | null
  whatsapp_phone: string | null
  theme: string | null
  address: unknown | null
  /**
   * Signs webhooks; readable by whoever may read the store, so stored encrypted, not hashed.
   */
  hooks_token: string
  subscription_status: Generated<string>
  subscription_plan: Generated<string>
  /**
   * When the first subscription was paid; null: never.
   */
  paid_since: Date | null
  /**
   * Id of a user of the social subgraph; null: unclaimed.
   */
  owner_id: string | null
  /**
   * Store whose credential created it; null: an operator.
   */
  created_by: number | null
  created_at: Date
  updated_at: Date
  /**
   * Rises with every change; optimistic locking.
   */
  version: Generated<number>
  /**
   * Token before the last rotation, which also signs until previous_hooks_token_until; null: none.
   */
  previous_hooks_token: string | null
  previous_hooks_token_until: Date | null
  /**
   * Shoppers get an e-mail that confirms their order, where there is a mail server.
   */
  order_confirmations: Generated<boolean>
  /**
   * Days in which shoppers can request a return; 0: they cannot.
   */
  return_window_days: Generated<number>
  /**
   * Set up by the installation: visitors see its orders arrive until it has an owner.
   */
  is_sample: Generated<boolean>
  /**
   * Owner and staff get e-mails about items that are low in stock, where there is a mail server.
   */
  low_stock_alerts: Generated<boolean>
}
export type StoreCurrency = {
  store_id: number
  id: Generated<number>
  /**
   * ISO 4217.
   */
  code: string
  /**
   * So many units of it are worth `rate_base` of the store's currency.
   */
  rate: string
  rate_base: Generated<string>
  /**
   * Distance of two rounded prices. Null: the minor unit.
   */
  rounding_step: string | null
  /**
   * What rounded prices end with.
   */
  rounding_ending: Generated<string>
  /**
   * @kyselyType('NEAREST' | 'UP' | 'DOWN')
   */
  rounding_direction: Generated<'NEAREST' | 'UP' | 'DOWN'>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type StoreImport = {
  store_id: number
  id: Generated<number>
  /**
   * @kyselyType('PRODUCTS' | 'CUSTOMERS' | 'ORDERS')
   */
  kind: 'PRODUCTS' | 'CUSTOMERS' | 'ORDERS'
  /**
   * @kyselyType('CSV' | 'JSON_LINES')
   */
  format: 'CSV' | 'JSON_LINES'
  /**
   * @kyselyType('RECEIVING' | 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'CANCELED' | 'FAILED')
   */
  status: Generated<'RECEIVING' | 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'CANCELED' | 'FAILED'>
  /**
   * Whether everything is checked and nothing is written.
   */
  dry_run: Generated<boolean>
  /**
   * Whether objects that exist are changed; false: they are skipped.
   */
  overwrite: Generated<boolean>
  /**
   * Shop that orders come from; null: no import of orders.
   */
  source: string | null
  /**
   * Whether orders that are to be fulfilled reserve their stock.
   */
  takes_stock: Generated<boolean>
  /**
   * Whether webhooks and subscribers get the events of new orders.
   */
  sends_events: Generated<boolean>
  file_name: string | null
  /**
   * Of the file, as far as it arrived.
   */
  byte_count: Generated<number>
  /**
   * Of the file, as far as it was read.
   */
  bytes_read: Generated<number>
  /**
   * Objects of the file that are done: a run that goes on begins behind them.
   */
  position: Generated<number>
  created: Generated<number>
  updated: Generated<number>
  /**
   * Objects that exist, and are as the file says, or are not to be changed.
   */
  skipped: Generated<number>
  /**
   * Objects with errors.
   */
  failed: Generated<number>
  /**
   * Runs since the last progress.
   */
  attempts: Generated<number>
  /**
   * Until when it belongs to the process that runs it; null: to none.
   */
  leased_until: Date | null
  /**
   * Why it FAILED; null: it did not.
   */
  failure: string | null
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
}
export type StoreImportError = {
  store_id: number
  import_id: number
  id: Generated<number>
  /**
   * From 1; of CSV, the header is row 1.
   */
  row: number
  /**
   * Column of CSV, or path in a line of JSON; empty: the row itself.
   */
  column: string
  message: string
}
export type StoreImportPiece = {
  store_id: number
  import_id: number
  /**
   * Bytes before it.
   */
  start: number
  bytes: Buffer
}
export type StoreLanguage = {
  store_id: number
  /**
   * BCP 47.
   */
  code: string
  is_default: Generated<boolean>
}
export type StoreQuota = {
  store_id: number
  products: number
  file_bytes: string
  products_left: number
  file_bytes_left: number
  counted_at: Date
}
export type Tax = {
  store_id: number
  id: Generated<number>
  name: string
  /**
   * ISO 3166-1 alpha-2; null: everywhere.
   */
  country: string | null
  region: string | null
  category_id: number | null
  /**
   * Percent, or an amount of money when fixed.
   */
  rate: string
  fixed: Generated<boolean>
  /**
   * Applies to shipping instead of products.
   */
  shipping: Generated<boolean>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type TaxSettings = {
  store_id: number
  prices_include_tax: Generated<boolean>
  /**
   * @kyselyType('SHIPPING' | 'BILLING')
   */
  taxed_address: Generated<'SHIPPING' | 'BILLING'>
  version: Generated<number>
}
export type Theme = {
  store_id: number
  id: Generated<number>
  name: string
  label: string | null
  /**
   * Its settings in order: [{key, label, type, default, options}].
   */
  settings: unknown
  /**
   * Values by key; absent keys have the default.
   */
  customised: Generated<unknown>
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type ThemeFile = {
  store_id: number
  theme_id: number
  path: string
  content: string
}
export type ThemePublication = {
  store_id: number
  id: Generated<number>
  theme_id: number
  /**
   * Copy of theme.customised at that time.
   */
  customised: unknown
  published_at: Date
}
export type WebhookAttempt = {
  store_id: number
  delivery_id: string
  number: number
  started_at: Date
  milliseconds: number
  /**
   * HTTP status; null: no response.
   */
  status: number | null
  /**
   * Reason of the failure; null: success.
   */
  error: string | null
  /**
   * Beginning of the response body.
   */
  response: string | null
}
export type WebhookDelivery = {
  store_id: number
  id: Generated<string>
  subscription_id: number
  /**
   * Target, copied from the subscription: orders deliveries of one receiver.
   */
  url: string
  event: string
  entity: string
  entity_id: number
  triggered_at: Date
  is_test: Generated<boolean>
  /**
   * @kyselyType('waiting' | 'delivered' | 'failed')
   */
  status: Generated<'waiting' | 'delivered' | 'failed'>
  /**
   * Attempts since it was started or restarted.
   */
  tries: Generated<number>
  /**
   * Not sent earlier.
   */
  due_at: Date
  /**
   * Job that sends it; null: none.
   */
  taken_by: string | null
  /**
   * Run of that job.
   */
  taken_run: number | null
  /**
   * Payload, fixed at the first attempt.
   */
  body: string | null
  created_at: Date
  finished_at: Date | null
}
export type WebhookSubscription = {
  store_id: number
  id: Generated<number>
  name: string | null
  event: string
  url: string
  /**
   * Failed attempts since the last success.
   */
  failure_count: Generated<number>
  /**
   * First of them; null: the last attempt succeeded.
   */
  failing_since: Date | null
  /**
   * Null: active.
   */
  paused_at: Date | null
  created_at: Date
  updated_at: Date
  version: Generated<number>
}
export type Tables = {
  app: App
  app_authorization: AppAuthorization
  app_installation: AppInstallation
  app_payment: AppPayment
  app_plan: AppPlan
  app_sign_in: AppSignIn
  app_subscription: AppSubscription
  app_token: AppToken
  audit_entry: AuditEntry
  cart: Cart
  checkout_custom_field: CheckoutCustomField
  console_session: ConsoleSession
  coupon: Coupon
  credential: Credential
  custom_field: CustomField
  custom_field_select_option: CustomFieldSelectOption
  customer: Customer
  customer_account: CustomerAccount
  customer_account_link: CustomerAccountLink
  customer_account_session: CustomerAccountSession
  customer_additional_field: CustomerAdditionalField
  customer_category: CustomerCategory
  customer_category_member: CustomerCategoryMember
  digital_asset: DigitalAsset
  draft_order: DraftOrder
  event: Event
  event_listener: EventListener
  event_position: EventPosition
  event_process: EventProcess
  event_topic: EventTopic
  file: File
  fulfillment: Fulfillment
  fulfillment_history: FulfillmentHistory
  gift_card: GiftCard
  gift_card_transaction: GiftCardTransaction
  idempotency_key: IdempotencyKey
  imported_order: ImportedOrder
  inventory_level: InventoryLevel
  inventory_transfer: InventoryTransfer
  inventory_transfer_line: InventoryTransferLine
  ledger_entry: LedgerEntry
  location: Location
  low_stock_alert: LowStockAlert
  low_stock_item: LowStockItem
  mail_text: MailText
  metafield: Metafield
  order: Order
  order_additional_field: OrderAdditionalField
  order_document: OrderDocument
  order_history: OrderHistory
  order_line: OrderLine
  order_refund: OrderRefund
  order_refund_line: OrderRefundLine
  order_return: OrderReturn
  order_return_line: OrderReturnLine
  page: Page
  page_category: PageCategory
  page_category_member: PageCategoryMember
  page_image: PageImage
  page_template: PageTemplate
  payment: Payment
  payment_method: PaymentMethod
  payment_operation: PaymentOperation
  price_list: PriceList
  price_list_price: PriceListPrice
  product: Product
  product_attachment: ProductAttachment
  product_category: ProductCategory
  product_category_member: ProductCategoryMember
  product_custom_field_value: ProductCustomFieldValue
  product_facet: ProductFacet
  product_image: ProductImage
  product_image_url: ProductImageUrl
  product_option: ProductOption
  product_option_value: ProductOptionValue
  product_rating: ProductRating
  product_review: ProductReview
  product_search: ProductSearch
  product_search_word: ProductSearchWord
  product_translation: ProductTranslation
  product_variant: ProductVariant
  product_variant_value: ProductVariantValue
  promotion: Promotion
  promotion_category: PromotionCategory
  promotion_customer_category: PromotionCustomerCategory
  promotion_product: PromotionProduct
  promotion_redemption: PromotionRedemption
  script_tag: ScriptTag
  search_synonym: SearchSynonym
  shipping_method: ShippingMethod
  shipping_service: ShippingService
  staff_member: StaffMember
  stock_allocation: StockAllocation
  store: Store
  store_currency: StoreCurrency
  store_import: StoreImport
  store_import_error: StoreImportError
  store_import_piece: StoreImportPiece
  store_language: StoreLanguage
  store_quota: StoreQuota
  tax: Tax
  tax_settings: TaxSettings
  theme: Theme
  theme_file: ThemeFile
  theme_publication: ThemePublication
  webhook_attempt: WebhookAttempt
  webhook_delivery: WebhookDelivery
  webhook_subscription: WebhookSubscription
}
