import { type RawBuilder, sql } from 'kysely'

/**
 * For `.where(column, '=', anyOf(ids))`: one parameter and one statement text for any number of
 * ids.
 */
export const anyOf = (ids: readonly number[]): RawBuilder<number> => sql<number>`ANY(${ids}::integer[])`
