import type { Resolvers } from '#generated/store/resolvers.ts'
import { mergeResolvers } from '../toolkit/merge-resolvers.ts'
import { DateTime, Decimal, JSONValue } from '../toolkit/scalars.ts'
import { appResolvers } from './app/resolvers.ts'
import { appAuthorizationResolvers } from './app-authorization/resolvers.ts'
import { appInstallationResolvers } from './app-installation/resolvers.ts'
import { appSubscriptionResolvers } from './app-subscription/resolvers.ts'
import { auditEntryResolvers } from './audit-entry/resolvers.ts'
import { authorizationRequestResolvers } from './authorization-request/resolvers.ts'
import { cartResolvers } from './cart/resolvers.ts'
import { checkoutResolvers } from './checkout/resolvers.ts'
import { checkoutCustomFieldResolvers } from './checkout-custom-field/resolvers.ts'
import { consoleSessionResolvers } from './console-session/resolvers.ts'
import { countryResolvers } from './country/resolvers.ts'
import { customFieldResolvers } from './custom-field/resolvers.ts'
import { customFieldSelectOptionResolvers } from './custom-field-select-option/resolvers.ts'
import { customerResolvers } from './customer/resolvers.ts'
import { customerAccountResolvers } from './customer-account/resolvers.ts'
import { customerAdditionalFieldResolvers } from './customer-additional-field/resolvers.ts'
import { customerCategoryResolvers } from './customer-category/resolvers.ts'
import { digitalAssetResolvers } from './digital-asset/resolvers.ts'
import { draftOrderResolvers } from './draft-order/resolvers.ts'
import { fulfillmentResolvers } from './fulfillment/resolvers.ts'
import { giftCardResolvers } from './gift-card/resolvers.ts'
import { inventoryResolvers } from './inventory/resolvers.ts'
import { inventoryTransferResolvers } from './inventory-transfer/resolvers.ts'
import { ledgerResolvers } from './ledger/resolvers.ts'
import { locationResolvers } from './location/resolvers.ts'
import { mailTextResolvers } from './mail-text/resolvers.ts'
import { metafieldResolvers } from './metafield/resolvers.ts'
import { orderResolvers } from './order/resolvers.ts'
import { orderDocumentResolvers } from './order-document/resolvers.ts'
import { orderEditResolvers } from './order-edit/resolvers.ts'
import { orderHistoryResolvers } from './order-history/resolvers.ts'
import { orderRefundResolvers } from './order-refund/resolvers.ts'
import { orderReturnResolvers } from './order-return/resolvers.ts'
import { pageResolvers } from './page/resolvers.ts'
import { pageCategoryResolvers } from './page-category/resolvers.ts'
import { pageImageResolvers } from './page-image/resolvers.ts'
import { pageTemplateResolvers } from './page-template/resolvers.ts'
import { paymentResolvers } from './payment/resolvers.ts'
import { paymentMethodResolvers } from './payment-method/resolvers.ts'
import { priceListResolvers } from './price-list/resolvers.ts'
import { productResolvers } from './product/resolvers.ts'
import { productAttachmentResolvers } from './product-attachment/resolvers.ts'
import { productCategoryResolvers } from './product-category/resolvers.ts'
import { productCustomFieldValueResolvers } from './product-custom-field-value/resolvers.ts'
import { productImageResolvers } from './product-image/resolvers.ts'
import { productOptionResolvers } from './product-option/resolvers.ts'
import { productReviewResolvers } from './product-review/resolvers.ts'
import { productVariantResolvers } from './product-variant/resolvers.ts'
import { promotionResolvers } from './promotion/resolvers.ts'
import { quotaResolvers } from './quota/resolvers.ts'
import { salesReportResolvers } from './sales-report/resolvers.ts'
import { sampleOrderResolvers } from './sample-order/resolvers.ts'
import { scriptTagResolvers } from './script-tag/resolvers.ts'
import { searchSynonymResolvers } from './search-synonym/resolvers.ts'
import { shippingMethodResolvers } from './shipping-method/resolvers.ts'
import { shopResolvers } from './shop/resolvers.ts'
import { staffMemberResolvers } from './staff-member/resolvers.ts'
import { stockValueResolvers } from './stock-value/resolvers.ts'
import { storeResolvers } from './store/resolvers.ts'
import { storeCurrencyResolvers } from './store-currency/resolvers.ts'
import { storeExportResolvers } from './store-export/resolvers.ts'
import { storeImportResolvers } from './store-import/resolvers.ts'
import { storefrontResolvers } from './storefront/resolvers.ts'
import { storefrontProductResolvers } from './storefront-product/resolvers.ts'
import { taxResolvers } from './tax/resolvers.ts'
import { themeResolvers } from './theme/resolvers.ts'
import { userResolvers } from './user/resolvers.ts'
import { webhookDeliveryResolvers } from './webhook-delivery/resolvers.ts'
import { webhookSubscriptionResolvers } from './webhook-subscription/resolvers.ts'

const nouns: readonly Resolvers[] = [
  storeResolvers,
  storeImportResolvers,
  storeExportResolvers,
  shopResolvers,
  sampleOrderResolvers,
  storefrontResolvers,
  storefrontProductResolvers,
  cartResolvers,
  checkoutResolvers,
  checkoutCustomFieldResolvers,
  appResolvers,
  appAuthorizationResolvers,
  appInstallationResolvers,
  appSubscriptionResolvers,
  authorizationRequestResolvers,
  consoleSessionResolvers,
  countryResolvers,
  customerAccountResolvers,
  customerAdditionalFieldResolvers,
  customerCategoryResolvers,
  customerResolvers,
  webhookDeliveryResolvers,
  webhookSubscriptionResolvers,
  draftOrderResolvers,
  fulfillmentResolvers,
  mailTextResolvers,
  metafieldResolvers,
  pageResolvers,
  pageCategoryResolvers,
  pageImageResolvers,
  pageTemplateResolvers,
  themeResolvers,
  giftCardResolvers,
  inventoryResolvers,
  inventoryTransferResolvers,
  locationResolvers,
  ledgerResolvers,
  orderResolvers,
  orderDocumentResolvers,
  orderEditResolvers,
  orderHistoryResolvers,
  orderRefundResolvers,
  orderReturnResolvers,
  priceListResolvers,
  searchSynonymResolvers,
  storeCurrencyResolvers,
  productResolvers,
  productCategoryResolvers,
  taxResolvers,
  paymentResolvers,
  paymentMethodResolvers,
  productOptionResolvers,
  productVariantResolvers,
  promotionResolvers,
  quotaResolvers,
  salesReportResolvers,
  stockValueResolvers,
  scriptTagResolvers,
  shippingMethodResolvers,
  customFieldResolvers,
  customFieldSelectOptionResolvers,
  digitalAssetResolvers,
  productAttachmentResolvers,
  productCustomFieldValueResolvers,
  productImageResolvers,
  productReviewResolvers,
  staffMemberResolvers,
  auditEntryResolvers,
  userResolvers,
]

/** The resolvers of every noun. */
export const resolvers: Resolvers = Object.assign({ DateTime, Decimal, JSON: JSONValue }, mergeResolvers(nouns))
