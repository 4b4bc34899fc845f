import { type Problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { urlProblem } from '../input.ts'

/** Providers that the REST contract names. */
export type PaymentMethodType =
  | 'MANUAL'
  | 'PAYPAL'
  | 'PAGSEGURO'
  | 'MONEYBOOKERS'
  | 'WEBPAY_CL'
  | 'EASYPAY'
  | 'EASYPAYCC'
  | 'IDEAL_BASIC'
  | 'HIPAY'
  | 'KHIPU'
  | 'MERCADO_PAGO'
  | 'IFTHENPAY'
  | 'EUPAGO'
  | 'STRIPE'
  | 'PAYU'
  | 'SERVIPAG'
  | 'EXTERNAL_PAYMENT_GATEWAY'

/** Payment method, without the credentials of its provider. */
export type PaymentMethod = {
  readonly id: number
  readonly type: PaymentMethodType
  readonly name: string
  readonly description: string | null
  readonly paymentMethodUrl: string | null
  readonly hasCredentials: boolean
  readonly showReview: boolean
  readonly useNewVersion: boolean
  readonly enabled: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a payment method to write. */
export type PaymentMethodFields = Pick<
  PaymentMethod,
  'name' | 'description' | 'paymentMethodUrl' | 'showReview' | 'useNewVersion' | 'enabled'
>

/** Undefined stays as it is; null forgets. */
export type PaymentCredentials = { readonly key?: string | null | undefined; readonly secret?: string | null | undefined }

/** The schema promises so. */
export const MAX_PAYMENT_METHODS = 100

/** Problems of a payment method, in the order of its fields. Never repeats key or secret. */
export const paymentMethodProblems = (
  { name, description, paymentMethodUrl }: PaymentMethodFields,
  { key, secret }: PaymentCredentials,
): readonly Problem[] =>
  problemsIn([
    textProblem('name', name, 200),
    description === null ? null : textProblem('description', description, 5_000),
    paymentMethodUrl === null ? null : urlProblem('paymentMethodUrl', paymentMethodUrl),
    credentialProblem('key', key),
    credentialProblem('secret', secret),
  ])

/**
 * The problem of a credential, whose text is not repeated: 1 to 500 printable ASCII characters;
 * null when it is valid.
 */
export const credentialProblem = (field: string, text: string | null | undefined): Problem | null =>
  text == null || /^[\x21-\x7e]{1,500}$/.test(text)
    ? null
    : { field, message: `Expected "${field}" to be 1 to 500 printable ASCII characters without spaces.` }
