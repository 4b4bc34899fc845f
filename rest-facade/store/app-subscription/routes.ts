import {
  CheckAppBillingCycleOrderDocument,
  GetAppBillingCycleDocument,
  GetAppBillingCycleOrdersDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

const absence = ({ appInstallation }: { readonly appInstallation: { readonly billingCycle: unknown } }): string | null =>
  appInstallation.billingCycle === null ? 'The store has no subscription to this app on this day.' : null

export const appSubscriptionRoutes = [
  route({ run: GetAppBillingCycleDocument, answer: 'appInstallation.billingCycle', absence }),
  route({ run: GetAppBillingCycleOrdersDocument, answer: 'appInstallation.billingCycle', absence }),
  route({ run: CheckAppBillingCycleOrderDocument, answer: 'appInstallation.billingCycle', absence }),
]
