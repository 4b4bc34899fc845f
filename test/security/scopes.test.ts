import {
  type DocumentNode,
  execute,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  parse,
  validate,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../subgraphs/store/access/scopes.ts'
import { aFullShop, type FullShop } from '../rest-facade/store/full-shop.ts'
import { type StoreRestStack, startStoreStack } from '../rest-facade/store/stack.ts'
import { aToken } from '../rest-facade/store/token.ts'
import { ANONYMOUS } from '../subgraphs/store/support/store.ts'

/**
 * Which scopes read which types: any one of them does. Written down here a second time, so that a
 * directive that is removed or weakened in the SDL fails this test, and so does a new type that
 * stands in neither table.
 */
const READ_BY: Readonly<Record<string, string>> = {
  store_owner:
    'AppAuthorization StaffMember StoreExportPage StoreImport StoreImportConnection StoreImportEdge StoreImportError StoreImportErrorConnection StoreImportErrorEdge',
  store_manager: 'AuditEntry AuditEntryConnection AuditEntryEdge AuditedField',
  store_staff: 'BegunConsoleSession',
  read_apps: 'App AppBillingCycle AppInstallation AppPlan AppSubscription',
  'read_apps read_jsapps': 'ScriptTag ScriptTagConnection ScriptTagEdge',
  read_customers: 'Customer CustomerAdditionalField CustomerAddress CustomerConnection CustomerEdge',
  'read_customers read_customer_categories': 'CustomerCategory CustomerCategoryConnection CustomerCategoryEdge',
  read_fulfillments:
    'Fulfillment FulfillmentConnection FulfillmentEdge FulfillmentHistoryConnection FulfillmentHistoryEdge FulfillmentHistoryEntry FulfillmentLabel Package',
  'read_fulfillments write_fulfillments': 'FulfillmentRate',
  read_hooks:
    'WebhookAttempt WebhookDelivery WebhookDeliveryConnection WebhookDeliveryEdge WebhookSubscription WebhookSubscriptionConnection WebhookSubscriptionEdge',
  read_orders:
    'BillingInformation CalculatedOrder CalculatedOrderLine DraftOrder DraftOrderConnection DraftOrderEdge ExchangeRate Order OrderAdditionalField OrderConnection OrderCustomer OrderDocument OrderDocumentConnection OrderDocumentEdge OrderEdge OrderHistoryConnection OrderHistoryEdge OrderHistoryEntry OrderLine OrderOrigin OrderPromotion OrderRefund OrderRefundLine OrderReturn OrderReturnConnection OrderReturnEdge OrderReturnLine OrderTax Payment ProductSales RefusedCoupon SalesDay SalesReport ShippingBranch ShippingSales SourceSales StockAllocation TaxSales TrafficSource',
  'read_orders read_fulfillments': 'OrderAddress',
  read_pages: 'Page PageCategory PageConnection PageEdge PageImage PagePlace PageTemplate',
  read_payment_methods: 'PaymentMethod',
  read_products:
    'DigitalAsset InventoryLevel InventoryTransfer InventoryTransferConnection InventoryTransferEdge InventoryTransferLine LocationStockValue PriceList PriceListConnection PriceListEdge PriceListPrice PriceListPriceConnection PriceListPriceEdge Product ProductAttachment ProductConnection ProductCustomFieldValue ProductEdge ProductImage ProductOption ProductOptionValue ProductReview ProductReviewConnection ProductReviewEdge ProductVariant StockValue VariantOption',
  'read_products read_custom_fields': 'CustomField CustomFieldConnection CustomFieldEdge CustomFieldSelectOption',
  read_promotions:
    'Coupon GiftCard GiftCardConnection GiftCardEdge GiftCardTransaction GiftCardTransactionConnection GiftCardTransactionEdge Promotion PromotionConnection PromotionEdge',
  read_settings:
    'MailText SearchSynonym SearchSynonymConnection SearchSynonymEdge StoreCurrency Theme ThemeFile ThemeSetting ThemeView',
  'read_settings read_checkout_custom_fields': 'CheckoutCustomField CheckoutCustomFieldConnection CheckoutCustomFieldEdge',
  read_shipping_methods:
    'ShippingFee ShippingLocation ShippingMethod ShippingQuote ShippingService ShippingTable ShippingTableValue',
  read_store: 'Language Store StoreAddress StoreQuota',
  'read_store read_categories read_products': 'ProductCategory ProductCategoryConnection ProductCategoryEdge',
  'read_store read_locations': 'Location LocationAddress',
  read_taxes: 'Tax TaxSettings',
  read_transaction_ledgers: 'LedgerEntry LedgerEntryConnection LedgerEntryEdge StoreBalance',
}

/** Types without a scope of their own, each with the reason why whoever reaches one may read it. */
const OPEN_TYPES: Readonly<Record<string, string>> = {
  'what a shop shows to every visitor':
    'SampleOrder Shop ShopProduct ShopProductConnection ShopProductEdge ShopConnection ShopEdge Storefront StorefrontCollection StorefrontFacetValue StorefrontFacets StorefrontImage StorefrontMenu StorefrontOption StorefrontOptionFacet StorefrontOptionValue StorefrontPage StorefrontPrice StorefrontProduct StorefrontProductConnection StorefrontProductEdge StorefrontQuantityPrice StorefrontRating StorefrontReview StorefrontSeo StorefrontVariant StorefrontVariantOption StorefrontCheckoutField StorefrontPaymentMethod StorefrontPickupLocation StorefrontTheme StorefrontCountry',
  'a cart, for who has its token':
    'StorefrontCart StorefrontCartLine StorefrontCartAttribute StorefrontAddress StorefrontCartTotals StorefrontGiftCard StorefrontShippingRate StorefrontCartProblem StorefrontTotalChanged StorefrontCheckoutIncomplete',
  'of a customer account, by the secret token of its session':
    'CustomerAccount CustomerAccountOrder CustomerAccountOrderConnection CustomerAccountOrderEdge CustomerCredentialsWrong CustomerLinkExpired StorefrontReturn StorefrontReturnableLine',
  'an order, for who has its secret': 'ShopOrder ShopOrderLine ShopPayment',
  'facts about the world': 'Country Region Municipality',
  'a consent, for the browser that has its id':
    'AuthorizationRequest AppPermission AuthorizationStep StoreChoice NoStoreOwned ForeignApp',
  'what the caller itself holds': 'StaffMembership StoreAccess CallerGrants',
  'an invitation, for who has its secret': 'StaffInvitation',
  'why a change of the caller failed':
    'BulkCustomersRefused BulkOrdersRefused BulkCustomerRow BulkOrderRow DraftOrderNotOpen InventoryTransferNotAllowed FulfillmentHasNoLabel InsufficientStock OrderEditRefused OrderReturnNotAllowed QuotaExceededError StockShortage Error NotFoundError ValidationError ConflictError StoreLimitReached SubscriptionRequired',
  'belongs to the thing through which alone it is reached': 'Metafield PageInfo QuotaLevel',
  'a user of the social graph, by id': 'User',
  'a root': 'Query Mutation Subscription',
}

/** Fields that need another scope than their type. */
const FIELDS_READ_BY: Readonly<Record<string, string>> = {
  'ProductReview.customerEmail': 'read_customers',
  'Store.hooksToken': 'store_owner',
}

const readBy = new Map(
  Object.entries(READ_BY).flatMap(([scopes, types]) => types.split(' ').map((type) => [type, scopes.split(' ')] as const)),
)
const open = new Set(Object.values(OPEN_TYPES).flatMap((types) => types.split(' ')))

/**
 * An outcome that carries what was changed, such as `CreateProductSuccess`: each of its things has
 * a scope of its own.
 */
const isSuccess = (type: string): boolean => /Success$/.test(type)

/** Fields of a walk below the root: `nodes { order { customer { email` are four. */
const DEPTH = 5

let stack: StoreRestStack
/** With two of everything. */
let full: FullShop
beforeAll(async () => {
  stack = await startStoreStack()
  full = await aFullShop(stack, 2)
}, 180_000)
afterAll(() => stack.close())

const schemaOfStore = (): GraphQLSchema => stack.subgraph.schema

test('every type of the store is read by a scope, or is open for a reason that is written down', () => {
  const types = Object.values(schemaOfStore().getTypeMap()).filter((type) => isObjectType(type) && !/^_/.test(type.name))
  const names = types.map(({ name }) => name).filter((name) => !isSuccess(name))
  expect(names.toSorted()).toEqual([...readBy.keys(), ...open].toSorted())
})

/** Arguments of root fields that need some, for things that the shop has. */
function argumentsOf(field: string, { ids, productIds, locationIds }: FullShop): string | null {
  const byId: Readonly<Record<string, string>> = {
    app: 'apps',
    cart: 'carts',
    checkoutCustomField: 'checkout_custom_fields',
    customField: 'custom_fields',
    customFieldSelectOption: 'select_options',
    customer: 'customers',
    customerAdditionalField: 'customers fields',
    customerCategory: 'customer_categories',
    calculateDraftOrder: 'draft_orders',
    digitalAsset: 'digital_products',
    draftOrder: 'draft_orders',
    fulfillment: 'fulfillments',
    fulfillmentLabel: 'fulfillments',
    giftCard: 'gift_cards',
    location: 'locations',
    order: 'orders',
    orderReturn: 'order_returns',
    page: 'pages',
    pageCategory: 'menu',
    pageImage: 'pages images',
    pageTemplate: 'pages',
    paymentMethod: 'payment_methods',
    previewTheme: 'themes',
    product: 'products',
    productAttachment: 'attachments',
    productCategory: 'categories',
    productCustomFieldValue: 'products fields',
    productImage: 'products images',
    productOption: 'options',
    productOptionValue: 'values',
    productReview: 'reviews',
    productVariant: 'variants',
    promotion: 'promotions',
    scriptTag: 'jsapps',
    shippingMethod: 'shipping_methods',
    storeImport: 'store_imports',
    tax: 'taxes',
    theme: 'themes',
    webhookDelivery: 'hooks',
    webhookSubscription: 'hooks',
    authorizationRequest: 'hooks',
  }
  const others: Readonly<Record<string, string>> = {
    appInstallation: `code: "${ids.apps}"`,
    country: 'code: "PT"',
    customerByEmail: `email: "${ids.email}"`,
    orderFulfillments: `orderId: "${ids.orders}"`,
    // The shop's paid orders are in other currencies than its own.
    salesReport: 'period: { period: TODAY }, currency: "USD"',
    inventoryTransfer: 'id: "1"',
    priceList: 'id: "1"',
    searchSynonym: 'id: "1"',
    inventoryLevels: `locationIds: ["${locationIds[0]}"], productIds: ["${productIds[0]}"]`,
    calculateOrder: `input: { lines: [{ productId: "${productIds[0]}", variantId: "${ids.variants}", quantity: 1 }] }`,
    fulfillmentRates: `input: { orderId: "${ids.orders}", locationId: "${locationIds[0]}" }`,
    shippingQuotes: 'input: { lines: [{ price: 10, quantity: 1, weight: 1 }], country: "PT" }',
    storeExport: 'kind: PRODUCTS, format: CSV',
    shop: 'code: "demo"',
    storefront: 'store: "demo"',
    shopOrder: 'code: "demo", secret: "none"',
    staffInvitation: 'secret: "none"',
  }
  if (Object.hasOwn(others, field)) return others[field] ?? null
  return Object.hasOwn(byId, field) ? `id: "${ids[byId[field] ?? '']}"` : null
}

/** Steps from the root to a field that the caller may not read; every step before it may be. */
type RefusedPath = readonly string[]

/**
 * A selection of everything that these scopes open, to some depth; every field that they do not
 * open is noted and left out.
 */
function selectionOf(
  type: GraphQLObjectType,
  held: readonly string[],
  path: readonly string[],
  note: (refused: RefusedPath) => void,
): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return []
    const target = getNamedType(field.type)
    const scope = FIELDS_READ_BY[`${type.name}.${field.name}`]
    const isField = scope === undefined || held.includes(scope)
    if (!isField || (isObjectType(target) && !mayRead(target.name, held))) {
      note([...path, field.name])
      return []
    }
    if (!isCompositeType(target)) return [field.name]
    if (path.length >= DEPTH || !isObjectType(target)) return [`${field.name} { __typename }`]
    return [`${field.name} { __typename ${selectionOf(target, held, [...path, field.name], note)} }`]
  })
  return ['__typename', ...fields].join(' ')
}

/** Every leaf of a type. */
const leavesOf = (type: GraphQLObjectType): string => {
  const leaves = Object.values(type.getFields()).filter(
    (field) => !isCompositeType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
  )
  return ['__typename', ...leaves.map(({ name }) => name)].join(' ')
}

/** A selection that leads to one field, and of that all leaves. */
function nested(type: GraphQLObjectType, [step = '', ...rest]: RefusedPath): string {
  const target = getNamedType(type.getFields()[step]?.type ?? type)
  if (!isObjectType(target)) return step
  return `${step} { __typename ${rest.length > 0 ? nested(target, rest) : leavesOf(target)} }`
}

const documents = new Map<string, DocumentNode>()
/**
 * Parsed and valid: a query that is wrong would be answered nothing, whatever the caller may read.
 */
function documentOf(text: string): DocumentNode {
  const known = documents.get(text)
  if (known) return known
  const document = parse(text, { noLocation: true })
  expect(validate(schemaOfStore(), document)).toEqual([])
  documents.set(text, document)
  return document
}

const mayRead = (type: string, held: readonly string[]): boolean =>
  open.has(type) || isSuccess(type) || (readBy.get(type) ?? []).some((scope) => held.includes(scope))

/** What is answered although no scope opens it, each as the path that leads there. */
function breachesIn(
  value: unknown,
  type: GraphQLObjectType,
  held: readonly string[],
  schema: GraphQLSchema,
  at: string,
): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => breachesIn(item, type, held, schema, `${at}.${index}`))
  const { __typename: typename } = value as { readonly __typename?: string }
  const actual = typename === undefined ? type : schema.getType(typename)
  if (!isObjectType(actual)) throw new Error(`Expected an object type at ${at}, got ${typename}.`)
  if (!mayRead(actual.name, held)) return [`${at}: ${actual.name}`]
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = actual.getFields()[key]
    if (!field || inner === null) return []
    const scope = FIELDS_READ_BY[`${actual.name}.${key}`]
    if (scope !== undefined && !held.includes(scope)) return [`${at}.${key}`]
    const target = getNamedType(field.type)
    return isCompositeType(target) ? breachesIn(inner, target as GraphQLObjectType, held, schema, `${at}.${key}`) : []
  })
}

/** Every object of an answer, by its type. */
function typesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(typesIn)
  const { __typename: typename } = value as { readonly __typename?: string }
  return [...(typename ? [typename] : []), ...Object.values(value).flatMap(typesIn)]
}

type Variables = Readonly<Record<string, unknown>>
type Ask = (
  document: DocumentNode,
  authorization: string | null,
  variables: Variables,
) => Promise<{ readonly data: unknown; readonly errors: number }>

const callerWith = (authorization: string | null) =>
  authorization ? { ...ANONYMOUS, credentials: { authorization } } : ANONYMOUS

const prepared = new WeakSet<DocumentNode>()
const throughTheGateway: Ask = async (document, authorization, variables) => {
  if (!prepared.has(document)) await stack.gateway.client.prepare(document as never)
  prepared.add(document)
  const { data, errors } = await stack.gateway.client.run(
    document as never,
    variables as never,
    callerWith(authorization),
    new AbortController().signal,
  )
  return { data, errors: errors.length }
}

/** Whoever reaches the subgraph without the gateway. */
const straight: Ask = async (document, authorization, variableValues) => {
  const contextValue = stack.subgraph.context(callerWith(authorization))
  const { data, errors = [] } = await execute({ schema: schemaOfStore(), document, contextValue, variableValues })
  return { data, errors: errors.length }
}

describe.each([
  ['through the gateway', throughTheGateway],
  ['straight from the subgraph', straight],
])('%s', (_, ask) => {
  const reached = new Set<string>()

  test.each([...SCOPES, 'no scope', 'no credentials'])(
    'a token with %s reads no type whose scope it does not hold, by any path',
    async (scope) => {
      const schema = schemaOfStore()
      const query = schema.getQueryType() as GraphQLObjectType
      const held = scope.startsWith('no ') ? [] : [scope]
      const breaches: string[] = []
      const authorization = scope === 'no credentials' ? null : `Bearer ${await aToken(stack, full.shop, held)}`
      const answered = async (text: string, variables: Variables = {}) => {
        const { data } = await ask(documentOf(text), authorization, variables)
        breaches.push(...breachesIn(data, query, held, schema, 'Query'))
        for (const type of typesIn(data)) reached.add(type)
      }
      for (const field of Object.values(query.getFields())) {
        if (field.name.startsWith('_') || !isCompositeType(getNamedType(field.type))) continue
        const given = argumentsOf(field.name, full)
        const needed = field.args.filter(isRequiredArgument).map(({ name }) => name)
        if (needed.length > 0 && given === null) throw new Error(`Expected arguments for Query.${field.name}.`)
        // As a variable, as clients send it.
        const id = /^id: "(.*)"$/.exec(given ?? '')?.[1] ?? null
        const root = `${field.name}${id === null ? (given ? `(${given})` : '') : '(id: $id)'}`
        const variables = id === null ? {} : { id }
        const head = id === null ? '' : 'query ($id: ID!) '
        if (field.name === 'countries' && scope !== 'no scope') {
          // 249 countries with every municipality take most of a second: the caller with no scope
          // reads them whole, all others one whole `country`.
          await answered('{ countries { __typename code name } }')
          continue
        }
        const target = getNamedType(field.type)
        const members = isUnionType(target) ? target.getTypes() : isObjectType(target) ? [target] : []
        for (const member of members) {
          const refused: RefusedPath[] = []
          const below = mayRead(member.name, held) ? selectionOf(member, held, [], (path) => refused.push(path)) : 'MEMBER'
          const on = (selection: string) => `${head}{ ${root} { __typename ... on ${member.name} { ${selection} } } }`
          await answered(on(below === 'MEMBER' ? leavesOf(member) : below), variables)
          // Each by itself: a refused field that may not be null takes all beside it along.
          for (const path of refused) await answered(on(nested(member, path)), variables)
        }
      }
      expect(breaches).toEqual([])
    },
    180_000,
  )

  test('the walk has met every type that the shop has something of', () => {
    expect([...readBy.keys()].filter((type) => !reached.has(type)).toSorted()).toEqual([...NEVER_MET].toSorted())
  })
})

/** Types that no scope leads to alone, and those that the shop of the walk has nothing of. */
const NEVER_MET: readonly string[] = [
  // For the store's own credentials, and for the app itself.
  ...['StoreExportPage', 'StoreImport', 'StoreImportConnection', 'StoreImportEdge', 'StoreImportError'],
  ...['StoreImportErrorConnection', 'StoreImportErrorEdge', 'StaffMember'],
  ...['AuditEntry', 'AuditEntryConnection', 'AuditEntryEdge', 'AuditedField'],
  ...['AppAuthorization', 'BegunConsoleSession', 'App', 'AppBillingCycle', 'AppInstallation', 'AppPlan', 'AppSubscription'],
  ...['ScriptTag', 'ScriptTagEdge', 'CustomerAddress', 'FulfillmentLabel', 'FulfillmentRate', 'BillingInformation'],
  ...['OrderPromotion', 'OrderRefund', 'OrderRefundLine', 'OrderTax', 'RefusedCoupon', 'ShippingBranch', 'ShippingFee'],
  ...['ShippingService', 'StoreAddress', 'Payment', 'TaxSales'],
]

describe('fields outside the scope of a token are refused, by any path', () => {
  const answered = async (scopes: readonly string[], text: string) => {
    const authorization = `Bearer ${await aToken(stack, full.shop, scopes)}`
    const preparedByOwner = stack.gateway.prepareText(text, undefined)
    if (preparedByOwner.kind === 'rejected') throw new Error(JSON.stringify(preparedByOwner.errors))
    const result = await preparedByOwner.run({}, { caller: callerWith(authorization), signal: new AbortController().signal })
    return { text: JSON.stringify(result.data ?? null), errors: result.errors ?? [] }
  }
  const idOf = (of: string) => full.ids[of]
  /** What a shop knows of people, and what signs its webhooks. */
  const SECRETS = /@|\+\d{6}|Rua 1|"phone":"|"body":"\{|hooksToken":"/

  test.each([
    ['read_taxes', '{ orderDocuments { nodes { order { customer { email phone } shippingAddress { address } } } } }'],
    [
      'read_promotions',
      '{ promotions(first: 1) { nodes { customerCategories { customers(first: 1) { nodes { email billingAddress { address taxid } orders(first: 1) { nodes { total } } } } } } } }',
    ],
    ['read_fulfillments', '{ fulfillments { nodes { order { customer { email } } } } }'],
    ['read_transaction_ledgers', '{ ledgerEntries { nodes { order { customer { email } } } } }'],
    ['read_products', '{ products(first: 2) { nodes { reviews(first: 2) { nodes { customerEmail } } } } }'],
    [
      'read_categories',
      '{ productCategories(first: 1) { nodes { products(first: 1) { nodes { reviews(first: 1) { nodes { customerEmail } } } } } } }',
    ],
    ['read_hooks', '{ webhookDeliveries { nodes { event body } } }'],
    ['read_apps', 'MY_INSTALLATION'],
    ['read_store', '{ store { hooksToken } }'],
  ])('%s: %s', async (scope, text) => {
    const query = text === 'MY_INSTALLATION' ? `{ appInstallation(code: "${idOf('apps')}") { store { hooksToken } } }` : text
    const answer = await answered([scope], query)
    expect(answer.text).not.toMatch(SECRETS)
    expect(answer.errors.map(({ extensions }) => extensions?.code)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(UNAUTHORIZED_FIELD_OR_TYPE|FORBIDDEN)$/)]),
    )
    const { text: whole } = await throughTheGatewayAsOwner(query)
    // The same question has an answer: the refusal is not one of an empty shop.
    if (scope !== 'read_apps' && scope !== 'read_categories') expect(whole).not.toMatch(/^(null|\{"\w+":null\})$/)
  })

  async function throughTheGatewayAsOwner(text: string) {
    const preparedByOwner = stack.gateway.prepareText(text, undefined)
    if (preparedByOwner.kind === 'rejected') throw new Error(JSON.stringify(preparedByOwner.errors))
    const { data } = await preparedByOwner.run({}, { caller: full.shop.caller, signal: new AbortController().signal })
    return { text: JSON.stringify(data ?? null) }
  }

  test('a change that is allowed does not answer what may not be read', async () => {
    const change = `mutation { updateCustomer(id: "${idOf('customers')}", input: {}) {
      __typename ... on UpdateCustomerSuccess { customer { email orders { nodes { total } } } } } }`
    const { text, errors } = await answered(['write_customers'], change)
    expect(text).not.toMatch(SECRETS)
    expect(errors.map(({ extensions }) => [extensions?.code, extensions?.requiredScopes])).toEqual([
      ['UNAUTHORIZED_FIELD_OR_TYPE', [['read_customers']]],
    ])
    const both = await answered(['write_customers', 'read_customers'], change)
    expect(both.errors.map(({ extensions }) => extensions?.requiredScopes)).toEqual([[['read_orders']]])
  })

  test('metafields are returned to callers who may read their owner', async () => {
    const preparedByOwner = await throughTheGatewayAsOwner(`{ product(id: "${idOf('products')}") { id } }`)
    const { id } = JSON.parse(preparedByOwner.text).product
    const set = `mutation { setMetafields(input: { ownerId: "${id}", metafields: [{ namespace: "a", key: "k", type: TEXT, value: "secret word" }] }) {
      __typename ... on SetMetafieldsSuccess { metafields { value } } } }`
    expect((await answered(['write_products'], set)).text).not.toContain('secret word')
    expect((await answered(['write_products', 'read_products'], set)).text).toContain('secret word')
  })

  test('a webhook requires the scope of what it sends, at its creation and at each change', async () => {
    const make = (event: string) =>
      `mutation { createWebhookSubscription(input: { event: ${event}, url: "https://collector.example/${event}" }) { __typename } }`
    const refused = await answered(['write_hooks'], make('ORDER_UPDATED'))
    expect(refused.errors.map(({ extensions }) => [extensions?.code, extensions?.scopes])).toEqual([
      ['FORBIDDEN', ['read_orders']],
    ])
    expect((await answered(['write_hooks', 'read_orders'], make('ORDER_UPDATED'))).text).toContain(
      'CreateWebhookSubscriptionSuccess',
    )

    const redirect = `mutation { updateWebhookSubscription(id: "${idOf('hooks')}", input: { url: "https://collector.example/x" }) { __typename } }`
    expect((await answered(['write_hooks'], redirect)).errors.map(({ extensions }) => extensions?.scopes)).toEqual([
      ['read_products'],
    ])
    expect((await answered(['write_hooks', 'read_products'], redirect)).text).toContain('UpdateWebhookSubscriptionSuccess')
  })

  test('a webhook of fulfillments sends orders, and needs the scope that reads them', async () => {
    const make =
      'mutation { createWebhookSubscription(input: { event: FULFILLMENT_UPDATED, url: "https://collector.example/f" }) { __typename } }'
    const refused = await answered(['write_hooks', 'read_fulfillments'], make)
    expect(refused.errors.map(({ extensions }) => extensions?.scopes)).toEqual([['read_orders']])
    expect((await answered(['write_hooks', 'read_fulfillments', 'read_orders'], make)).text).toContain(
      'CreateWebhookSubscriptionSuccess',
    )
  })

  test('pending deliveries of an earlier event are not redirected by a caller without the scope to read them', async () => {
    const owner = (text: string) => throughTheGatewayAsOwner(text)
    const { text } = await owner(
      'mutation { createWebhookSubscription(input: { event: ORDER_UPDATED, url: "https://receiver.example/o" }) { ... on CreateWebhookSubscriptionSuccess { webhookSubscription { id number } } } }',
    )
    const { id, number } = JSON.parse(text).createWebhookSubscription.webhookSubscription
    await owner(`mutation { pauseWebhookSubscription(id: "${id}") { __typename } }`)
    await stack.sql(
      `INSERT INTO webhook_delivery (store_id, subscription_id, url, event, entity, entity_id, triggered_at, created_at, due_at)
       VALUES ($1, $2, 'https://receiver.example/o', 'order_updated', 'Order', 1, now(), now(), now())`,
      [full.shop.storeId, number],
    )
    await owner(`mutation { updateWebhookSubscription(id: "${id}", input: { event: PRODUCT_UPDATED }) { __typename } }`)
    const redirect = `mutation { updateWebhookSubscription(id: "${id}", input: { url: "https://collector.example/o" }) { __typename } }`
    const refused = await answered(['write_hooks', 'read_products'], redirect)
    expect(refused.errors.map(({ extensions }) => extensions?.scopes)).toEqual([['read_orders']])
  })

  test('the key that signs webhooks is neither replaced nor read by any app', async () => {
    const rotate =
      'mutation { rotateHooksToken(input: {}) { __typename ... on RotateHooksTokenSuccess { store { hooksToken } } } }'
    const { text, errors } = await answered([...SCOPES], rotate)
    expect([text, errors.map(({ extensions }) => extensions?.code)]).toEqual(['null', ['FORBIDDEN']])
    expect((await answered([...SCOPES], '{ store { code hooksToken } }')).text).toContain('"hooksToken":null')
    expect((await throughTheGatewayAsOwner('{ store { hooksToken } }')).text).toMatch(/"hooksToken":"\w{20,}/)
  })
})
