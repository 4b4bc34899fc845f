import {
  AddListEntriesDocument,
  GetListsDocument,
  ListEntriesDocument,
  RemoveListEntryDocument,
  type WireListEntryFragment,
} from '#generated/operations.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { noSuchItem } from '../../http/problem.ts'
import { route } from '../../http/route.ts'
import { invalidInput } from '../problem-details.ts'
import { listEntries } from './request-body.ts'

export const operatorListRoutes = [
  route({
    on: 'GET /v1/lists',
    run: GetListsDocument,
    variables: () => ({}),
    body: ({ lists }) => ({ results: lists.map(({ list, ...rest }) => ({ list: lowerCase(list), ...rest })) }),
  }),
  route({
    on: 'GET /v1/lists/entries',
    run: ListEntriesDocument,
    parameters: {
      list: { kind: 'enum', values: ['block', 'allow', 'brand'], default: 'block' },
      limit: { kind: 'integer', min: 1, max: 100, default: 20 },
      after: { kind: 'text', max: 1_000 },
    },
    variables: ({ query: { list, limit, after } }) => ({ list: upperCase(list), first: limit, after }),
    body: ({ entries: { edges, pageInfo, totalCount } }) => ({
      total: totalCount,
      results: edges.map(({ node }) => entryBody(node)),
      next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    }),
  }),
  route({
    on: 'POST /v1/lists/entries',
    run: AddListEntriesDocument,
    accepts: listEntries,
    variables: ({ body: { list, entries } }) => ({
      input: { list, entries: entries.map(({ expires_at, ...entry }) => ({ ...entry, expiresAt: expires_at })) },
    }),
    problem: ({ result }) => (result.__typename === 'InvalidOperatorListEntries' ? invalidInput(result.faults) : null),
    body: ({ result }) =>
      result.__typename === 'AddOperatorListEntriesSuccess'
        ? { added: result.added, replaced: result.replaced, results: result.entries.map(entryBody) }
        : null,
  }),
  route({
    on: 'DELETE /v1/lists/entries/{id}',
    run: RemoveListEntryDocument,
    status: 204,
    variables: ({ path: { id } }) => ({ id }),
    problem: ({ result }) => (result.__typename === 'OperatorListEntryNotFound' ? noSuchItem(result.message) : null),
    body: () => null,
  }),
]

const entryBody = ({ list, scope, ...rest }: WireListEntryFragment) => ({
  ...rest,
  list: lowerCase(list),
  scope: lowerCase(scope),
})
