import { expect } from 'vitest'
import type { Answered, StoreStack, TestStore } from '../support/store.ts'

export const FULFILLMENT = `id number orderNumber location { number } type serviceType shipmentStatus trackingNumber trackingCompany trackingUrl externalId
  message observations receiverEmail phone phonePrefix sendEmail expectedArrivalFrom expectedArrivalTo
  address { name surname address city postal country countryCode } packages { length width height weight } label { url expiresAt }
  history { nodes { shipmentStatus message createdAt } totalCount } version`
const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message }`
const CONFLICT = '... on ConflictError { message currentVersion }'

const CREATE = `mutation ($input: CreateFulfillmentInput!) { outcome: createFulfillment(input: $input) { __typename
  ... on CreateFulfillmentSuccess { fulfillment { ${FULFILLMENT} } } ${FAILURES} ${CONFLICT} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateFulfillmentInput!) { outcome: updateFulfillment(id: $id, input: $input) { __typename
  ... on UpdateFulfillmentSuccess { fulfillment { ${FULFILLMENT} } } ${FAILURES} ${CONFLICT} } }`
const DELETE = `mutation ($id: ID!, $expectedVersion: Int, $idempotencyKey: String) {
  outcome: deleteFulfillment(id: $id, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey) { __typename
  ... on DeleteFulfillmentSuccess { id number } ${FAILURES} ${CONFLICT} } }`
const LABEL = `query ($id: ID!) { outcome: fulfillmentLabel(id: $id) { __typename
  ... on FulfillmentLabelSuccess { label { url expiresAt } } ... on FulfillmentHasNoLabel { message } ... on NotFoundError { message } } }`
const RATES = `query ($input: FulfillmentRatesInput!) { outcome: fulfillmentRates(input: $input) { __typename
  ... on FulfillmentRatesSuccess { rates { company serviceLabel serviceType amount } } ${FAILURES} } }`

/** Fulfillments of one shop through the graph. */
export function shipping(stack: StoreStack, shop: TestStore) {
  const resultOf = async (who: TestStore, query: string, variables: Record<string, unknown>) => {
    const { data, errors }: Answered = await stack.ask(who, query, variables)
    expect(errors).toBeUndefined()
    return data.outcome
  }
  type Id = string | number
  const create = (input: Record<string, unknown>, who = shop) => resultOf(who, CREATE, { input })
  return {
    create,
    update: (id: Id, input: Record<string, unknown>, who = shop) => resultOf(who, UPDATE, { id, input }),
    remove: (id: Id, given: Record<string, unknown> = {}, who = shop) => resultOf(who, DELETE, { id, ...given }),
    label: (id: Id, who = shop) => resultOf(who, LABEL, { id }),
    rates: (input: Record<string, unknown>, who = shop) => resultOf(who, RATES, { input }),
    /** A fulfillment that has to succeed. */
    async aFulfillment(input: Record<string, unknown>) {
      const result = await create(input)
      expect(result).toMatchObject({ __typename: 'CreateFulfillmentSuccess' })
      return result.fulfillment
    },
    fulfillment: async (id: Id, who = shop) =>
      (await stack.ask(who, `query ($id: ID!) { fulfillment(id: $id) { ${FULFILLMENT} } }`, { id })).data.fulfillment,
    /** The bytes that the address of a label leads to; null when it leads nowhere any more. */
    async fileAt(url: string): Promise<Buffer | null> {
      const found = await stack.files.open(new URL(url).pathname.replace('/files/', ''))
      if (!found) return null
      const chunks: Uint8Array[] = []
      for await (const chunk of found.body) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  }
}
