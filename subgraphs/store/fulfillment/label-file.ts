import type { Context } from '../context.ts'
import { LABEL } from '../file/file.ts'
import { type Fulfillment, isLabelled } from './fulfillment.ts'
import { drawLabel, labelOf } from './label.ts'

type Deps = Pick<Context, 'fulfillments' | 'locations' | 'stores' | 'files' | 'fileRecords' | 'now'>

/**
 * The fulfillment with its label, which is drawn and kept where it has none yet and can have one;
 * null when there is no such fulfillment. Not in a transaction: a storage may take its time.
 */
export async function withLabel(deps: Deps, storeId: number, row: number): Promise<Fulfillment | null> {
  const { fulfillments, locations, stores, files, fileRecords, now } = deps
  const [fulfillment] = await fulfillments.findByIds(storeId, [row])
  if (!fulfillment) return null
  if (fulfillment.labelKey !== null || !isLabelled(fulfillment)) return fulfillment
  const [[location], [store]] = await Promise.all([
    locations.findByIds(storeId, [fulfillment.locationId]),
    stores.findByIds([storeId]),
  ])
  // Deleted since.
  if (!location || !store) return null

  const at = now()
  let file = 0
  const cached = await files.keepOwn(await drawLabel(labelOf(fulfillment, location, store), at), LABEL, {
    storeId,
    name: `label-${fulfillment.id}.pdf`,
    record: async (stored) => {
      file = await fileRecords.insert(storeId, { ...stored, sourceUrl: null, at })
      await fileRecords.count(storeId, stored.bytes)
    },
  })
  if (cached.kind === 'refused') throw new Error(`Expected the label that was drawn ${cached.expectation}.`)
  // Changed or drawn by somebody else meanwhile: what was drawn here is nobody's.
  if (!(await fulfillments.setLabel(storeId, fulfillment, file))) {
    await fileRecords.sweep({ storeId, ids: [file] }, files.delete)
  }
  const [drawn] = await fulfillments.findByIds(storeId, [row])
  return drawn ?? null
}

/**
 * Draws the label of a fulfillment that was just written. What fails there is only logged: whoever
 * asks for the label has it drawn.
 */
export async function tryLabel(context: Context, row: number): Promise<void> {
  try {
    await withLabel(context, await context.storeId(), row)
  } catch (error) {
    context.log.warn({ err: error }, 'a label could not be drawn yet')
  }
}
