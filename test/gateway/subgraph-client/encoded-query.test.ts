import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { createQueryEncoder, type EncodedQuery } from '../../../gateway/subgraph-client/encoded-query.ts'

const QUERY = 'query Shop__products__0 { products { id } }'

test('a document is encoded once by a link, and again for another text or operation name', () => {
  const encode = createQueryEncoder()
  const request = { query: QUERY, operationName: 'Shop__products__0', document: parse(QUERY) }
  const text = encode(request)
  expect(text).toMatchObject({ anonymousText: 'query { products { id } }', isQuery: true })
  expect(JSON.parse(`${text.bodyStart}{}}`)).toEqual({ query: QUERY, operationName: 'Shop__products__0', variables: {} })
  expect(encode({ ...request })).toBe(text)

  const replaced = encode({ ...request, query: 'mutation { rename { id } }' })
  expect(replaced).toMatchObject({ anonymousText: 'mutation { rename { id } }', isQuery: false })
  expect(JSON.parse(`${encode({ ...request, operationName: undefined }).bodyStart}{}}`)).toEqual({ query: QUERY, variables: {} })
})

test('a request without a document is encoded', () => {
  const { bodyStart } = createQueryEncoder()({ query: QUERY, operationName: undefined })
  expect(JSON.parse(`${bodyStart}{}}`)).toEqual({ query: QUERY, variables: {} })
})

test('an encoded query is collected with its document', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const encode = createQueryEncoder()
  const texts: WeakRef<EncodedQuery>[] = []
  for (let count = 0; count < 10; count++) {
    texts.push(new WeakRef(encode({ query: QUERY, operationName: undefined, document: parse(QUERY) })))
  }
  // A weak reference is not cleared in the turn that made it.
  await new Promise((next) => setImmediate(next))
  collectGarbage()
  expect(texts.filter((text) => text.deref())).toEqual([])
})
