import { appInstallationRoutes } from './app-installation/routes.ts'
import { appSubscriptionRoutes } from './app-subscription/routes.ts'
import { checkoutCustomFieldRoutes } from './checkout-custom-field/routes.ts'
import { countryRoutes } from './country/routes.ts'
import { customFieldRoutes } from './custom-field/routes.ts'
import { customFieldSelectOptionRoutes } from './custom-field-select-option/routes.ts'
import { customerRoutes } from './customer/routes.ts'
import { customerFieldRoutes } from './customer-additional-field/routes.ts'
import { customerCategoryRoutes } from './customer-category/routes.ts'
import { digitalAssetRoutes } from './digital-asset/routes.ts'
import { fulfillmentRoutes } from './fulfillment/routes.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { locationRoutes } from './location/routes.ts'
import { orderRoutes } from './order/routes.ts'
import { orderDocumentRoutes } from './order-document/routes.ts'
import { orderHistoryRoutes } from './order-history/routes.ts'
import { pageRoutes } from './page/routes.ts'
import { pageImageRoutes } from './page-image/routes.ts'
import { paymentMethodRoutes } from './payment-method/routes.ts'
import { productRoutes } from './product/routes.ts'
import { productAttachmentRoutes } from './product-attachment/routes.ts'
import { productCategoryRoutes } from './product-category/routes.ts'
import { productCustomFieldValueRoutes } from './product-custom-field-value/routes.ts'
import { productImageRoutes } from './product-image/routes.ts'
import { productOptionRoutes } from './product-option/routes.ts'
import { productReviewRoutes } from './product-review/routes.ts'
import { productVariantRoutes } from './product-variant/routes.ts'
import { promotionRoutes } from './promotion/routes.ts'
import { scriptTagRoutes } from './script-tag/routes.ts'
import { shippingMethodRoutes } from './shipping-method/routes.ts'
import { storeItselfRoutes } from './store/routes.ts'
import { taxRoutes } from './tax/routes.ts'
import { themeRoutes } from './theme/routes.ts'
import { webhookSubscriptionRoutes } from './webhook-subscription/routes.ts'

/** Every row of the store's REST API. */
export const storeRoutes = [
  ...storeItselfRoutes,
  ...checkoutCustomFieldRoutes,
  ...customerRoutes,
  ...customerFieldRoutes,
  ...customerCategoryRoutes,
  ...countryRoutes,
  ...pageRoutes,
  ...pageImageRoutes,
  ...themeRoutes,
  ...productCategoryRoutes,
  ...productImageRoutes,
  ...productAttachmentRoutes,
  ...digitalAssetRoutes,
  ...customFieldRoutes,
  ...customFieldSelectOptionRoutes,
  ...productCustomFieldValueRoutes,
  ...productReviewRoutes,
  ...taxRoutes,
  ...ledgerRoutes,
  ...orderRoutes,
  ...orderDocumentRoutes,
  ...orderHistoryRoutes,
  ...paymentMethodRoutes,
  ...shippingMethodRoutes,
  ...promotionRoutes,
  ...fulfillmentRoutes,
  ...inventoryRoutes,
  ...locationRoutes,
  ...productRoutes,
  ...productOptionRoutes,
  ...productVariantRoutes,
  ...webhookSubscriptionRoutes,
  ...scriptTagRoutes,
  ...appInstallationRoutes,
  ...appSubscriptionRoutes,
]
