import {
  DeleteOverrideDocument,
  GetOverrideDocument,
  ListOverridesDocument,
  PutOverrideDocument,
  type PutOverrideMutation,
  SetOverrideDocument,
  type WireOverrideFragment,
} from '#generated/operations.ts'
import { noSuchItem, type Problem } from '../../http/problem.ts'
import { route } from '../../http/route.ts'
import { invalidInput } from '../problems.ts'
import { usageHeaders } from '../usage.ts'
import { lower } from '../words.ts'
import { namedOverride, override } from './body.ts'

export const overrideRoutes = [
  route({
    on: 'GET /v1/overrides',
    aliases: ['/api/v1/overrides'],
    run: ListOverridesDocument,
    parameters: { limit: { kind: 'integer', min: 1, max: 100, default: 20 }, after: { kind: 'text', max: 1_000 } },
    variables: ({ query: { limit, after } }) => ({ first: limit, after }),
    headers: ({ usage }) => usageHeaders(usage),
    body: ({ overrides: { edges, pageInfo, totalCount } }) => ({
      total: totalCount,
      results: edges.map(({ node }) => wire(node)),
      next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    }),
  }),
  route({
    on: 'POST /v1/overrides',
    aliases: ['/api/v1/overrides'],
    run: SetOverrideDocument,
    accepts: namedOverride,
    variables: ({ body: { host, action, reason, expires_at } }) => ({
      input: { subject: host, action, reason, expiresAt: expires_at },
    }),
    problem: refusal,
    body: set,
  }),
  route({
    on: 'GET /v1/overrides/{host}',
    aliases: ['/api/v1/overrides/{host}'],
    run: GetOverrideDocument,
    variables: ({ path: { host } }) => ({ subject: host }),
    headers: ({ usage }) => usageHeaders(usage),
    body: ({ overrides: { edges } }) => edges[0] && wire(edges[0].node),
  }),
  route({
    on: 'PUT /v1/overrides/{host}',
    aliases: ['/api/v1/overrides/{host}'],
    run: PutOverrideDocument,
    accepts: override,
    variables: ({ path: { host }, body: { action, reason, expires_at } }) => ({
      input: { subject: host, action, reason, expiresAt: expires_at },
    }),
    problem: refusal,
    body: set,
  }),
  route({
    on: 'DELETE /v1/overrides/{host}',
    aliases: ['/api/v1/overrides/{host}'],
    run: DeleteOverrideDocument,
    status: 204,
    variables: ({ path: { host } }) => ({ subject: host }),
    problem: ({ outcome: { __typename } }) => (__typename === 'OverrideNotFound' ? noSuchItem : null),
    body: () => null,
  }),
]

type Outcome = Pick<PutOverrideMutation, 'outcome'>

function refusal({ outcome }: Outcome): Problem | null {
  if (outcome.__typename !== 'InvalidOverride') return null
  return invalidInput(outcome.faults.map((fault) => ({ ...fault, field: fault.field === 'subject' ? 'host' : fault.field })))
}

function set({ outcome }: Outcome) {
  return outcome.__typename === 'SetOverrideSuccess' ? wire(outcome.override) : null
}

const wire = ({ id, subject, scope, action, ...rest }: WireOverrideFragment) => ({
  id,
  host: subject,
  scope: lower(scope),
  action: lower(action),
  ...rest,
})
