import {
  DeleteOverrideDocument,
  GetOverrideDocument,
  ListOverridesDocument,
  PutOverrideDocument,
  type PutOverrideMutation,
  SetOverrideDocument,
  type WireOverrideFragment,
} from '#generated/operations.ts'
import { lowerCase } from '../../../platform/text/case.ts'
import { noSuchItem, type ProblemDetails, wrongParameters } from '../../http/problem.ts'
import { route } from '../../http/route.ts'
import { invalidInput } from '../problem-details.ts'
import { usageHeaders } from '../usage-headers.ts'
import { namedOverride, override } from './request-body.ts'

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
      results: edges.map(({ node }) => overrideBody(node)),
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
    problem: problemOf,
    body: bodyOf,
  }),
  route({
    on: 'GET /v1/overrides/{host}',
    aliases: ['/api/v1/overrides/{host}'],
    run: GetOverrideDocument,
    variables: ({ path: { host } }) => ({ subject: host }),
    headers: ({ usage }) => usageHeaders(usage),
    body: ({ overrides: { edges } }) => edges[0] && overrideBody(edges[0].node),
  }),
  route({
    on: 'PUT /v1/overrides/{host}',
    aliases: ['/api/v1/overrides/{host}'],
    run: PutOverrideDocument,
    accepts: override,
    variables: ({ path: { host }, body: { action, reason, expires_at } }) => ({
      input: { subject: host, action, reason, expiresAt: expires_at },
    }),
    problem: problemOfPath,
    body: bodyOf,
  }),
  route({
    on: 'DELETE /v1/overrides/{host}',
    aliases: ['/api/v1/overrides/{host}'],
    run: DeleteOverrideDocument,
    status: 204,
    variables: ({ path: { host } }) => ({ subject: host }),
    problem: ({ result }) => (result.__typename === 'OverrideNotFound' ? noSuchItem(result.message) : null),
    body: () => null,
  }),
]

type OverrideData = Pick<PutOverrideMutation, 'result'>

function problemOf({ result }: OverrideData): ProblemDetails | null {
  if (result.__typename !== 'InvalidOverride') return null
  return invalidInput(
    result.faults.map((fault) => {
      if (fault.field !== 'subject') return fault
      // Too many overrides are no fault of the host.
      if (fault.code === 'too_many') return { ...fault, field: '' }
      return { ...fault, field: 'host', message: fault.message.replace(/^subject/, 'host') }
    }),
  )
}

/**
 * The same where the host is a path parameter: its fault is that of a parameter, and precedes those
 * of the body.
 */
function problemOfPath(
  data: OverrideData,
  { path: { host } }: { readonly path: { readonly host: string } },
): ProblemDetails | null {
  const problem = problemOf(data)
  const faults = data.result.__typename === 'InvalidOverride' ? data.result.faults : []
  const wrong = faults.find(({ field, code }) => field === 'subject' && code !== 'too_many')
  if (!wrong) return problem
  const message = wrong.message.replace(/^subject/, 'host')
  const expected = message.replace(/^host: Expected /, '').replace(/(?:, got [^,]*)?\.$/, '')
  return wrongParameters(message, [{ parameter: 'host', expected, got: host }])
}

function bodyOf({ result }: OverrideData) {
  return result.__typename === 'SetOverrideSuccess' ? overrideBody(result.override) : null
}

const overrideBody = ({ id, subject, scope, action, ...rest }: WireOverrideFragment) => ({
  id,
  host: subject,
  scope: lowerCase(scope),
  action: lowerCase(action),
  ...rest,
})
