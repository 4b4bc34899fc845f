import type { CompiledQuery, Kysely } from 'kysely'
import { memoize } from '../collections/memoize.ts'
import { batchStatements } from './batch-statements.ts'
import { registerStatement } from './statement-names.ts'

/**
 * A frequent statement: built once per process and prepared once per connection, so that afterwards
 * only its values are sent. `build` gets a placeholder per value and may only pass it on as a
 * parameter. PostgreSQL may switch to one generic plan for all values: use it where one plan suits
 * all of them, such as reads by id.
 */
export function prepared<Tables, Values extends readonly unknown[], Row>(
  build: (database: Kysely<Tables>, ...values: Values) => CompiledQuery<Row>,
): (database: Kysely<Tables>, ...values: Values) => Promise<Row[]> {
  let built: ReturnType<typeof buildStatement<Tables, Values, Row>> | null = null

  return async (database, ...values) => {
    built ??= buildStatement(build, database, values.length)
    const { query, parameters } = built
    const statement: CompiledQuery<Row> = { ...query, parameters: parameters.map((read) => read(values)) }
    const { rows } = await batchStatements(database, statement)
    return rows
  }
}

/** `prepared` for statements that differ in one key of few values: one statement per key. */
export function preparedPer<Tables, Key, Values extends readonly unknown[], Row>(
  build: (database: Kysely<Tables>, key: Key, ...values: Values) => CompiledQuery<Row>,
): (database: Kysely<Tables>, key: Key, ...values: Values) => Promise<Row[]> {
  const statementFor = memoize((key: Key) => prepared((query: Kysely<Tables>, ...values: Values) => build(query, key, ...values)))
  return (database, key, ...values) => statementFor(key)(database, ...values)
}

/**
 * An array among the parameters. PostgreSQL would rate a plan for that exact length cheaper than
 * the generic one and plan anew each time, which takes longer than the statement. It does not look
 * into a subselect.
 */
const ARRAY_PARAMETER = /\$\d+::(\w+)\[\]/g

/** Arrays of numeric ids as one text: pg would quote each item. */
const toParameter = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => typeof item === 'number') ? `{${value.join()}}` : value

function buildStatement<Tables, Values extends readonly unknown[], Row>(
  build: (database: Kysely<Tables>, ...values: Values) => CompiledQuery<Row>,
  database: Kysely<Tables>,
  count: number,
) {
  const placeholders = Array.from({ length: count }, () => ({}))
  // The cast is safe: `build` passes the placeholders on without reading them.
  const built = build(database, ...(placeholders as unknown as Values))
  const query = { ...built, sql: built.sql.replaceAll(ARRAY_PARAMETER, '(SELECT $&)::$1[]') }
  registerStatement(query.sql)
  const parameters = query.parameters.map((parameter) => {
    // A parameter that is no object is no placeholder: indexOf answers -1.
    const index = placeholders.indexOf(parameter as object)
    return index === -1 ? () => parameter : (values: Values) => toParameter(values[index])
  })
  return { query, parameters }
}
