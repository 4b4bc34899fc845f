import { appendAll } from '../../../platform/events/outbox.ts'
import { deliveredOf, type StoreEvent, topicOf } from '../events.ts'
import type { Files } from '../file/files.ts'
import { storeRepository } from '../store/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { fillCatalogue } from './fill-catalogue.ts'
import { fillSettings } from './fill-settings.ts'
import { fillTrade } from './fill-trade.ts'
import type { FilledStore } from './filled.ts'
import { readSample } from './sample.ts'

/** How far it is: steps of `total`. */
export type Filling = (done: number, total: number) => void

/**
 * Fills a new store with the sample, through the actions of clients, in the caller's transaction.
 * An error of the sample is thrown, and the bytes of its pictures are deleted then; only a killed
 * process leaves them.
 */
export async function fillStore(
  unit: Omit<UnitOfWork, 'emit'>,
  files: Pick<Files, 'keepOwn' | 'delete'>,
  delivered: Filling = () => {},
): Promise<void> {
  const { query, storeId, now } = unit
  const events: StoreEvent[] = []
  const [store] = await storeRepository(query).findByIds([storeId])
  if (!store) throw new Error(`Expected a store with the row ${storeId}.`)
  const sample = readSample()
  const total = sample.products.length + sample.orders.length
  const filled: FilledStore = {
    ago: (days) => ({ ...unit, now: new Date(now.getTime() - days * DAY_MS), emit: (event) => void events.push(event) }),
    currency: store.currency,
    country: store.country,
  }
  const stored: string[] = []
  try {
    const settings = await fillSettings(filled, sample)
    const goods = await fillCatalogue(filled, sample.products, {
      locations: settings.locations,
      files: {
        keepOwn: (bytes, kind, options) =>
          files.keepOwn(bytes, kind, {
            ...options,
            record: async (file) => {
              stored.push(file.key)
              await options.record(file)
            },
          }),
      },
      onProgress: (done) => delivered(done, total),
    })
    await fillTrade(filled, sample, { ...settings, goods, onProgress: (done) => delivered(sample.products.length + done, total) })
    await appendAll(query, topicOf(storeId), deliveredOf(events))
  } catch (error) {
    await Promise.all(stored.map(files.delete))
    throw error
  }
}

const DAY_MS = 24 * 60 * 60 * 1000
