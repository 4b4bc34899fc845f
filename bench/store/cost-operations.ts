const PRODUCT = `id number name pageTitle metaDescription description type status daysToExpire price discount costPerItem
  compareAtPrice weight stock stockUnlimited stockThreshold stockNotification backInStockEnabled minimumQuantity
  maximumQuantity sku brand barcode googleProductCategory quotable featured reviewsEnabled shippingRequired packageFormat
  length width height diameter permalink createdAt updatedAt version`
const CATEGORIES = 'categories { id number name permalink createdAt updatedAt }'
const IMAGES = 'images { id number position url contentType byteCount createdAt }'
const VARIANT = `id number price costPerItem compareAtPrice sku barcode stock stockUnlimited stockThreshold
  stockNotification createdAt updatedAt version`
const VARIANTS = `variants { ${VARIANT} options { name optionType value custom optionPosition valuePosition } image { id url } }`
const OPTIONS = 'options { id number name position optionType values { id number name custom position } }'
const WHOLE_PRODUCT = `${PRODUCT} ${CATEGORIES} ${IMAGES} ${VARIANTS} ${OPTIONS}
  customFieldValues { id number value } digitalAssets { id number filename } attachments { id number filename }`
const ADDRESS = 'name surname address city postal region country countryCode regionCode municipality'
const ORDER = `id number status fulfillmentStatus shipmentStatus currency locale subtotal tax shipping shippingTax discount
  shippingDiscount giftCardsDiscount total refunded shippingRequired shippingOption sameDayDelivery shippingMethodNumber
  shippingMethodName paymentMethodName paymentMethodType paymentInformation additionalInformation trackingNumber
  trackingCompany trackingUrl createdAt completedAt updatedAt version`
const LINE = 'id number productNumber variantNumber sku name quantity price discount weight subtotal tax total'
const LINES = `lines { ${LINE} }`
const WHOLE_ORDER = `${ORDER} customer { number email fullname } shippingAddress { ${ADDRESS} } billingAddress { ${ADDRESS} }
  promotions { number name amount } shippingTaxes { name rate amount } additionalFields { label value }
  lines { ${LINE} taxes { name rate amount } allocations { locationNumber quantity } }`
const CUSTOMER = 'id number email phone fullname status acceptsMarketing createdAt updatedAt version'

/** A field so many times, under as many names. */
const times = (count: number, field: string) => Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')

/**
 * Queries of a store by what they read: the smallest and the largest that clients send, in their
 * widths and lengths.
 */
export const COST_OPERATIONS: Readonly<Record<string, string>> = {
  'store, its name': '{ store { name } }',
  '1 product, its name': '{ products(first: 1) { nodes { name } } }',
  '1 whole product': `{ products(first: 1) { nodes { ${WHOLE_PRODUCT} } } }`,
  '10 products, their names': '{ products(first: 10) { nodes { name } } }',
  '10 products, every leaf': `{ products(first: 10) { nodes { ${PRODUCT} } } }`,
  '10 whole products': `{ products(first: 10) { nodes { ${WHOLE_PRODUCT} } } }`,
  '50 products, their names': '{ products(first: 50) { nodes { name } } }',
  '50 products, every leaf': `{ products(first: 50) { nodes { ${PRODUCT} } } }`,
  '50 products with categories': `{ products(first: 50) { nodes { name ${CATEGORIES} } } }`,
  '50 products with pictures': `{ products(first: 50) { nodes { name ${IMAGES} } } }`,
  '50 products with variants': `{ products(first: 50) { nodes { name ${VARIANTS} } } }`,
  '50 products with options': `{ products(first: 50) { nodes { name ${OPTIONS} } } }`,
  '50 whole products': `{ products(first: 50) { nodes { ${WHOLE_PRODUCT} } } }`,
  '100 products, five leaves': '{ products(first: 100) { nodes { id name sku price stock } } }',
  '100 products, every leaf': `{ products(first: 100) { nodes { ${PRODUCT} } } }`,
  '250 products, five leaves': '{ products(first: 250) { nodes { id name sku price stock } } }',
  '20 categories with their products': `{ productCategories(first: 20) { nodes { name products(first: 10) { nodes { name } } } } }`,
  '220 categories': '{ productCategories(first: 220) { nodes { id number name permalink } } }',
  '1 order with lines': `{ orders(first: 1) { nodes { number total ${LINES} } } }`,
  '1 whole order': `{ orders(first: 1) { nodes { ${WHOLE_ORDER} } } }`,
  '20 orders, their totals': '{ orders(first: 20) { nodes { number total } } }',
  '20 orders with lines': `{ orders(first: 20) { nodes { number total ${LINES} } } }`,
  '20 whole orders': `{ orders(first: 20) { nodes { ${WHOLE_ORDER} } } }`,
  '100 orders, their totals': '{ orders(first: 100) { nodes { number total } } }',
  '100 orders, every leaf': `{ orders(first: 100) { nodes { ${ORDER} } } }`,
  '100 orders with lines': `{ orders(first: 100) { nodes { ${ORDER} ${LINES} } } }`,
  '100 whole orders': `{ orders(first: 100) { nodes { ${WHOLE_ORDER} } } }`,
  '50 orders with lines and their products': `{ orders(first: 50) { nodes { number lines { quantity product { name price } } } } }`,
  '50 orders with their histories':
    '{ orders(first: 50) { nodes { number history(first: 5) { nodes { message createdAt } } } } }',
  '250 products, a time 100 times': `{ products(first: 250) { nodes { ${times(100, 'createdAt')} } } }`,
  '100 customers, counts of their orders': '{ customers(first: 100) { nodes { orders(first: 1) { totalCount } } } }',
  '20 customers': `{ customers(first: 20) { nodes { ${CUSTOMER} } } }`,
  '100 customers with addresses': `{ customers(first: 100) { nodes { ${CUSTOMER} shippingAddress { name city country } billingAddress { name city country } } } }`,
  '20 customers with five orders each':
    '{ customers(first: 20) { nodes { email orders(first: 5) { nodes { number total } } } } }',
}
