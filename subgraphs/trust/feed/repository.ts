import { type Kysely, sql } from 'kysely'
import { withoutCancellation } from '../../../platform/database/cancellation.ts'
import type { Tables } from '../tables.ts'
import {
  ASSESSMENT_AFTER_MS,
  type FeedAssessment,
  type FeedAssessmentCounts,
  type FeedFigures,
  type FeedListing,
  MAX_LISTINGS_PER_FEED,
  MAX_SHOWN_FEEDS,
  type PendingListing,
} from './feed.ts'

/** A listing with the decisions that met it. */
export type CountedListing = FeedListing & { readonly hits: number }

/** Everybody may ask for the figures, and they are read from whole tables. */
const FIGURES_MAX_AGE_MS = 5_000

/** What decisions met in threat feeds, in the database. */
export const feedRepository = (database: Kysely<Tables>) => {
  let held: { readonly at: number; readonly figures: Promise<readonly FeedFigures[]> } | null = null
  return {
    /**
     * Adds listings that decisions met until `at`, and their hits. Of a feed that has its most listings a sample
     * stays, by hashes of subjects: the newest would not be there long enough to be removed, only to be confirmed.
     */
    add: (listings: readonly CountedListing[], at: Date): Promise<void> =>
      database.transaction().execute(async (transaction) => {
        // The row of a feed locks its listings; by name everywhere: two processes must not wait for each other.
        const feeds = [...Map.groupBy(listings, ({ feed }) => feed)].sort(([a], [b]) => (a < b ? -1 : 1))
        for (const [feed, own] of feeds) {
          const hits = own.reduce((sum, each) => sum + each.hits, 0)
          await sql`
            INSERT INTO feed_usage (feed, hits, last_hit_at) VALUES (${feed}, ${hits}, ${at})
            ON CONFLICT (feed) DO UPDATE SET hits = feed_usage.hits + excluded.hits,
              last_hit_at = greatest(feed_usage.last_hit_at, excluded.last_hit_at)`.execute(transaction)
          await insert(transaction, feed, own, at)
          await sql`
            DELETE FROM feed_listing WHERE feed = ${feed} AND subject IN (
              SELECT subject FROM feed_listing WHERE feed = ${feed} ORDER BY md5(subject), subject OFFSET ${MAX_LISTINGS_PER_FEED}
            )`.execute(transaction)
        }
      }),

    /** Listings that were met first before `before` and have no assessment, the oldest first. */
    async pending(before: Date, size: number, after: PendingListing | null): Promise<readonly PendingListing[]> {
      const { rows } = await sql<PendingListing>`
        SELECT feed, subject, host, first_hit_at AS "firstHitAt" FROM feed_listing
        WHERE assessment IS NULL AND first_hit_at <= ${before}
          ${after === null ? sql`` : sql`AND (first_hit_at, feed, subject) > (${after.firstHitAt}, ${after.feed}, ${after.subject})`}
        ORDER BY first_hit_at, feed, subject LIMIT ${size}`.execute(database)
      return rows
    },

    /** Stores the assessment of a listing, unless it has one by now. */
    async assess(
      { feed, subject }: Pick<PendingListing, 'feed' | 'subject'>,
      assessment: FeedAssessment,
      at: Date,
    ): Promise<void> {
      const pending = database.updateTable('feed_listing').where('feed', '=', feed).where('subject', '=', subject)
      await pending.where('assessment', 'is', null).set({ assessment, assessed_at: at }).execute()
    },

    /** Deletes listings that were met first, and feeds that were met last, before `before`. */
    deleteBefore: (before: Date): Promise<void> =>
      database.transaction().execute(async (transaction) => {
        await lockFeeds(transaction, null)
        await transaction.deleteFrom('feed_listing').where('first_hit_at', '<', before).execute()
        await transaction.deleteFrom('feed_usage').where('last_hit_at', '<', before).execute()
      }),

    /** By name, as of `now`, or up to five seconds before; not kept after a failure. */
    figures(now: Date): Promise<readonly FeedFigures[]> {
      // Also after a clock that was set back.
      if (held && Math.abs(now.getTime() - held.at) < FIGURES_MAX_AGE_MS) return held.figures
      const reading = { at: now.getTime(), figures: withoutCancellation(() => readFigures(database, now)) }
      held = reading
      reading.figures.catch(() => {
        if (held === reading) held = null
      })
      return reading.figures
    },
  }
}

async function insert(transaction: Kysely<Tables>, feed: string, own: readonly CountedListing[], at: Date): Promise<void> {
  // What another feed confirms is confirmed from then on; a report counts more.
  await sql`
    INSERT INTO feed_listing (feed, subject, host, first_hit_at, last_hit_at, assessment, assessed_at)
    SELECT ${feed}::text, subject, host, ${at}::timestamptz, ${at}::timestamptz, CASE WHEN is_agreed THEN 'confirmed_by_feed' END,
      CASE WHEN is_agreed THEN ${at}::timestamptz END
    FROM unnest(${own.map(({ subject }) => subject)}::text[], ${own.map(({ host }) => host)}::text[],
      ${own.map(({ isAgreed }) => isAgreed)}::boolean[]) AS met (subject, host, is_agreed)
    ON CONFLICT (feed, subject) DO UPDATE SET last_hit_at = greatest(feed_listing.last_hit_at, excluded.last_hit_at),
      assessment = coalesce(feed_listing.assessment, excluded.assessment),
      assessed_at = coalesce(feed_listing.assessed_at, excluded.assessed_at)`.execute(transaction)
}

/**
 * Stores what an answered report says of the listings of its target, in the place of any other
 * assessment. Listings that are gone by now stay so.
 */
export async function assessReported(
  transaction: Kysely<Tables>,
  { feeds, subjects }: { readonly feeds: readonly string[]; readonly subjects: readonly string[] },
  assessment: FeedAssessment,
  at: Date,
): Promise<void> {
  await lockFeeds(transaction, feeds)
  await sql`
    UPDATE feed_listing AS listing SET assessment = ${assessment}, assessed_at = ${at}
    FROM unnest(${[...feeds]}::text[], ${[...subjects]}::text[]) AS given (feed, subject)
    WHERE listing.feed = given.feed AND listing.subject = given.subject`.execute(transaction)
}

/** Nobody else adds, deletes or reports listings of these feeds until the transaction ends; null: of all. */
async function lockFeeds(transaction: Kysely<Tables>, feeds: readonly string[] | null): Promise<void> {
  await sql`SELECT FROM feed_usage WHERE ${feeds === null ? sql`true` : sql`feed = ANY(${[...feeds]}::text[])`}
    ORDER BY feed FOR UPDATE`.execute(transaction)
}

/**
 * Agreement of feeds counts at the age at which removal is looked for: what is confirmed at once would look like all
 * that is known of a new feed.
 */
async function readFigures(database: Kysely<Tables>, now: Date): Promise<readonly FeedFigures[]> {
  const before = new Date(now.getTime() - ASSESSMENT_AFTER_MS)
  const isEarly = sql`assessment = 'confirmed_by_feed' AND first_hit_at > ${before}`
  const { rows } = await sql<Omit<FeedFigures, 'assessments'> & FeedAssessmentCounts>`
    SELECT usage.feed, usage.hits::float8 AS hits, usage.last_hit_at AS "lastHitAt", count(listing.subject)::integer AS listings,
      count(*) FILTER (WHERE assessment = 'confirmed_by_report')::integer AS "confirmedByReport",
      count(*) FILTER (WHERE assessment = 'confirmed_by_feed' AND NOT (${isEarly}))::integer AS "confirmedByFeed",
      count(*) FILTER (WHERE assessment = 'refuted_by_report')::integer AS "refutedByReport",
      count(*) FILTER (WHERE assessment = 'refuted_by_removal')::integer AS "refutedByRemoval",
      count(*) FILTER (WHERE assessment = 'expired')::integer AS expired,
      count(*) FILTER (WHERE assessment = 'unconfirmed')::integer AS unconfirmed,
      count(listing.subject) FILTER (WHERE assessment IS NULL OR (${isEarly}))::integer AS pending
    FROM feed_usage AS usage LEFT JOIN feed_listing AS listing USING (feed)
    GROUP BY usage.feed ORDER BY usage.last_hit_at DESC LIMIT ${MAX_SHOWN_FEEDS}`.execute(database)
  return rows.map(({ feed, hits, lastHitAt, ...assessments }) => ({ feed, hits, lastHitAt, assessments }))
}

export type FeedRepository = ReturnType<typeof feedRepository>
