import { type Variables, wholeNumber } from '../../../platform/config/config.ts'

/** Variables of checkouts. */
export const checkoutVariables = {
  CART_ABANDONED_MINUTES: {
    read: wholeNumber(1, 43_200),
    default: '60',
    unit: 'minutes',
    meaning: 'Time without a change after which a cart with an e-mail address is shown to its merchant as an abandoned order.',
  },
  PAYMENT_MINUTES: {
    read: wholeNumber(5, 1_440),
    default: '30',
    unit: 'minutes',
    meaning: 'Time that an order of a shopper reserves stock while a payment gateway has not authorized its payment.',
  },
  UNPAID_ORDER_MINUTES: {
    read: wholeNumber(1, 525_600),
    default: '10080',
    unit: 'minutes',
    meaning:
      'Time that an order of a shopper reserves stock without being paid, where it is paid by hand, such as by bank transfer.',
  },
} satisfies Variables

/** How long carts and unpaid orders wait. Minutes. */
export type CheckoutTimes = {
  readonly cartAbandonedMinutes: number
  readonly paymentMinutes: number
  readonly unpaidOrderMinutes: number
}

export const DEFAULT_CHECKOUT_TIMES: CheckoutTimes = { cartAbandonedMinutes: 60, paymentMinutes: 30, unpaidOrderMinutes: 10_080 }
