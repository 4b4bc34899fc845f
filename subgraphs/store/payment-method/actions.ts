import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { given, required, type Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  isGateway,
  MAX_PAYMENT_METHODS,
  type PaymentCredentials,
  type PaymentMethodFields,
  type PaymentMethodType,
  paymentMethodProblems,
} from './payment-method.ts'
import { paymentMethodRepository } from './repository.ts'

type Input = PaymentCredentials & {
  readonly [Key in keyof PaymentMethodFields]?: PaymentMethodFields[Key] | null | undefined
}

/** Connects an external gateway or Stripe: no other provider is spoken to. */
export async function createPaymentMethod(
  { query, storeId, now, secrets }: UnitOfWork,
  input: Input & { readonly type?: PaymentMethodType | null | undefined },
) {
  const type = input.type ?? 'EXTERNAL_PAYMENT_GATEWAY'
  const fields: PaymentMethodFields = {
    name: input.name ?? '',
    description: input.description ?? null,
    paymentMethodUrl: input.paymentMethodUrl ?? null,
    showReview: input.showReview ?? false,
    useNewVersion: input.useNewVersion ?? true,
    enabled: input.enabled ?? true,
  }
  const { key, secret } = input
  const problems = [
    ...(isGateway(type) ? [] : [problem('type', 'EXTERNAL_PAYMENT_GATEWAY or STRIPE', type)]),
    ...paymentMethodProblems(type, fields, { key, secret }),
  ]
  if (problems.length > 0) return validationError(problems)

  const methods = paymentMethodRepository(query)
  if ((await methods.count(storeId)) >= MAX_PAYMENT_METHODS) {
    return validationError([problem('input', `one of at most ${MAX_PAYMENT_METHODS} payment methods of a store`, 'one more')])
  }
  const paymentMethod = await methods.insert(storeId, type, { ...fields, key, secret, at: now, secrets })
  return { __typename: 'CreatePaymentMethodSuccess' as const, paymentMethod }
}

export async function updatePaymentMethod({ query, storeId, now, secrets }: UnitOfWork, id: string, input: Input & Versioned) {
  const methods = paymentMethodRepository(query)
  const before = await methods.lock(storeId, decodeId(id, 'PaymentMethod') ?? 0)
  if (!before) return notFoundError('payment method', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const fields: PaymentMethodFields = {
    name: input.name ?? before.name,
    description: given(input.description, before.description),
    paymentMethodUrl: given(input.paymentMethodUrl, before.paymentMethodUrl),
    showReview: input.showReview ?? before.showReview,
    useNewVersion: input.useNewVersion ?? before.useNewVersion,
    enabled: input.enabled ?? before.enabled,
  }
  const { key, secret } = input
  const problems = [
    ...required(input, ['name', 'showReview', 'useNewVersion', 'enabled']),
    // A URL of before was checked then; a method of STRIPE may still have one.
    ...paymentMethodProblems(before.type, { ...fields, paymentMethodUrl: input.paymentMethodUrl ?? null }, { key, secret }),
  ]
  if (problems.length > 0) return validationError(problems)
  await methods.update(storeId, before, { ...fields, key, secret, at: now, secrets })
  return { __typename: 'UpdatePaymentMethodSuccess' as const, paymentMethod: before.id }
}

export async function deletePaymentMethod({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const methods = paymentMethodRepository(query)
  const before = await methods.lock(storeId, decodeId(id, 'PaymentMethod') ?? 0)
  if (!before) return notFoundError('payment method', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await methods.delete(storeId, before.id)
  return { __typename: 'DeletePaymentMethodSuccess' as const, row: before.id }
}
