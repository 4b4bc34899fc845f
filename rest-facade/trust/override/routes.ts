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
import { noSuchItem, type Problem, wrongParameters } from '../../http/problem.ts'
import { route } from '../../http/route.ts'
import { invalidInput } from '../problems.ts'
import { usageHeaders } from '../usage.ts'
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
    problem: refusalWithPath,
    body: set,
  }),
  route({
    on: 'DELETE /v1/overrides/{host}',
    aliases: ['/api/v1/overrides/{host}'],
    run: DeleteOverrideDocument,
    status: 204,
    variables: ({ path: { host } }) => ({ subject: host }),
    problem: ({ outcome }) => (outcome.__typename === 'OverrideNotFound' ? noSuchItem(outcome.message) : null),
    body: () => null,
  }),
]

type Outcome = Pick<PutOverrideMutation, 'outcome'>

function refusal({ outcome }: Outcome): Problem | null {
  if (outcome.__typename !== 'InvalidOverride') return null
  return invalidInput(
    outcome.faults.map((fault) => {
      if (fault.field !== 'subject') return fault
      // That there are too many is no fault of the host.
      if (fault.code === 'too_many') return { ...fault, field: '' }
      return { ...fault, field: 'host', message: fault.message.replace(/^subject/, 'host') }
    }),
  )
}

/** The same where the host stands in the path: what is wrong with that is a wrong parameter, and said first. */
function refusalWithPath(data: Outcome, { path: { host } }: { readonly path: { readonly host: string } }): Problem | null {
  const problem = refusal(data)
  const faults = data.outcome.__typename === 'InvalidOverride' ? data.outcome.faults : []
  const wrong = faults.find(({ field, code }) => field === 'subject' && code !== 'too_many')
  if (!wrong) return problem
  const message = wrong.message.replace(/^subject/, 'host')
  const expected = message.replace(/^host: Expected /, '').replace(/(?:, got [^,]*)?\.$/, '')
  return wrongParameters(message, [{ parameter: 'host', expected, got: host }])
}

function set({ outcome }: Outcome) {
  return outcome.__typename === 'SetOverrideSuccess' ? wire(outcome.override) : null
}

const wire = ({ id, subject, scope, action, ...rest }: WireOverrideFragment) => ({
  id,
  host: subject,
  scope: lowerCase(scope),
  action: lowerCase(action),
  ...rest,
})
