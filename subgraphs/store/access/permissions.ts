import type { Scope } from './scopes.ts'

/** What a scope allows, for people: `subject` completes "It may read …" or "It may change …". */
export type Permission = { readonly scope: Scope; readonly subject: string; readonly mayChange: boolean }

const SUBJECTS: Readonly<Record<Scope, string>> = {
  // In the published contract it opens scripts for writing, and the orders of a billing cycle.
  read_apps: 'its scripts in the storefront; and it reads what it costs, with all orders that this is counted by',
  read_categories: 'categories of products',
  read_checkout_custom_fields: 'additional questions of the checkout',
  read_countries: 'countries, regions and municipalities',
  read_custom_fields: 'custom fields of products',
  read_customer_categories: 'groups of customers',
  read_customers: 'customers: names, e-mail and postal addresses, telephone numbers',
  read_fulfillments: 'shipments and their tracking',
  read_hooks:
    'which addresses are told of events, and what became of each delivery; what was sent, only with the scope that reads it',
  read_jsapps: 'scripts in the storefront',
  read_locations: 'places with stock',
  read_orders: 'orders: who bought what, for how much, and where it goes',
  read_pages: 'pages of the storefront',
  read_payment_methods: 'payment methods',
  read_products: 'products: prices, stock, texts, pictures and files',
  read_promotions: 'promotions and coupons',
  read_settings: 'settings',
  read_shipping_methods: 'shipping methods and their prices',
  read_store: 'the store itself: name, address, categories and places',
  read_taxes: 'taxes',
  read_transaction_ledgers: 'balance and movements of money',
  write_categories: 'categories of products',
  write_checkout_custom_fields: 'additional questions of the checkout',
  write_countries: 'countries, regions and municipalities',
  write_custom_fields: 'custom fields of products',
  write_customer_categories: 'groups of customers',
  write_customers: 'customers, and delete them',
  write_fulfillments: 'shipments and their tracking',
  write_hooks: 'which addresses are told of events, among those that its other scopes let it read',
  write_jsapps: 'scripts in the storefront',
  write_locations: 'places with stock',
  write_orders: 'orders, their payment and their shipment',
  write_pages: 'pages of the storefront, and delete them',
  write_payment_methods: 'payment methods',
  write_products: 'products, prices and stock, and delete them',
  write_promotions: 'promotions and coupons, and delete them',
  write_reviews: 'reviews of products',
  write_settings: 'settings',
  write_shipping_methods: 'shipping methods and their prices',
  write_store: 'the store itself: name, address, categories and places',
  write_store_setup: 'how many stores there are: it may set up new ones, in your name',
  write_taxes: 'taxes',
}

/** Permissions of these scopes: reading before writing, each in alphabetical order. */
export const permissionsOf = (scopes: readonly Scope[]): Permission[] =>
  scopes
    .map((scope) => ({ scope, subject: SUBJECTS[scope], mayChange: scope.startsWith('write_') || scope === 'read_apps' }))
    .toSorted((a, b) => Number(a.mayChange) - Number(b.mayChange) || (a.scope < b.scope ? -1 : 1))
