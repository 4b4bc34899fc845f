import type { ContractOperation } from '../../../rest-facade/store/contract.ts'
import { pathValues, requestOf, type Seen, type Step } from './journey.ts'
import type { RequestOptions } from './stack.ts'

/** A request that has to fail, and why. */
export type Attempt = RequestOptions & { readonly on: string; readonly why: string }

/** What else failures need: who asks, and a key that was used for something. */
export type Cast = {
  /** An app without a scope of use. */
  readonly scopeless: RequestOptions
  /** A store that does not pay. */
  readonly unpaid: RequestOptions
  /** A store with nothing in it. */
  readonly empty: RequestOptions
  readonly usedKey: string
}

const NOWHERE = 2_147_483_647
/** What other parameters of paths than ids never are. */
const NOTHING: Readonly<Record<string, string>> = {
  code: 'unheard-of',
  country_code: 'ZZ',
  email: 'nobody@example.org',
  region_code: 'none',
  status: 'none',
}
const TOO_LARGE = JSON.stringify({ much: 'x'.repeat(1_000_000) })

type Particular = RequestOptions & { readonly values?: Seen; readonly query?: string }

/**
 * Failures that only one operation has, or that it has another way: bodies that refer to nothing,
 * and lists that must not be empty.
 */
const PARTICULAR: Readonly<Record<string, (seen: Seen, cast: Cast) => Particular>> = {
  '400 getFulfillmentLabel': ({ by_hand }) => ({ values: { id: by_hand ?? 0 } }),
  '402 setupStore': (_, { unpaid }) => unpaid,
  '404 createCategory': () => ({ body: { category: { name: 'x', parent_id: NOWHERE } } }),
  '404 createCustomer': () => ({ body: { customer: { email: 'x@example.org', customer_category: [NOWHERE] } } }),
  '404 createFulfillment': () => ({ body: { fulfillment: { type: 'manual', location_id: String(NOWHERE) } } }),
  '404 createOrder': () => ({ body: { order: { products: [{ id: NOWHERE, qty: 1 }] } } }),
  '404 createPage': () => ({ body: { page: { title: 'x', categories: [NOWHERE] } } }),
  '404 createProduct': () => ({ body: { product: { name: 'x', price: 1, categories: [{ id: NOWHERE }] } } }),
  '404 createPromotion': () => ({
    body: { promotion: { name: 'x', discount_target: 'categories', discount_amount_fix: 1, categories: [{ id: NOWHERE }] } },
  }),
  '404 createTax': () => ({ body: { tax: { name: 'x', tax: 1, category_id: NOWHERE } } }),
  '404 getAppInstallStatusByStore': () => ({ query: `store_id=${NOWHERE}` }),
  '404 getPublishedTheme': (_, { empty }) => empty,
  '404 listJsApps': (_, { empty }) => empty,
  '404 quoteFulfillmentRates': ({ orders }) => ({ body: { rates: { order_id: String(orders), location_id: String(NOWHERE) } } }),
  '404 setProductLocationStock': ({ products }) => ({
    body: { location_id: NOWHERE, product_id: products, stock_unlimited: false, stock: 1 },
  }),
}

/**
 * Requests of an operation that have to be answered with this status; none when there is no way to
 * it. `step` is one that succeeds.
 */
export function attempts(
  operation: ContractOperation,
  status: number,
  step: Pick<Step, 'query' | 'body'>,
  seen: Seen,
  cast: Cast,
): readonly Attempt[] {
  const values = pathValues(operation, seen)
  const query = step.query?.(seen) ?? ''
  const on = requestOf(operation, values, query)
  const sent: RequestOptions = step.body ? { body: step.body(seen) } : {}
  const has = (header: string): boolean => operation.parameters.some(({ name }) => name === header)
  const withHeader = (why: string, header: string, value: string): Attempt[] =>
    has(header) ? [{ why, on, ...sent, headers: { [header]: value } }] : []
  const particular = PARTICULAR[`${status} ${operation.operationId}`]?.(seen, cast)

  return [...general(), ...(particular ? [only(particular)] : [])]

  function general(): readonly Attempt[] {
    switch (status) {
      case 400:
        return malformed()
      case 401:
        return [{ why: 'without credentials', on, ...sent, as: null }]
      case 403:
        return [{ why: 'a token without the scope', on, ...sent, ...cast.scopeless }]
      case 404:
        return lost()
      case 409:
        return [
          ...withHeader('a key of something else', 'Idempotency-Key', cast.usedKey),
          ...withHeader('an old version', 'If-Match', '"999999"'),
        ]
      case 413:
        return [{ why: 'a body of a megabyte', on, body: TOO_LARGE }]
      case 415:
        return [{ why: 'a body of text', on, body: '{}', headers: { 'content-type': 'text/plain' } }]
      case 429:
        return [{ why: 'too often', on, ...sent }]
      default:
        return []
    }
  }

  /** Every parameter of the query, every header and the body, each wrong for itself. */
  function malformed(): Attempt[] {
    const wrong = operation.parameters.flatMap((parameter) => {
      if (parameter.in !== 'query') return []
      const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${parameter.name}=`))
      const wrongQuery = [...others, `${encodeURIComponent(parameter.name)}=%ff`].join('&')
      return [{ why: `a wrong ${parameter.name}`, on: requestOf(operation, values, wrongQuery), ...sent }]
    })
    return [
      ...wrong,
      ...(operation.body ? [{ why: 'a body that is cut off', on, body: '{' }] : []),
      ...withHeader('a key that is too long', 'Idempotency-Key', 'x'.repeat(256)),
      ...withHeader('a version that is none', 'If-Match', '"new"'),
    ]
  }

  /** Every parameter of the path, each naming nothing. */
  function lost(): Attempt[] {
    return Object.keys(values).map((name) => {
      // A list goes on behind any id, also one that nothing has.
      const value = NOTHING[name] ?? (operation.path.includes('/after/') ? 'x' : NOWHERE)
      return { why: `another ${name}`, on: requestOf(operation, { ...values, [name]: value }, query), ...sent }
    })
  }

  function only({ values: others, query: other, ...attempt }: Particular): Attempt {
    return { why: 'a case of its own', on: requestOf(operation, { ...values, ...others }, other ?? query), ...sent, ...attempt }
  }
}
