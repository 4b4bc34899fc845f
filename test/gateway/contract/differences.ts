import { type ContractAnswer, JSON_TYPE } from './contract-case.ts'

/** What Apollo's stack answers to one case where it does not answer as the contract says. */
export type Difference = {
  /** `what` of the case. */
  readonly what: string
  /** Parts of Apollo's answer; the others are as the contract says. */
  readonly apollo: Partial<ContractAnswer>
  readonly why: string
}

const FRAMEWORK = 'refused by the HTTP framework before Apollo Server, so that it is no GraphQL error'
const NO_BOUNDS = 'bounds of size, which stock Apollo lacks'

/** The answer of a host without GraphQL errors. */
const HOST: Partial<ContractAnswer> = { errors: [] }
const METHODS = { errors: [], headers: { allow: 'GET, HEAD, POST' } }
const product = (fields: object) => ({ status: 200, errors: [], data: { product: fields } })
const numbered = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, value]))

/** Where Apollo differs; the test of the contract fails for others, and for rows that no longer hold. */
export const DIFFERENCES: readonly Difference[] = [
  { what: 'GET of a mutation', apollo: { errors: ['BAD_REQUEST'] }, why: 'a code that says the status' },
  {
    what: 'GET of a page of the same origin',
    apollo: { status: 400, data: null, errors: ['BAD_REQUEST'] },
    why: 'browsers say that the page is ours, which no page can say by itself',
  },
  { what: 'PUT', apollo: METHODS, why: FRAMEWORK },
  { what: 'DELETE', apollo: METHODS, why: FRAMEWORK },
  {
    what: 'a CORS preflight',
    apollo: { status: 405, contentType: JSON_TYPE, headers: { allow: 'GET, HEAD, POST' } },
    why: 'Apollo leaves CORS to its host',
  },
  { what: 'a page of another origin', apollo: { headers: {} }, why: 'Apollo leaves CORS to its host' },
  { what: 'accept an image', apollo: { errors: ['BAD_REQUEST'] }, why: 'a code that says the status' },
  {
    what: 'an unknown field for application/json',
    apollo: { status: 400 },
    why: 'GraphQL over HTTP: status 200 for who names application/json, since a proxy may have answered with another',
  },
  {
    what: 'application/json; charset=utf-16',
    apollo: { status: 200, errors: [], data: { __typename: 'Query' } },
    why: 'JSON is UTF-8 (RFC 8259 §8.1); what says to be something else would be misread',
  },
  {
    what: 'text/plain',
    apollo: { status: 400, errors: ['BAD_REQUEST'] },
    why: 'the media type is refused first, with its own status',
  },
  { what: 'application/x-www-form-urlencoded', apollo: HOST, why: FRAMEWORK },
  { what: 'multipart/form-data', apollo: HOST, why: FRAMEWORK },
  { what: 'application/graphql', apollo: HOST, why: FRAMEWORK },
  { what: 'nonsense', apollo: HOST, why: FRAMEWORK },
  { what: 'broken JSON', apollo: HOST, why: FRAMEWORK },
  { what: 'JSON with a poisoned key', apollo: HOST, why: FRAMEWORK },
  { what: 'no body', apollo: HOST, why: FRAMEWORK },
  { what: '20 MB', apollo: HOST, why: FRAMEWORK },
  {
    what: 'a persisted query with the hash of another',
    apollo: { errors: ['INTERNAL_SERVER_ERROR'] },
    why: 'the fault is the client’s',
  },
  {
    what: 'a persisted query of the future',
    apollo: { errors: ['INTERNAL_SERVER_ERROR'] },
    why: 'the fault is the client’s',
  },
  {
    what: 'a batch with a faulty operation',
    apollo: { status: 400 },
    why: 'the others were answered; one status cannot speak for all',
  },
  {
    what: 'a batch of 4 where 3 are allowed',
    apollo: { status: 200, errors: [], data: Array(4).fill({ __typename: 'Query' }) },
    why: 'Apollo Server has no bound of the length',
  },
  { what: 'what is asked too often', apollo: { headers: {} }, why: 'Retry-After says it to clients that know HTTP only' },
  {
    what: 'a variable called representations',
    apollo: { data: { product: null }, errors: ['INTERNAL_SERVER_ERROR'] },
    why: 'Apollo Gateway keeps this name for itself',
  },
  {
    what: 'an unknown fragment',
    apollo: { status: 500, errors: ['INTERNAL_SERVER_ERROR'] },
    why: 'graphql-depth-limit throws',
  },
  {
    what: 'a cycle of fragments',
    apollo: { errors: ['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_VALIDATION_FAILED'] },
    why: 'graphql-depth-limit reports it too, as a depth',
  },
  {
    what: 'an unknown operationName',
    apollo: { status: 500, errors: ['INVALID_GRAPHQL'] },
    why: 'Apollo Gateway throws',
  },
  {
    what: 'an empty operationName',
    apollo: { status: 500, errors: ['INTERNAL_SERVER_ERROR'] },
    why: 'Apollo Server expects errors of the gateway',
  },
  {
    what: 'a missing operationName',
    apollo: { status: 500, errors: ['INVALID_GRAPHQL'] },
    why: 'Apollo Gateway throws',
  },
  {
    what: 'a subscription that no graph has',
    apollo: { status: 500, errors: ['INVALID_GRAPHQL'] },
    why: 'Apollo Gateway throws',
  },
  {
    what: '11 levels',
    apollo: { errors: ['GRAPHQL_VALIDATION_FAILED'] },
    why: 'graphql-depth-limit is a validation rule, without a code of its own',
  },
  {
    what: 'a page below 0',
    apollo: { status: 200, errors: [], data: { products: { totalCount: 3 } } },
    why: 'refused before any fetch: it would subtract from the cost',
  },
  {
    what: 'a page of a million',
    apollo: { status: 200, errors: [], data: { products: { totalCount: 3 } } },
    why: 'graphql-query-complexity tells nothing about the field above, so that pages of connections do not count',
  },
  { what: '201 aliases', apollo: product(numbered(201, 'a')), why: NO_BOUNDS },
  { what: '51 fields at the root', apollo: { status: 200, errors: [], data: numbered(51, 'Query') }, why: NO_BOUNDS },
  {
    what: 'one field 301 times',
    apollo: { status: 200, errors: [], data: { __typename: 'Query' } },
    why: 'validation compares equal names pair by pair',
  },
  {
    what: '5,001 tokens',
    apollo: { errors: ['GRAPHQL_VALIDATION_FAILED'] },
    why: 'refused for its tokens; Apollo Server aborts the validation',
  },
  { what: 'fragments that double', apollo: product({ a: null, b: null }), why: NO_BOUNDS },
  {
    what: 'five times __schema',
    apollo: { status: 200, errors: [], data: numbered(5, { queryType: { name: 'Query' } }) },
    why: NO_BOUNDS,
  },
  {
    what: 'a subscription over POST',
    apollo: { status: 500, errors: ['INTERNAL_SERVER_ERROR'] },
    why: 'Apollo Gateway has no subscriptions',
  },
  {
    what: 'a conditional subscription',
    apollo: { status: 500, errors: ['INTERNAL_SERVER_ERROR'] },
    why: 'graphql-js throws in validation',
  },
  {
    what: 'a subscription as an event stream',
    apollo: { status: 406, contentType: JSON_TYPE, errors: ['BAD_REQUEST'] },
    why: 'Apollo Server has no event streams',
  },
  {
    what: 'a query as an event stream',
    apollo: { status: 406, contentType: JSON_TYPE, errors: ['BAD_REQUEST'] },
    why: 'Apollo Server has no event streams',
  },
]
