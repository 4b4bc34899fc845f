import type { ContractOperation } from '../../../rest-facade/store/contract.ts'
import { PDF, PNG } from '../../support/images.ts'
import { operations } from './contract.ts'

/**
 * What the way through the API has learned: values of parameters in paths by their names, `{id}` by
 * the first word of its path.
 */
export type Seen = Readonly<Record<string, string | number>>

/** One request that has to succeed. */
export type Step = {
  readonly operation: string
  readonly query?: (seen: Seen) => string
  readonly body?: (seen: Seen) => unknown
  /**
   * Under which name the id of what was made is remembered, and where in the answer it stands when
   * not in its envelope.
   */
  readonly learns?: string
  readonly from?: (json: never) => string | number
}

const step = (operation: string, more: Omit<Step, 'operation'> = {}): Step => ({ operation, ...more })
const making = (operation: string, learns: string, body: (seen: Seen) => unknown): Step => ({ operation, learns, body })

const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString('base64')}`
const PICTURE = dataUrl('image/png', PNG)
const MANUAL = dataUrl('application/pdf', PDF)
const ADDRESS = { name: 'Ana', surname: 'Sousa', address: 'Rua B 7', city: 'Porto', postal: '4000', country: 'PT' }
const THEME = {
  name: 'Quiet',
  settings: [{ key: 'font', type: 'choice', options: ['serif', 'sans'], default: 'sans' }],
  files: [{ path: 'assets/theme.css', content: 'h1 { color: red }' }],
}

/**
 * The way from a store with nothing in it to one that has everything, in an order in which each
 * request finds what it needs.
 */
export const GROWING: readonly Step[] = [
  step('getStoreInfo'),
  step('listStoreLanguages'),
  step('listCountries'),
  step('getCountry'),
  step('listRegions'),
  step('getRegion'),
  step('listMunicipalities'),
  step('setupStore', { body: () => ({ store: { name: 'Second shop' } }) }),

  making('createHook', 'hooks', () => ({ hook: { event: 'order_paid', url: 'https://example.com/hook' } })),
  step('listHooks'),
  step('getHook'),
  step('updateHook', { body: () => ({ hook: { url: 'https://example.com/other' } }) }),

  making('createCategory', 'categories', () => ({ category: { name: 'Shirts' } })),
  step('listCategories'),
  step('countCategories'),
  step('getCategory'),
  step('updateCategory', { body: () => ({ category: { name: 'Linen shirts' } }) }),

  making('createProduct', 'products', ({ categories }) => ({
    product: { name: 'Linen shirt', price: 39.9, stock: 20, weight: 0.4, categories: [{ id: categories }] },
  })),
  step('listProducts'),
  step('countProducts'),
  step('getProduct'),
  step('updateProduct', { body: () => ({ product: { featured: true } }) }),
  step('listProductsAfter'),
  step('listProductsByStatus'),
  step('countProductsByStatus'),
  step('listProductsByCategory'),
  step('countProductsByCategory'),
  step('searchProducts', { query: () => 'query=linen' }),
  making('createProductOption', 'option_id', () => ({ option: { name: 'Size', option_type: 'option' } })),
  step('listProductOptions'),
  step('countProductOptions'),
  step('getProductOption'),
  step('updateProductOption', { body: () => ({ option: { name: 'Width' } }) }),
  making('createProductOptionValue', 'value_id', () => ({ value: { name: 'M' } })),
  step('listProductOptionValues'),
  step('countProductOptionValues'),
  step('getProductOptionValue'),
  step('updateProductOptionValue', { body: () => ({ value: { name: 'L' } }) }),
  making('createProductVariant', 'variant_id', () => ({
    variant: { sku: 'S', stock: 20, options: [{ name: 'Width', value: 'S' }] },
  })),
  step('listProductVariants'),
  step('countProductVariants'),
  step('getProductVariant'),
  step('updateProductVariant', { body: () => ({ variant: { price: 42 } }) }),
  making('createProductImage', 'image_id', () => ({ image: { url: PICTURE } })),
  step('listProductImages'),
  step('countProductImages'),
  step('getProductImage'),
  step('moveProductImage', { query: () => 'position=1' }),
  making('createProductAttachment', 'attachment_id', () => ({ attachment: { url: MANUAL, filename: 'manual.pdf' } })),
  step('listProductAttachments'),
  step('countProductAttachments'),
  step('getProductAttachment'),
  making('createDigitalProduct', 'digital_product_id', () => ({
    digital_product: { url: 'https://example.com/song', external: true },
  })),
  step('listDigitalProducts'),
  step('countDigitalProducts'),
  step('getDigitalProduct'),

  making('createCustomField', 'custom_fields', () => ({ custom_field: { label: 'Fabric', type: 'selection' } })),
  step('listCustomFields'),
  step('getCustomField'),
  step('updateCustomField', { body: () => ({ custom_field: { label: 'Cloth' } }) }),
  making('createCustomFieldSelectOption', 'custom_field_select_option_id', () => ({
    custom_field_select_option: { value: 'Linen' },
  })),
  step('listCustomFieldSelectOptions'),
  step('getCustomFieldSelectOption'),
  step('updateCustomFieldSelectOption', { body: () => ({ custom_field_select_option: { value: 'Flax' } }) }),
  step('addProductField', { body: ({ custom_fields }) => ({ field: { id: custom_fields, value: 'Flax' } }) }),
  step('listProductFields', {
    learns: 'product_field_id',
    from: ([first]: readonly [{ field: { id: number } }]) => first.field.id,
  }),
  step('countProductFields'),
  step('updateProductField', { body: () => ({ field: { value: 'Flax' } }) }),

  making('createLocation', 'locations', () => ({
    name: 'Store room',
    address: 'Rua A',
    city: 'Braga',
    country: 'PT',
    Region: 'Braga',
  })),
  step('listLocations'),
  step('getLocation'),
  step('updateLocation', { body: () => ({ name: 'Back room' }) }),
  step('setProductLocationStock', {
    body: ({ locations, products, variant_id }) => ({
      location_id: locations,
      product_id: products,
      variant_id,
      stock_unlimited: false,
      stock: 12,
    }),
  }),
  step('listProductsLocations', { query: ({ locations, products }) => `location_ids=${locations}&product_ids=${products}` }),

  making('createTax', 'taxes', () => ({ tax: { name: 'IVA', country: 'PT', tax: 23 } })),
  step('listTaxes'),
  step('getTax'),
  making('createPaymentMethod', 'payment_methods', () => ({
    payment_method: { name: 'Card', payment_method_url: 'https://example.com/pay', key: 'k', secret: 's' },
  })),
  step('listPaymentMethods'),
  step('getPaymentMethod'),
  making('createShippingMethod', 'shipping_methods', () => ({
    shipping_method: {
      type: 'tables',
      name: 'Post',
      tables: [{ basedon: 'weight', values: [{ amount: 0, price: 3 }], locations: [] }],
    },
  })),
  step('listShippingMethods'),
  step('getShippingMethod'),
  step('updateShippingMethod', { body: () => ({ shipping_method: { type: 'tables', name: 'Mail' } }) }),
  making('createPromotion', 'promotions', () => ({
    promotion: { name: 'Spring', discount_amount_percent: 10, type: 'percentage' },
  })),
  step('listPromotions'),
  step('getPromotion'),
  step('updatePromotion', { body: () => ({ promotion: { name: 'Summer' } }) }),

  making('createCustomerCategory', 'customer_categories', () => ({ customer_category: { name: 'Friends' } })),
  step('listCustomerCategories'),
  step('getCustomerCategory'),
  step('updateCustomerCategory', { body: () => ({ customer_category: { name: 'Good friends' } }) }),
  making('createCustomer', 'customers', () => ({ customer: { email: 'ana@example.org', shipping_address: ADDRESS } })),
  step('listCustomers'),
  step('countCustomers'),
  step('getCustomer'),
  step('getCustomerByEmail'),
  step('searchCustomers', { query: () => 'query=ana' }),
  step('updateCustomer', { body: () => ({ customer: { phone: '912345678' } }) }),
  step('addCustomerCategoryMembers', { body: ({ customers }) => ({ customers: [{ id: customers }] }) }),
  step('listCustomerCategoryMembers'),
  making('createCheckoutCustomField', 'checkout_custom_fields', () => ({
    checkout_custom_field: { label: 'Gift wrap', type: 'input', area: 'other' },
  })),
  step('listCheckoutCustomFields'),
  step('getCheckoutCustomField'),
  step('updateCheckoutCustomField', { body: () => ({ checkout_custom_field: { label: 'Gift text' } }) }),
  making('createCustomerField', 'customer_field_id', ({ checkout_custom_fields }) => ({
    customer_additional_field: { value: 'Congratulations', checkout_custom_field_id: checkout_custom_fields },
  })),
  step('listCustomerFields'),
  step('getCustomerField'),
  step('updateCustomerField', { body: () => ({ customer_additional_field: { value: 'Happy birthday' } }) }),

  making('createOrder', 'orders', ({ customers, products, variant_id }) => ({
    order: {
      status: 'Pending Payment',
      customer: { id: customers, shipping_address: ADDRESS },
      products: [{ id: products, variant_id, qty: 2 }],
    },
  })),
  step('getCart'),
  step('listOrders'),
  step('countOrders'),
  step('getOrder'),
  step('listOrdersByStatus'),
  step('searchOrders', { query: () => 'query=ana' }),
  step('listOrdersAfter'),
  step('listCustomerOrders'),
  step('listCustomerOrdersByStatus'),
  step('updateOrder', { body: () => ({ order: { additional_information: 'Ring twice' } }) }),
  step('createOrderHistory', { body: () => ({ order_history: { message: 'Packed' } }) }),
  step('listOrderHistory'),
  making('createOrderDocument', 'public_id', () => ({
    document: { document_type: 1, public_id: '77', url: 'https://example.com/77' },
  })),
  step('listOrderDocuments'),
  step('listDocuments'),
  step('updateOrderDocument', { body: () => ({ url: 'https://example.com/78' }) }),
  step('quoteFulfillmentRates', {
    body: ({ orders, locations }) => ({ rates: { order_id: String(orders), location_id: String(locations) } }),
  }),
  making('createFulfillment', 'fulfillments', ({ orders, locations }) => ({
    fulfillment: { type: 'dhl', order_id: String(orders), location_id: String(locations), tracking_number: 'T1' },
  })),
  making('createFulfillment', 'by_hand', ({ orders, locations }) => ({
    fulfillment: { type: 'manual', order_id: String(orders), location_id: String(locations) },
  })),
  step('listFulfillments'),
  step('countFulfillments'),
  step('getFulfillment'),
  step('getFulfillmentLabel'),
  step('listOrderFulfillments'),
  step('updateFulfillment', { body: () => ({ fulfillment: { shipment_status: 'in_transit' } }) }),
  step('getStoreBalance'),

  making('createPage', 'pages', () => ({ page: { title: 'About us', body: '<p>Linen since 1900</p>' } })),
  step('listPages'),
  step('countPages'),
  step('getPage'),
  step('updatePage', { body: () => ({ page: { status: 'public' } }) }),
  making('createPageImage', 'page_image_id', () => ({ image: { url: PICTURE } })),
  step('listPageImages'),
  step('countPageImages'),
  step('getPageImage'),
  step('updatePageImage', { body: () => ({ image: { url: PICTURE } }) }),

  making('uploadTheme', 'themes', () => ({ theme: THEME })),
  step('listThemes'),
  step('getTheme'),
  step('listThemeFiles'),
  step('previewTheme', { body: () => ({ theme: { settings: { font: 'serif' } } }) }),
  step('applyTheme'),
  step('getPublishedTheme'),
  step('customizeTheme', { body: () => ({ theme: { settings: { font: 'serif' } } }) }),
  step('applyTheme'),
  step('revertTheme'),

  making('createJsApp', 'jsapps', () => ({ app: { url: 'https://example.com/x.js', template: 'layout', element: 'body' } })),
  step('listJsApps'),
]

/**
 * What needs something that only the graph can make, or a customer: a subscription to an app, its
 * code, a review.
 */
export const BEYOND: readonly Step[] = [
  step('listJsAppsByApp'),
  step('getAppInstallStatus'),
  step('getAppInstallStatusByStore', { query: ({ store }) => `store_id=${store}` }),
  step('getAppBillingCycle'),
  step('getAppBillingCycleOrders'),
  step('checkAppBillingCycleOrder'),
  step('listProductReviews'),
  step('listReviews', { learns: 'review_id', from: ([first]: readonly [{ review: { id: number } }]) => first.review.id }),
  step('getReview'),
]

/** The way back. */
export const SHRINKING: readonly Step[] = [
  step('deleteJsApp'),
  making('uploadTheme', 'themes', () => ({ theme: { ...THEME, name: 'Loud' } })),
  step('deleteTheme'),
  step('deletePageImage'),
  step('deletePage'),
  step('deleteOrderDocument'),
  step('deleteCustomerField'),
  step('deleteCheckoutCustomField'),
  step('removeCustomerCategoryMember'),
  step('deleteCustomerCategory'),
  step('deleteCustomer'),
  step('deletePromotion'),
  step('deleteShippingMethod'),
  step('deleteProductField'),
  step('deleteCustomFieldSelectOption'),
  step('deleteCustomField'),
  step('deleteDigitalProduct'),
  step('deleteProductAttachment'),
  step('deleteProductImage'),
  step('deleteProductOptionValue'),
  step('deleteProductOption'),
  step('deleteProduct'),
  step('deleteCategory'),
  step('deleteHook'),
  making('createLocation', 'locations', () => ({ name: 'Shed', address: 'Rua C', city: 'Braga', country: 'PT' })),
  step('deleteLocation'),
]

/** Values of parameters that nothing has to be made for. */
const WORDS: Seen = {
  country_code: 'CL',
  region_code: '03',
  email: 'ana@example.org',
}
const STATUSES: Seen = { products: 'available', orders: 'pending_payment', customers: 'Pending Payment' }

/**
 * The names under which values of `{field_id}` and `{image_id}` are known, by the first word of the
 * path.
 */
const NAMES: Readonly<Record<string, string>> = {
  'customers field_id': 'customer_field_id',
  'products field_id': 'product_field_id',
  'pages image_id': 'page_image_id',
  'customer_categories customer_id': 'customers',
  'products category_id': 'categories',
}

export const operationOf = (id: string): ContractOperation => {
  const operation = operations.get(id)
  if (!operation) throw new Error(`Expected the contract to have an operation "${id}".`)
  return operation
}

/** Values of the parameters in an operation's path, by their names. */
export function pathValues({ path, parameters }: ContractOperation, seen: Seen): Record<string, string | number> {
  const [, first = ''] = path.split(/[/.]/)
  const own = first === 'order' || first === 'carts' ? 'orders' : first
  return Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => {
        const known = NAMES[`${own} ${name}`] ?? (name === 'id' || name === 'product_id' ? own : name)
        const value = name === 'status' ? STATUSES[own] : (seen[known] ?? WORDS[known])
        if (value === undefined) throw new Error(`Expected to know ${known} for ${path}.`)
        return [name, value]
      }),
  )
}

/** A request such as `GET /products/7.json`. */
export function requestOf(operation: ContractOperation, values: Readonly<Record<string, string | number>>, query = ''): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  return `${operation.method} ${path}${query === '' ? '' : `?${query}`}`
}
