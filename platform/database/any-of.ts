import { type RawBuilder, sql } from 'kysely'

/** For `.where(column, '=', anyOf(ids))`: one parameter and one text of the statement, however many rows are asked for. */
export const anyOf = (ids: readonly number[]): RawBuilder<number> => sql<number>`ANY(${ids}::integer[])`
