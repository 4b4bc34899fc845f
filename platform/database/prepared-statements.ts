import { hash } from 'node:crypto'
import type { CompiledQuery, Kysely } from 'kysely'
import { memoize } from '../collections/memoize.ts'
import { batchStatements } from './batch-statements.ts'

/** The names of the statements that connections prepare, by their texts. */
const names = new Map<string, string>()

/** How often each insertion was sent, of those that are not prepared. */
const inserted = new Map<string, number>()
/** Rows that are only added have one plan, whatever their values: such a text is prepared when it comes for the fifth time. */
const INSERTION = /^insert into "\w+" \([^()]*\) values /
const PREPARE_AFTER_USES = 5
/** Texts with other numbers of rows are others: each connection would hold them all. */
const MAX_COUNTED_INSERTS = 200

/** The name under which a connection prepares this text; undefined for one that it does not prepare. */
export const preparedName = (text: string): string | undefined =>
  names.get(text) ?? (INSERTION.test(text) ? countInsert(text) : undefined)

function countInsert(text: string): string | undefined {
  const times = (inserted.get(text) ?? 0) + 1
  if (times > 1 || inserted.size < MAX_COUNTED_INSERTS) inserted.set(text, times)
  return times < PREPARE_AFTER_USES ? undefined : registerStatement(text)
}

function registerStatement(text: string): string {
  const name = `atrium_${hash('sha256', text, 'base64url').slice(0, 22)}`
  names.set(text, name)
  return name
}

/**
 * A statement that is asked often: built once in a process and prepared once on each connection, so that afterwards only its values are sent. `build` is given a
 * placeholder for each value, which it may only hand on as a parameter. PostgreSQL may come to plan it once for all values as well: take it where the same plan is good for
 * all of them, such as for rows by their ids.
 */
export function prepared<Tables, Given extends readonly unknown[], Row>(
  build: (database: Kysely<Tables>, ...given: Given) => CompiledQuery<Row>,
): (database: Kysely<Tables>, ...given: Given) => Promise<Row[]> {
  let built: ReturnType<typeof statementOf<Tables, Given, Row>> | null = null

  return async (database, ...given) => {
    built ??= statementOf(build, database, given.length)
    const { query, parameters } = built
    const statement: CompiledQuery<Row> = { ...query, parameters: parameters.map((valueIn) => valueIn(given)) }
    const { rows } = await batchStatements(database, statement)
    return rows
  }
}

/** The same for statements that differ in one thing, of which there are few: each is built and prepared by itself. */
export function preparedPer<Tables, Key, Given extends readonly unknown[], Row>(
  build: (database: Kysely<Tables>, key: Key, ...given: Given) => CompiledQuery<Row>,
): (database: Kysely<Tables>, key: Key, ...given: Given) => Promise<Row[]> {
  const statementFor = memoize((key: Key) => prepared((query: Kysely<Tables>, ...values: Given) => build(query, key, ...values)))
  return (database, key, ...given) => statementFor(key)(database, ...given)
}

/**
 * A list among the values. PostgreSQL would think a plan for just as many items cheaper than one for any list, and plan anew each time, which takes longer than to run it:
 * what is selected, it does not count.
 */
const ARRAY_PARAMETER = /\$\d+::(\w+)\[\]/g

/** Lists of ids in one piece: pg would quote each of them. */
const toParameter = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => typeof item === 'number') ? `{${value.join()}}` : value

function statementOf<Tables, Given extends readonly unknown[], Row>(
  build: (database: Kysely<Tables>, ...given: Given) => CompiledQuery<Row>,
  database: Kysely<Tables>,
  count: number,
) {
  // Nothing looks into a parameter before it is sent.
  const placeholders = Array.from({ length: count }, () => ({}))
  const built = build(database, ...(placeholders as unknown as Given))
  const query = { ...built, sql: built.sql.replaceAll(ARRAY_PARAMETER, '(SELECT $&)::$1[]') }
  registerStatement(query.sql)
  const parameters = query.parameters.map((parameter) => {
    const place = placeholders.indexOf(parameter as object)
    return place === -1 ? () => parameter : (given: Given) => toParameter(given[place])
  })
  return { query, parameters }
}
