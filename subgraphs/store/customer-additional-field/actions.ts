import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { answerProblem } from '../checkout-custom-field/checkout-custom-field.ts'
import { checkoutCustomFieldRepository } from '../checkout-custom-field/repository.ts'
import { customerRepository } from '../customer/repository.ts'
import { decodeId } from '../ids.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { customerAdditionalFieldRepository } from './repository.ts'

type Expected = {
  /** Another customer's answer is not found. */
  readonly customerId?: string | null | undefined
  /** Of the customer. */
  readonly expectedVersion?: number | null | undefined
}

/** Keeps a customer's answer to a question that was not answered before. */
export async function createCustomerAdditionalField(
  unit: UnitOfWork,
  {
    customerId,
    checkoutCustomFieldId,
    value,
  }: { readonly customerId: string; readonly checkoutCustomFieldId: string; readonly value: string },
) {
  const { query, storeId } = unit
  const customer = await customerRepository(query).lock(storeId, decodeId(customerId, 'Customer') ?? 0)
  if (!customer) return notFoundError('customer', customerId)
  const question = await questionOf(unit, checkoutCustomFieldId)
  if (!question) return notFoundError('checkout custom field', checkoutCustomFieldId)
  const wrong = answerProblem(question, value)
  if (wrong) return validationError([wrong])
  const row = await customerAdditionalFieldRepository(query).insert(storeId, {
    customerId: customer.id,
    checkoutCustomFieldId: question.id,
    value,
  })
  if (row === null) return validationError([answered(checkoutCustomFieldId)])
  await afterwards(unit, customer.id)
  return { __typename: 'CreateCustomerAdditionalFieldSuccess' as const, customerAdditionalField: row }
}

/** Changes what the input has. */
export async function updateCustomerAdditionalField(
  unit: UnitOfWork,
  id: string,
  {
    checkoutCustomFieldId,
    value,
    ...expected
  }: Expected & { readonly checkoutCustomFieldId?: string | null | undefined; readonly value?: string | null | undefined },
) {
  if (checkoutCustomFieldId === null) {
    return validationError([problem('checkoutCustomFieldId', 'a checkout custom field, or absent', null)])
  }
  if (value === null) return validationError([problem('value', 'an answer, or absent', null)])
  const found = await lockedAnswer(unit, id, expected)
  if ('failure' in found) return found.failure
  const { answer } = found

  const requested = checkoutCustomFieldId ?? String(answer.checkoutCustomFieldId)
  const question = await questionOf(unit, requested)
  if (!question) return notFoundError('checkout custom field', requested)
  // An unchanged answer stays valid, also when its question has changed since.
  const isChanged = value !== undefined || question.id !== answer.checkoutCustomFieldId
  const wrong = isChanged ? answerProblem(question, value ?? answer.value) : null
  if (wrong) return validationError([wrong])
  const changed = { ...answer, checkoutCustomFieldId: question.id, value: value ?? answer.value }
  if (!(await customerAdditionalFieldRepository(unit.query).update(unit.storeId, changed))) {
    return validationError([answered(requested)])
  }
  await afterwards(unit, answer.customerId)
  return { __typename: 'UpdateCustomerAdditionalFieldSuccess' as const, customerAdditionalField: answer.id }
}

/** Deletes an answer. */
export async function deleteCustomerAdditionalField(unit: UnitOfWork, id: string, expected: Expected) {
  const found = await lockedAnswer(unit, id, expected)
  if ('failure' in found) return found.failure
  await customerAdditionalFieldRepository(unit.query).delete(unit.storeId, found.answer.id)
  await afterwards(unit, found.answer.customerId)
  return { __typename: 'DeleteCustomerAdditionalFieldSuccess' as const, row: found.answer.id }
}

const answered = (question: string) =>
  problem('checkoutCustomFieldId', 'a question that the customer has not answered yet', question)

const questionOf = ({ query, storeId }: UnitOfWork, id: string) =>
  checkoutCustomFieldRepository(query).lockShared(storeId, decodeId(id, 'CheckoutCustomField') ?? 0)

/** The answer, whose customer is locked until the transaction ends. */
async function lockedAnswer({ query, storeId }: UnitOfWork, id: string, { customerId, expectedVersion }: Expected) {
  const answers = customerAdditionalFieldRepository(query)
  const row = decodeId(id, 'CustomerAdditionalField') ?? 0
  const failure = notFoundError('additional field', id)
  const [seen] = await answers.findByIds(storeId, [row])
  if (!seen || (customerId != null && decodeId(customerId, 'Customer') !== seen.customerId)) return { failure }
  const customer = await customerRepository(query).lock(storeId, seen.customerId)
  // Again: a concurrent request may have answered while the customer was not locked.
  const [answer] = await answers.findByIds(storeId, [row])
  if (!customer || !answer) return { failure }
  const stale = staleVersion(expectedVersion, customer.version)
  return stale ? { failure: stale } : { answer }
}

async function afterwards({ query, storeId, now, emit }: UnitOfWork, customerId: number): Promise<void> {
  await customerRepository(query).touch(storeId, [customerId], now)
  emit({ event: 'customer_updated', entity: 'Customer', id: customerId })
}
