import { decodeId, encodeId } from '../../toolkit/ids.ts'

/**
 * The id of a delivery in the schema and in its header. The REST API has no deliveries, so there is
 * no number.
 */
export const deliveryId = (row: number): string => encodeId('WebhookDelivery', String(row))

/** The row of such an id; null for an invalid one. */
export function deliveryRow(id: string): number | null {
  const row = Number(decodeId(id, 'WebhookDelivery') ?? 0)
  return row >= 1 && Number.isSafeInteger(row) ? row : null
}
