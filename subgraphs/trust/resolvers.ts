import type { Resolvers } from '#generated/trust/resolvers.ts'
import { DateTime } from '../toolkit/scalars.ts'
import { assessmentResolvers } from './assessment/resolvers.ts'
import { decisionResolvers } from './decision/resolvers.ts'
import { decisionJobResolvers } from './decision-job/resolvers.ts'
import { decisionReportResolvers } from './decision-report/resolvers.ts'
import { directoryItemResolvers } from './directory-item/resolvers.ts'
import { feedResolvers } from './feed/resolvers.ts'
import { keyResolvers } from './key/resolvers.ts'
import { operatorListResolvers } from './operator-list/resolvers.ts'
import { overrideResolvers } from './override/resolvers.ts'
import { sourceResolvers } from './source/resolvers.ts'
import { trialResolvers } from './trial/resolvers.ts'
import { watchedDomainResolvers } from './watched-domain/resolvers.ts'

/** The resolvers of every noun. Only the root types belong to several. */
export const resolvers = {
  DateTime,
  ...assessmentResolvers,
  ...directoryItemResolvers,
  ...keyResolvers,
  ...operatorListResolvers,
  ...overrideResolvers,
  ...decisionResolvers,
  ...decisionJobResolvers,
  ...decisionReportResolvers,
  ...watchedDomainResolvers,
  Mutation: {
    ...keyResolvers.Mutation,
    ...overrideResolvers.Mutation,
    ...operatorListResolvers.Mutation,
    ...decisionJobResolvers.Mutation,
    ...decisionReportResolvers.Mutation,
    ...watchedDomainResolvers.Mutation,
  },
  Subscription: watchedDomainResolvers.Subscription,
  Query: {
    ...keyResolvers.Query,
    ...operatorListResolvers.Query,
    ...overrideResolvers.Query,
    ...decisionResolvers.Query,
    ...decisionJobResolvers.Query,
    ...decisionReportResolvers.Query,
    ...watchedDomainResolvers.Query,
    ...trialResolvers.Query,
    ...sourceResolvers.Query,
    ...feedResolvers.Query,
  },
} satisfies Resolvers
