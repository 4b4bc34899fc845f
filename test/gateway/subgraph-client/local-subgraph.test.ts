import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { currentTenant } from '../../../platform/database/operation-context.ts'

test('statements of queries, mutations and events wait in the line of their caller', async () => {
  const schema = buildSchema(
    'type Query { tenant: String } type Mutation { tenant: String } type Subscription { tenant: String }',
  )
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    const field = type?.getFields().tenant
    if (!field) throw new Error('Expected the field of the schema.')
    field.resolve = () => currentTenant()
    field.subscribe = async function* () {
      yield {}
    }
  }
  const link = createLocalLink({ name: 'tenants', schema, context: () => ({}), ready: async () => {}, close: async () => {} })
  const context = (address: string) => ({
    caller: { requestId: '', address, credentials: {} },
    signal: new AbortController().signal,
  })
  const request = (query: string) => ({ query, variables: {}, operationName: undefined })

  const query = await link.execute(request('{ tenant }'), context('192.0.2.1'))
  const mutation = await link.execute(request('mutation { tenant }'), context('192.0.2.2'))
  const opened = await link.subscribe?.(request('subscription { tenant }'), context('192.0.2.3'))
  if (opened?.kind !== 'open') throw new Error('Expected an open subscription.')
  const event = await opened.source.resolve({}, context('192.0.2.4'))
  opened.source.return()
  expect([query, mutation, event].map(({ data }) => data?.tenant)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.4'])
})
