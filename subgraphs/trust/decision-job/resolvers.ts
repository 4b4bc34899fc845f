import type { Resolvers } from '#generated/trust/resolvers.ts'
import { excerpt } from '../../../platform/graphql/errors.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { toDecisionInput } from '../decision/resolvers.ts'
import { requestKey } from '../key/request-key.ts'
import { createDecisionJob } from './actions.ts'
import { type DecisionJob, type DecisionJobResult, expiryOf, finishedCount } from './decision-job.ts'

const JOBS: KeysetList<DecisionJob> = { name: 'decisionJobs', parts: ['row'], positionOf: ({ id }) => [id] }
const RESULTS: KeysetList<DecisionJobResult> = {
  name: 'decisionJobResults',
  parts: ['number'],
  positionOf: ({ position }) => [position],
}
/** A page of 1,000 takes some 20 ms. */
const RESULT_PAGE_SIZES = { usual: 100, max: 1_000 }

export const decisionJobResolvers = {
  Query: {
    decisionJob: async (_, { id, keyId }, context) => {
      const key = await requestKey(keyId, context)
      const row = decodeId(id, DECISION_JOB)
      return row === null ? null : context.jobs.find(key.id, row)
    },
    decisionJobs: async (_, { keyId, ...page }, context) => {
      const key = await requestKey(keyId, context)
      const range = keysetRange(JOBS, page)
      return keysetPage(JOBS, range, await context.jobs.list(key.id, range), () => context.jobs.count(key.id))
    },
  },
  Mutation: {
    createDecisionJob: async (_, { input: { inputs, idempotencyKey = null, keyId } }, context) => {
      const key = await requestKey(keyId, context)
      const created = await createDecisionJob(key, { inputs: inputs.map(toDecisionInput), idempotencyKey }, context)
      switch (created.kind) {
        case 'created':
          return { __typename: 'CreateDecisionJobSuccess', job: created.job }
        case 'invalid':
          return {
            __typename: 'InvalidDecisionJob',
            message: created.faults.map(({ message }) => message).join(' '),
            faults: created.faults,
          }
        case 'limited':
          return { __typename: 'DecisionJobLimitReached', message: created.message }
        case 'conflict':
          return { __typename: 'DecisionJobConflict', message: created.message }
      }
    },
    cancelDecisionJob: async (_, { id, keyId }, context) => {
      const key = await requestKey(keyId, context)
      const row = decodeId(id, DECISION_JOB)
      const job = row === null ? null : await context.jobs.cancel(key.id, row, context.now())
      if (job) return { __typename: 'CancelDecisionJobSuccess', job }
      return { __typename: 'DecisionJobNotFound', message: `There is no job with the id ${excerpt(id)}.` }
    },
  },
  DecisionJob: {
    id: ({ id }) => encodeId(DECISION_JOB, id),
    status: ({ status, startedAt }) => (status === 'running' && startedAt === null ? 'WAITING' : upperCase(status)),
    expiresAt: (job) => expiryOf(job),
    targetCount: ({ targets }) => targets,
    finishedCount,
    counts: (job) => {
      const { decided, invalid, exceeded, failed, status } = job
      const rest = job.targets - finishedCount(job)
      const isCanceled = status === 'canceled'
      return {
        ...{ decided, invalid, failed },
        quotaExceeded: exceeded,
        waiting: isCanceled ? 0 : rest,
        canceled: isCanceled ? rest : 0,
      }
    },
    results: async ({ id }, page, { jobs }) => {
      const range = keysetRange(RESULTS, page, RESULT_PAGE_SIZES)
      return keysetPage(RESULTS, range, await jobs.results(id, range), () => jobs.countResults(id))
    },
  },
  DecisionJobResult: {
    index: ({ position }) => position,
    status: ({ status }) => (status === 'exceeded' ? 'QUOTA_EXCEEDED' : upperCase(status)),
  },
  DecisionJobConnection: connectionFields,
  DecisionJobResultConnection: connectionFields,
} satisfies Resolvers

export const DECISION_JOB = 'DecisionJob'
