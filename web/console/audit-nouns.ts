import type { AuditNoun } from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import type { ListLabels } from './list.ts'

/** Kinds of objects of the audit log, by the words of addresses. */
export const AUDIT_NOUNS: ListLabels<AuditNoun> = lookupTable({
  'app-access': ['APP_AUTHORIZATION', 'access of an app'],
  'app-subscription': ['APP_SUBSCRIPTION', 'app subscription'],
  authtoken: ['CREDENTIAL', 'authtoken'],
  'checkout-field': ['CHECKOUT_CUSTOM_FIELD', 'checkout field'],
  coupon: ['COUPON', 'coupon'],
  'custom-field': ['CUSTOM_FIELD', 'custom field'],
  currency: ['STORE_CURRENCY', 'currency'],
  customer: ['CUSTOMER', 'customer'],
  'customer-field': ['CUSTOMER_ADDITIONAL_FIELD', 'field of a customer'],
  'customer-category': ['CUSTOMER_CATEGORY', 'customer category'],
  'digital-asset': ['DIGITAL_ASSET', 'digital file'],
  'draft-order': ['DRAFT_ORDER', 'draft order'],
  fulfillment: ['FULFILLMENT', 'shipment'],
  'gift-card': ['GIFT_CARD', 'gift card'],
  import: ['STORE_IMPORT', 'import'],
  location: ['LOCATION', 'location'],
  'mail-text': ['MAIL_TEXT', 'text of e-mails'],
  metafield: ['METAFIELD', 'metafield'],
  order: ['ORDER', 'order'],
  'order-document': ['ORDER_DOCUMENT', 'order document'],
  page: ['PAGE', 'page'],
  'page-category': ['PAGE_CATEGORY', 'page category'],
  'page-template': ['PAGE_TEMPLATE', 'page template'],
  payment: ['PAYMENT', 'payment'],
  'payment-method': ['PAYMENT_METHOD', 'payment method'],
  'payment-operation': ['PAYMENT_OPERATION', 'payment operation'],
  'price-list': ['PRICE_LIST', 'price list'],
  'list-price': ['PRICE_LIST_PRICE', 'price of a price list'],
  product: ['PRODUCT', 'product'],
  'product-category': ['PRODUCT_CATEGORY', 'category'],
  'product-image': ['PRODUCT_IMAGE', 'product image'],
  'product-option': ['PRODUCT_OPTION', 'product option'],
  promotion: ['PROMOTION', 'promotion'],
  refund: ['ORDER_REFUND', 'refund'],
  return: ['ORDER_RETURN', 'return'],
  review: ['PRODUCT_REVIEW', 'review'],
  script: ['SCRIPT_TAG', 'script of an app'],
  'shipping-method': ['SHIPPING_METHOD', 'shipping method'],
  synonym: ['SEARCH_SYNONYM', 'search synonyms'],
  staff: ['STAFF_MEMBER', 'staff member'],
  stock: ['INVENTORY_LEVEL', 'stock at a location'],
  store: ['STORE', 'store'],
  transfer: ['INVENTORY_TRANSFER', 'transfer'],
  'transfer-line': ['INVENTORY_TRANSFER_LINE', 'item of a transfer'],
  tax: ['TAX', 'tax'],
  'tax-settings': ['TAX_SETTINGS', 'tax settings'],
  theme: ['THEME', 'theme'],
  'theme-publication': ['THEME_PUBLICATION', 'publication of a theme'],
  variant: ['PRODUCT_VARIANT', 'product variant'],
  webhook: ['WEBHOOK_SUBSCRIPTION', 'webhook'],
})

/** Pages of the console by the kind of their object. */
const PAGES: Partial<Record<AuditNoun, string>> = {
  CUSTOMER: '/console/customers',
  INVENTORY_TRANSFER: '/console/transfers',
  ORDER: '/console/orders',
  PRICE_LIST: '/console/price-lists',
  PRODUCT: '/console/products',
  PROMOTION: '/console/promotions',
  SEARCH_SYNONYM: '/console/search',
  STORE_IMPORT: '/console/imports',
  WEBHOOK_SUBSCRIPTION: '/console/webhooks',
}

/** The page of an object; null: it has none. */
export const auditPathOf = (noun: AuditNoun, number: number): string | null => {
  const page = PAGES[noun]
  return page === undefined ? null : `${page}/${number}`
}
