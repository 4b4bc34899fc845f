import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
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

/** Providers that Atrium speaks to. */
export type GatewayType = 'EXTERNAL_PAYMENT_GATEWAY' | 'STRIPE'

/** Whether Atrium speaks to a provider. */
export const isGateway = (type: string): type is GatewayType => type === 'EXTERNAL_PAYMENT_GATEWAY' || type === 'STRIPE'

/** Whether shoppers can choose a method: nothing can be paid at Stripe without both credentials. */
export const isOffered = ({ type, enabled, hasCredentials }: Pick<PaymentMethod, 'type' | 'enabled' | 'hasCredentials'>) =>
  enabled && (type !== 'STRIPE' || hasCredentials)

/** Path of the URL for notifications of a payment method's gateway. */
export const notificationPath = (storeId: number, paymentMethodId: number): string => `/payments/${storeId}/${paymentMethodId}`

/** Payment method, without the credentials of its provider. */
export type PaymentMethod = {
  readonly id: number
  readonly type: PaymentMethodType
  readonly name: string
  readonly description: string | null
  readonly paymentMethodUrl: string | null
  readonly hasCredentials: boolean
  /** Whether its key moves no money; null: it has no such mode, or no key. */
  readonly testMode: boolean | null
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
  type: PaymentMethodType,
  { name, description, paymentMethodUrl }: PaymentMethodFields,
  { key, secret }: PaymentCredentials,
): readonly Problem[] =>
  problemsIn([
    textProblem('name', name, 200),
    description === null ? null : textProblem('description', description, 5_000),
    paymentMethodUrl === null ? null : urlProblem('paymentMethodUrl', paymentMethodUrl),
    paymentMethodUrl === null || type !== 'STRIPE' ? null : problem('paymentMethodUrl', 'null for STRIPE', paymentMethodUrl),
    ...(type === 'STRIPE'
      ? stripeProblems({ key, secret })
      : [credentialProblem('key', key), credentialProblem('secret', secret)]),
  ])

/** A secret key, or one with restricted permissions; publishable ones are for pages of shops. */
const STRIPE_KEY = /^[sr]k_(?:test|live)_\w{1,400}$/
const STRIPE_SECRETS = /^whsec_[\w+/=]{1,150}(?:,whsec_[\w+/=]{1,150}){0,2}$/

const stripeProblems = ({ key, secret }: PaymentCredentials): readonly (Problem | null)[] => [
  key == null || STRIPE_KEY.test(key)
    ? null
    : { field: 'key', message: 'Expected "key" to be a secret or restricted API key of Stripe: sk_… or rk_….' },
  secret == null || STRIPE_SECRETS.test(secret)
    ? null
    : {
        field: 'secret',
        message: 'Expected "secret" to be one to three signing secrets of webhooks, whsec_…, separated by commas.',
      },
]

/** Whether a key moves no money; null: its type has no such mode. */
export const isTestKey = (type: PaymentMethodType, key: string | null): boolean | null =>
  type !== 'STRIPE' || key === null ? null : key.startsWith('sk_test_') || key.startsWith('rk_test_')

/**
 * The problem of a credential, whose text is not repeated: 1 to 500 printable ASCII characters;
 * null when it is valid.
 */
export const credentialProblem = (field: string, text: string | null | undefined): Problem | null =>
  text == null || /^[\x21-\x7e]{1,500}$/.test(text)
    ? null
    : { field, message: `Expected "${field}" to be 1 to 500 printable ASCII characters without spaces.` }
