import type { Kysely } from 'kysely'
import { appRepository } from './app/repository.ts'
import { appAuthorizationRepository } from './app-authorization/repository.ts'
import { appInstallationRepository } from './app-installation/repository.ts'
import { appSubscriptionRepository } from './app-subscription/repository.ts'
import { auditEntryRepository } from './audit-entry/repository.ts'
import { cartRepository } from './cart/repository.ts'
import { checkoutCustomFieldRepository } from './checkout-custom-field/repository.ts'
import { consoleSessionRepository } from './console-session/repository.ts'
import { customFieldRepository } from './custom-field/repository.ts'
import { customFieldSelectOptionRepository } from './custom-field-select-option/repository.ts'
import { customerRepository } from './customer/repository.ts'
import { customerAccountRepository } from './customer-account/repository.ts'
import { customerAdditionalFieldRepository } from './customer-additional-field/repository.ts'
import { customerCategoryRepository } from './customer-category/repository.ts'
import { digitalAssetRepository } from './digital-asset/repository.ts'
import { draftOrderRepository } from './draft-order/repository.ts'
import { fileRepository } from './file/repository.ts'
import { fulfillmentRepository } from './fulfillment/repository.ts'
import { giftCardRepository } from './gift-card/repository.ts'
import { allocationRepository } from './inventory/allocation-repository.ts'
import { inventoryRepository } from './inventory/repository.ts'
import { inventoryTransferRepository } from './inventory-transfer/repository.ts'
import { ledgerRepository } from './ledger/repository.ts'
import { locationRepository } from './location/repository.ts'
import { lowStockAlertRepository } from './low-stock-alert/repository.ts'
import { mailTextRepository } from './mail-text/repository.ts'
import { metafieldRepository } from './metafield/repository.ts'
import { orderLineRepository } from './order/line/repository.ts'
import { orderRepository } from './order/repository.ts'
import { orderDocumentRepository } from './order-document/repository.ts'
import { orderHistoryRepository } from './order-history/repository.ts'
import { orderRefundRepository } from './order-refund/repository.ts'
import { orderReturnRepository } from './order-return/repository.ts'
import { pageRepository } from './page/repository.ts'
import { pageImageRepository } from './page-image/repository.ts'
import { pageLabelRepository } from './page-label/repository.ts'
import { paymentMethodRepository } from './payment-method/repository.ts'
import { priceListRepository } from './price-list/repository.ts'
import { productRepository } from './product/repository.ts'
import { productAttachmentRepository } from './product-attachment/repository.ts'
import { productCategoryRepository } from './product-category/repository.ts'
import { productCustomFieldValueRepository } from './product-custom-field-value/repository.ts'
import { productImageRepository } from './product-image/repository.ts'
import { productOptionRepository } from './product-option/repository.ts'
import { productReviewRepository } from './product-review/repository.ts'
import { productVariantRepository } from './product-variant/repository.ts'
import { promotionRepository } from './promotion/repository.ts'
import type { StoreQuotas } from './quota/quota.ts'
import { storeQuotaRepository } from './quota/repository.ts'
import { salesReportRepository } from './sales-report/repository.ts'
import { sampleOrderRepository } from './sample-order/repository.ts'
import { scriptTagRepository } from './script-tag/repository.ts'
import { searchSynonymRepository } from './search-synonym/repository.ts'
import { shippingMethodRepository } from './shipping-method/repository.ts'
import { shopRepository } from './shop/repository.ts'
import { staffMemberRepository } from './staff-member/repository.ts'
import { stockValueRepository } from './stock-value/repository.ts'
import { storeRepository } from './store/repository.ts'
import { storeCurrencyRepository } from './store-currency/repository.ts'
import { storeImportRepository } from './store-import/repository.ts'
import { storefrontRepository } from './storefront/repository.ts'
import { listingRepository } from './storefront-product/listing-repository.ts'
import { storefrontProductRepository } from './storefront-product/repository.ts'
import type { Tables } from './tables.ts'
import { taxRepository } from './tax/repository.ts'
import { themeRepository } from './theme/repository.ts'
import { webhookDeliveryRepository } from './webhook-delivery/repository.ts'
import { webhookSubscriptionRepository } from './webhook-subscription/repository.ts'

/** The repositories of the store: on `query`, and on `now` where a replica may not be read. */
export function storeRepositories(
  database: { readonly query: Kysely<Tables>; readonly now: Kysely<Tables> },
  quotas: StoreQuotas,
) {
  return {
    apps: appRepository(database.query),
    stores: storeRepository(database.query),
    shops: shopRepository(database.query),
    // An entry is looked for right after its change: not from a replica.
    auditEntries: auditEntryRepository(database.now),
    // Read again right after its write: not from a replica.
    storeImports: storeImportRepository(database.now),
    storefronts: storefrontRepository(database.query),
    // A store that just got an owner: not from a replica.
    sampleOrders: sampleOrderRepository(database.now),
    storefrontProducts: storefrontProductRepository(database.query),
    listings: listingRepository(database.query),
    // A cart is read again right after its write: not from a replica.
    carts: cartRepository(database.now),
    giftCards: giftCardRepository(database.now),
    checkoutCustomFields: checkoutCustomFieldRepository(database.query),
    consoleSessions: consoleSessionRepository(database.now),
    customers: customerRepository(database.query),
    // A session that was just opened or ended: not from a replica.
    customerAccounts: customerAccountRepository(database.now),
    customerAdditionalFields: customerAdditionalFieldRepository(database.query),
    customerCategories: customerCategoryRepository(database.query),
    draftOrders: draftOrderRepository(database.query),
    fulfillments: fulfillmentRepository(database.query),
    allocations: allocationRepository(database.query),
    appAuthorizations: appAuthorizationRepository(database.query),
    appInstallations: appInstallationRepository(database.query),
    appSubscriptions: appSubscriptionRepository(database.query),
    salesReports: salesReportRepository(database.query),
    stockValues: stockValueRepository(database.query),
    searchSynonyms: searchSynonymRepository(database.query),
    mailTexts: mailTextRepository(database.query),
    storeCurrencies: storeCurrencyRepository(database.query),
    scriptTags: scriptTagRepository(database.query),
    // A member who was just removed: not from a replica.
    staffMembers: staffMemberRepository(database.now),
    inventory: inventoryRepository(database.query),
    // Read again right after its write: not from a replica.
    inventoryTransfers: inventoryTransferRepository(database.now),
    locations: locationRepository(database.query),
    ledger: ledgerRepository(database.query),
    // Items that were just reported: not from a replica.
    lowStockAlerts: lowStockAlertRepository(database.now),
    orders: orderRepository(database.query),
    orderDocuments: orderDocumentRepository(database.query),
    orderHistory: orderHistoryRepository(database.query),
    orderLines: orderLineRepository(database.query),
    orderRefunds: orderRefundRepository(database.query),
    orderReturns: orderReturnRepository(database.query),
    paymentMethods: paymentMethodRepository(database.query),
    priceLists: priceListRepository(database.query),
    products: productRepository(database.query),
    productCategories: productCategoryRepository(database.query),
    productOptions: productOptionRepository(database.query),
    productVariants: productVariantRepository(database.query),
    metafields: metafieldRepository(database.query),
    pages: pageRepository(database.query),
    pageCategories: pageLabelRepository(database.query, 'page_category'),
    pageImages: pageImageRepository(database.query),
    pageTemplates: pageLabelRepository(database.query, 'page_template'),
    themes: themeRepository(database.query),
    customFields: customFieldRepository(database.query),
    customFieldSelectOptions: customFieldSelectOptionRepository(database.query),
    digitalAssets: digitalAssetRepository(database.query),
    productAttachments: productAttachmentRepository(database.query),
    productCustomFieldValues: productCustomFieldValueRepository(database.query),
    productImages: productImageRepository(database.query),
    productReviews: productReviewRepository(database.query),
    fileRecords: fileRepository(database.query),
    taxes: taxRepository(database.query),
    shippingMethods: shippingMethodRepository(database.query),
    promotions: promotionRepository(database.query),
    webhookDeliveries: webhookDeliveryRepository(database.query),
    webhookSubscriptions: webhookSubscriptionRepository(database.query),
    // Remaining quotas must not lag.
    quota: storeQuotaRepository(database.now, quotas),
  }
}
