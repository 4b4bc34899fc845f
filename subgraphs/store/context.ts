import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { chargeTo } from '../../platform/database/operation-context.ts'
import type { EventFeed } from '../../platform/events/outbox.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AddressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import type { SecretCipher } from '../../platform/secrets/cipher.ts'
import { lazyMembers } from '../toolkit/lazy-members.ts'
import type { AuthenticatedUser, AuthenticateUser } from '../toolkit/user-authenticator.ts'
import { type AccessJudge, storeTenant } from './access/access.ts'
import type { Access } from './access/grant.ts'
import { grantsOf, type StoreGrants } from './access/guard.ts'
import { isScope, SCOPES } from './access/scopes.ts'
import { appLoaders } from './app/loaders.ts'
import { appSubscriptionLoaders } from './app-subscription/loaders.ts'
import { type AuditActor, auditActorOf } from './audit-entry/audit-actor.ts'
import type { CheckoutTimes } from './checkout/variables.ts'
import { checkoutCustomFieldLoaders } from './checkout-custom-field/loaders.ts'
import { customFieldLoaders } from './custom-field/loaders.ts'
import { customFieldSelectOptionLoaders } from './custom-field-select-option/loaders.ts'
import { customerLoaders } from './customer/loaders.ts'
import type { AccountLimits } from './customer-account/limits.ts'
import { shopperOf } from './customer-account/shopper.ts'
import { customerAdditionalFieldLoaders } from './customer-additional-field/loaders.ts'
import { customerCategoryLoaders } from './customer-category/loaders.ts'
import { digitalAssetLoaders } from './digital-asset/loaders.ts'
import { draftOrderLoaders } from './draft-order/loaders.ts'
import type { Files } from './file/files.ts'
import { fulfillmentLoaders } from './fulfillment/loaders.ts'
import { giftCardLoaders } from './gift-card/loaders.ts'
import { inventoryLoaders } from './inventory/loaders.ts'
import { inventoryTransferLoaders } from './inventory-transfer/loaders.ts'
import { ledgerLoaders } from './ledger/loaders.ts'
import { locationLoaders } from './location/loaders.ts'
import type { MailJobs } from './mail/jobs.ts'
import type { MailLimits } from './mail/limits.ts'
import { metafieldLoaders } from './metafield/loaders.ts'
import type { Protocol } from './oauth/protocol.ts'
import { orderLoaders } from './order/loaders.ts'
import { orderDocumentLoaders } from './order-document/loaders.ts'
import { orderHistoryLoaders } from './order-history/loaders.ts'
import { orderRefundLoaders } from './order-refund/loaders.ts'
import { orderReturnLoaders } from './order-return/loaders.ts'
import { pageLoaders } from './page/loaders.ts'
import { pageCategoryLoaders } from './page-category/loaders.ts'
import { pageImageLoaders } from './page-image/loaders.ts'
import { pageTemplateLoaders } from './page-template/loaders.ts'
import { paymentLoaders } from './payment/loaders.ts'
import type { PaymentRepository } from './payment/repository.ts'
import type { PaymentDeps } from './payment/run.ts'
import { paymentMethodLoaders } from './payment-method/loaders.ts'
import { priceListLoaders } from './price-list/loaders.ts'
import { productLoaders } from './product/loaders.ts'
import { productAttachmentLoaders } from './product-attachment/loaders.ts'
import { productCategoryLoaders } from './product-category/loaders.ts'
import { productCustomFieldValueLoaders } from './product-custom-field-value/loaders.ts'
import { productImageLoaders } from './product-image/loaders.ts'
import { productOptionLoaders } from './product-option/loaders.ts'
import { productReviewLoaders } from './product-review/loaders.ts'
import { productVariantLoaders } from './product-variant/loaders.ts'
import { promotionLoaders } from './promotion/loaders.ts'
import type { storeRepositories } from './repositories.ts'
import { scriptTagLoaders } from './script-tag/loaders.ts'
import { searchSynonymLoaders } from './search-synonym/loaders.ts'
import { shippingMethodLoaders } from './shipping-method/loaders.ts'
import type { ShippingServices } from './shipping-method/service.ts'
import { shopLoaders } from './shop/loaders.ts'
import { staffMemberLoaders } from './staff-member/loaders.ts'
import { storeLoaders } from './store/loaders.ts'
import { storeCurrencyLoaders } from './store-currency/loaders.ts'
import { storeImportLoaders } from './store-import/loaders.ts'
import type { Shopper } from './storefront/shopper.ts'
import { storefrontProductLoaders } from './storefront-product/loaders.ts'
import type { Tables } from './tables.ts'
import { taxLoaders } from './tax/loaders.ts'
import type { Tenant } from './tenant.ts'
import { themeLoaders } from './theme/loaders.ts'
import { webhookDeliveryLoaders } from './webhook-delivery/loaders.ts'
import type { Webhooks } from './webhook-delivery/webhooks.ts'
import { webhookSubscriptionLoaders } from './webhook-subscription/loaders.ts'
import { type UnitOfWork, write } from './write.ts'

/** What lives as long as the subgraph. */
export type Parts = ReturnType<typeof storeRepositories> & {
  readonly database: Kysely<Tables>
  readonly judge: AccessJudge
  readonly authenticateUser: AuthenticateUser
  /** Takes one of an address's carts of this minute; rejects with RATE_LIMITED. */
  readonly limitCarts: AddressRateLimit
  /** Takes codes that an address tries, in the scope of a store, before they are looked up. */
  readonly limitGiftCardCodes: AddressRateLimit
  readonly checkoutTimes: CheckoutTimes
  readonly payments: PaymentRepository
  /** Dependencies of requests to payment gateways. */
  readonly paymentDeps: PaymentDeps
  readonly limitAccounts: AccountLimits
  readonly shippingServices: ShippingServices
  /** How apps get their tokens; made when it is first needed. */
  readonly protocol: () => Promise<Protocol>
  readonly files: Files
  readonly webhooks: Webhooks
  /** Schedule of e-mails; null: the installation has no mail server. */
  readonly mail: MailJobs | null
  readonly mailLimits: MailLimits
  readonly events: EventFeed
  /** What stored secrets are encrypted with. */
  readonly secrets: SecretCipher
  readonly log: Logger
  /** Where clients reach this installation, without a slash at the end. */
  readonly publicUrl: string
  readonly now: () => Date
}

/** What the resolvers of one operation, or of one event of a subscription, work with. */
export type Context = Parts & {
  readonly caller: Caller
  /**
   * What the caller may do, judged once per context. Rejects with UNAUTHENTICATED or RATE_LIMITED.
   */
  readonly access: () => Promise<Access>
  /**
   * What the caller holds of what the schema demands: that of `access`; of a signed-in user without
   * a store, what users hold. Rejects like `access`.
   */
  readonly grants: () => Promise<StoreGrants>
  /** The same, once it is known; null before. */
  readonly knownGrants: () => StoreGrants | null
  /** The store of the caller; rejects like `access`. */
  readonly storeId: () => Promise<number>
  /**
   * The user of the social graph that the caller is, by an opaque id; null for none. Rejects with
   * UNAUTHENTICATED for a token that is not valid now.
   */
  readonly user: () => Promise<string | null>
  /** The same, with the claims of their token. */
  readonly presented: () => Promise<AuthenticatedUser | null>
  /** The shopper of a session of a customer account; null: the session has ended. */
  readonly shopperOf: (storeId: number, accountToken: string) => Promise<Shopper | null>
  /** Runs a change of the caller's store: `write` in write.ts, whose key is the input's own. */
  readonly write: <Result extends { readonly __typename: string }>(
    name: string,
    input: { readonly idempotencyKey?: string | null | undefined; readonly [field: string]: unknown },
    change: (unit: UnitOfWork) => Promise<Result>,
  ) => ReturnType<typeof write<Result>>
  readonly load: Loaders
  /** Clears the loaders after a write. */
  readonly forgetLoaded: () => void
  /** Loaders of another store, for its public data. */
  readonly loadOfStore: (storeId: number) => Loaders
  /**
   * Runs a change of such a store, which the caller has proven to be allowed to make. `by`: as whom
   * the audit log knows them; absent for shoppers, whose changes it does not keep.
   */
  readonly writeTo: <Result extends { readonly __typename: string }>(
    storeId: number,
    name: string,
    input: { readonly idempotencyKey?: string | null | undefined; readonly [field: string]: unknown },
    change: (unit: UnitOfWork) => Promise<Result>,
    by?: AuditActor | null,
  ) => ReturnType<typeof write<Result>>
}

/** Loaders of one store's rows. */
export type Loaders = ReturnType<typeof loadersOf>

/** The loaders of a noun are created at first use: an operation needs few of them. */
const loadersOf = lazyMembers<[parts: Parts, tenant: Tenant]>()(
  ({ stores }) => storeLoaders(stores),
  ({ checkoutCustomFields }, tenant) => checkoutCustomFieldLoaders(checkoutCustomFields, tenant),
  ({ customers }, tenant) => customerLoaders(customers, tenant),
  ({ customerAdditionalFields }, tenant) => customerAdditionalFieldLoaders(customerAdditionalFields, tenant),
  ({ customerCategories }, tenant) => customerCategoryLoaders(customerCategories, tenant),
  ({ apps }) => appLoaders(apps),
  ({ appSubscriptions }, tenant) => appSubscriptionLoaders(appSubscriptions, tenant),
  ({ searchSynonyms }, tenant) => searchSynonymLoaders(searchSynonyms, tenant),
  ({ storeCurrencies }, tenant) => storeCurrencyLoaders(storeCurrencies, tenant),
  ({ scriptTags }, tenant) => scriptTagLoaders(scriptTags, tenant),
  ({ staffMembers }, tenant) => staffMemberLoaders(staffMembers, tenant),
  ({ draftOrders }, tenant) => draftOrderLoaders(draftOrders, tenant),
  ({ fulfillments }, tenant) => fulfillmentLoaders(fulfillments, tenant),
  ({ giftCards }, tenant) => giftCardLoaders(giftCards, tenant),
  ({ inventory }, tenant) => inventoryLoaders(inventory, tenant),
  ({ inventoryTransfers }, tenant) => inventoryTransferLoaders(inventoryTransfers, tenant),
  ({ ledger }, tenant) => ledgerLoaders(ledger, tenant),
  ({ locations }, tenant) => locationLoaders(locations, tenant),
  (parts, tenant) => orderLoaders(parts, tenant),
  ({ orderDocuments }, tenant) => orderDocumentLoaders(orderDocuments, tenant),
  ({ orderHistory }, tenant) => orderHistoryLoaders(orderHistory, tenant),
  ({ orderRefunds }, tenant) => orderRefundLoaders(orderRefunds, tenant),
  ({ orderReturns }, tenant) => orderReturnLoaders(orderReturns, tenant),
  ({ payments }, tenant) => paymentLoaders(payments, tenant),
  ({ paymentMethods }, tenant) => paymentMethodLoaders(paymentMethods, tenant),
  ({ priceLists }, tenant) => priceListLoaders(priceLists, tenant),
  ({ products }, tenant) => productLoaders(products, tenant),
  ({ productCategories }, tenant) => productCategoryLoaders(productCategories, tenant),
  ({ productOptions }, tenant) => productOptionLoaders(productOptions, tenant),
  ({ productVariants }, tenant) => productVariantLoaders(productVariants, tenant),
  ({ metafields }, tenant) => metafieldLoaders(metafields, tenant),
  ({ pages }, tenant) => pageLoaders(pages, tenant),
  ({ pageCategories }, tenant) => pageCategoryLoaders(pageCategories, tenant),
  ({ pageImages }, tenant) => pageImageLoaders(pageImages, tenant),
  ({ pageTemplates }, tenant) => pageTemplateLoaders(pageTemplates, tenant),
  ({ themes }, tenant) => themeLoaders(themes, tenant),
  ({ customFields }, tenant) => customFieldLoaders(customFields, tenant),
  ({ customFieldSelectOptions }, tenant) => customFieldSelectOptionLoaders(customFieldSelectOptions, tenant),
  ({ digitalAssets }, tenant) => digitalAssetLoaders(digitalAssets, tenant),
  ({ productAttachments }, tenant) => productAttachmentLoaders(productAttachments, tenant),
  ({ productCustomFieldValues }, tenant) => productCustomFieldValueLoaders(productCustomFieldValues, tenant),
  ({ productImages }, tenant) => productImageLoaders(productImages, tenant),
  ({ productReviews }, tenant) => productReviewLoaders(productReviews, tenant),
  ({ storeImports }, tenant) => storeImportLoaders(storeImports, tenant),
  ({ taxes }, tenant) => taxLoaders(taxes, tenant),
  ({ shippingMethods }, tenant) => shippingMethodLoaders(shippingMethods, tenant),
  ({ shops }) => shopLoaders(shops),
  ({ storefrontProducts }, tenant) => storefrontProductLoaders(storefrontProducts, tenant),
  ({ promotions }, tenant) => promotionLoaders(promotions, tenant),
  ({ webhookDeliveries }, tenant) => webhookDeliveryLoaders(webhookDeliveries, tenant),
  ({ webhookSubscriptions }, tenant) => webhookSubscriptionLoaders(webhookSubscriptions, tenant),
)

/** Users have no store of theirs to act in; they may read which ones they own. */
const USER_GRANTS: StoreGrants = { isAuthenticated: true, storeCode: null, scopes: new Set(['read_store']), policies: new Set() }

function withGrantedScopes(access: Access, { grantedScopes = [] }: Caller): Access {
  const { scopes } = access
  if (scopes === 'all' || grantedScopes.length === 0) return access
  const granted = grantedScopes.flatMap((grant) => (isScope(grant.holding) && scopes.includes(grant.holding) ? grant.scopes : []))
  return { ...access, scopes: [...new Set([...scopes, ...granted.filter(isScope)])] }
}

/**
 * A context with loaders of its own: a cache must not outlive the caller whose permissions filled
 * it.
 */
export function contextOf(parts: Parts, caller: Caller): Context {
  let judging: Promise<Access> | null = null
  let line: string | null = null
  const access = () => {
    // Each fetch of a plan is an operation of its own.
    if (line !== null) chargeTo(line)
    judging ??= parts.judge(caller).then((judged) => {
      line = storeTenant(judged.storeId)
      chargeTo(line)
      return withGrantedScopes(judged, caller)
    })
    return judging
  }
  let [granting, known]: [Promise<StoreGrants> | null, StoreGrants | null] = [null, null]
  const grants = () =>
    (granting ??= findGrants().then((found) => {
      known = found
      return found
    }))
  async function findGrants(): Promise<StoreGrants> {
    try {
      return grantsOf(await access(), SCOPES)
    } catch (refused) {
      if ((await presented()) === null) throw refused
      return USER_GRANTS
    }
  }
  const storeId = async () => (await access()).storeId
  let authenticating: Promise<AuthenticatedUser | null> | null = null
  const presented = () => (authenticating ??= parts.authenticateUser(caller))
  const ofStores = new Map<number, Loaders>()
  const context: Context & { load: Loaders } = {
    ...parts,
    caller,
    access,
    grants,
    knownGrants: () => known,
    storeId,
    presented,
    shopperOf: (store, accountToken) => shopperOf(parts, store, accountToken),
    user: async () => (await presented())?.id ?? null,
    load: loadersOf(parts, { storeId }),
    loadOfStore(id) {
      chargeTo(storeTenant(id))
      const known = ofStores.get(id) ?? loadersOf(parts, { storeId: () => Promise.resolve(id) })
      ofStores.set(id, known)
      return known
    },
    write: async (name, input, change) => {
      const judged = await access()
      return context.writeTo(judged.storeId, name, input, change, auditActorOf(judged))
    },
    async writeTo(id, name, input, change, actor = null) {
      const { now, secrets, webhooks } = parts
      const by = actor && { actor, requestId: caller.requestId }
      const unit = { storeId: id, now: now(), announce: webhooks.plan.announce, secrets, by }
      const result = await write(parts.database, unit, { name, input, key: input.idempotencyKey }, change)
      context.forgetLoaded()
      return result
    },
    forgetLoaded() {
      context.load = loadersOf(parts, { storeId })
      ofStores.clear()
    },
  }
  return context
}
