import {
  ListVerdictChangesDocument,
  ListWatchesDocument,
  UnwatchDomainDocument,
  WatchDomainDocument,
  type WireWatchFragment,
} from '#generated/operations.ts'
import { lowerCase } from '../../../platform/text/case.ts'
import { noSuchItem } from '../../http/problem.ts'
import { route } from '../../http/route.ts'
import { invalidInput } from '../problem-details.ts'
import { watchRequest } from './request-body.ts'
import { verdictBody } from './response-body.ts'

export const watchedDomainRoutes = [
  route({
    on: 'GET /v1/watches',
    run: ListWatchesDocument,
    parameters: {
      domain: { kind: 'text', max: 2_048 },
      limit: { kind: 'integer', min: 1, max: 100, default: 20 },
      after: { kind: 'text', max: 1_000 },
    },
    variables: ({ query: { domain, limit, after } }) => ({ domain, first: limit, after }),
    body: ({ watches: { edges, pageInfo, totalCount } }) => ({
      total: totalCount,
      results: edges.map(({ node }) => watchBody(node)),
      next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    }),
  }),
  route({
    on: 'POST /v1/watches',
    run: WatchDomainDocument,
    accepts: watchRequest,
    variables: ({ body: { domain, webhook_url } }) => ({ input: { domain, webhookUrl: webhook_url } }),
    problem: ({ result }) => (result.__typename === 'InvalidWatchedDomain' ? invalidInput(result.faults) : null),
    body: ({ result }) =>
      result.__typename === 'WatchDomainSuccess' ? { ...watchBody(result.watch), webhook_secret: result.webhook_secret } : null,
  }),
  route({
    on: 'DELETE /v1/watches/{id}',
    run: UnwatchDomainDocument,
    status: 204,
    variables: ({ path: { id } }) => ({ id }),
    problem: ({ result }) => (result.__typename === 'WatchedDomainNotFound' ? noSuchItem(result.message) : null),
    body: () => null,
  }),
  route({
    on: 'GET /v1/watches/{id}/history',
    run: ListVerdictChangesDocument,
    parameters: {
      limit: { kind: 'integer', min: 1, max: 100, default: 20 },
      after: { kind: 'text', max: 1_000 },
    },
    variables: ({ path: { id }, query: { limit, after } }) => ({ watchId: id, first: limit, after }),
    body: ({ changes }) =>
      changes && {
        total: changes.totalCount,
        results: changes.edges.map(({ node: { verdict, previous_action, webhook, ...rest } }) => ({
          ...rest,
          ...verdictBody(verdict),
          previous_action: previous_action && lowerCase(previous_action),
          webhook: webhook && { ...webhook, status: lowerCase(webhook.status) },
        })),
        next: changes.pageInfo.hasNextPage ? changes.pageInfo.endCursor : null,
      },
  }),
]

const watchBody = ({ verdict, ...rest }: WireWatchFragment) => ({ ...rest, verdict: verdict && verdictBody(verdict) })
