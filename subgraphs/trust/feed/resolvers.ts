import type { Resolvers } from '#generated/trust/resolvers.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { fromUnixSeconds } from '../unix-time.ts'
import { MAX_SHOWN_FEEDS, NO_ASSESSMENTS, precisionOf } from './feed.ts'

export const feedResolvers = {
  Query: {
    threatFeeds: async (_, __, { feeds, sources, now }) => {
      const [copies, figures] = await Promise.all([sources.feedCopies?.() ?? null, feeds.figures(now())])
      const names = new Set([...(copies ?? []).map(({ name }) => name), ...figures.map(({ feed }) => feed)])
      return [...names]
        .slice(0, MAX_SHOWN_FEEDS)
        .sort()
        .map((name) => {
          const copy = copies?.find((each) => each.name === name)
          const { hits = 0, lastHitAt = null, assessments = NO_ASSESSMENTS } = figures.find(({ feed }) => feed === name) ?? {}
          return {
            name,
            state: copy ? upperCase(copy.state) : null,
            reason: copy?.reason ?? null,
            entries: copy?.edition?.entries ?? null,
            asOf: copy?.edition ? fromUnixSeconds(copy.edition.asOf) : null,
            fetchedAt: copy?.edition ? fromUnixSeconds(copy.edition.fetchedAt) : null,
            hits,
            lastHitAt,
            assessments,
            precision: precisionOf(assessments),
          }
        })
    },
  },
} satisfies Resolvers
