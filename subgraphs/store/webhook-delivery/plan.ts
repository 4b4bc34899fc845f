import { randomUUID } from 'node:crypto'
import type { Announce, UnitOfWork } from '../write.ts'
import type { DeliveryJobs } from './jobs.ts'
import { webhookDeliveryRepository } from './repository.ts'

/** Where in time deliveries begin: everything happens in the transaction that it is called in. */
export type DeliveryPlan = {
  readonly announce: Announce
  /**
   * Begins deliveries when they are due, instead of whenever they were to begin before. Null: at
   * once.
   */
  readonly begin: (unit: Pick<UnitOfWork, 'query' | 'storeId'>, deliveries: readonly Beginning[]) => Promise<void>
  /** Starts the next deliveries to a URL, after a change. */
  readonly wake: (unit: Pick<UnitOfWork, 'query' | 'storeId' | 'now'>, url: string) => Promise<void>
}

type Beginning = { readonly deliveryId: number; readonly dueAt: Date | null }

/**
 * A delivery that is next in its lane always has a job that has not run to its end: one made with
 * it, or when the one before it was done with, or when a subscription was paused, resumed, moved or
 * deleted. A job that comes before its delivery is next does nothing.
 */
export function deliveryPlan(jobs: DeliveryJobs): DeliveryPlan {
  const begin: DeliveryPlan['begin'] = async ({ query, storeId }, deliveries) => {
    const planned = deliveries.map((each) => ({ ...each, storeId, jobId: randomUUID() }))
    await webhookDeliveryRepository(query).plan(storeId, planned)
    await jobs.add(query, planned)
  }
  return {
    begin,
    async announce({ query, storeId, now }, delivered) {
      const made = await webhookDeliveryRepository(query).insertFor(storeId, delivered, now)
      await begin(
        { query, storeId },
        made.map((deliveryId) => ({ deliveryId, dueAt: null })),
      )
    },
    async wake({ query, storeId, now }, url) {
      const heads = await webhookDeliveryRepository(query).headsTo(storeId, url)
      await begin(
        { query, storeId },
        heads.map(({ deliveryId, dueAt }) => ({ deliveryId, dueAt: dueAt > now ? dueAt : null })),
      )
    },
  }
}
