import { hash } from 'node:crypto'
import type { CompiledQuery, Kysely } from 'kysely'

/** The names of the statements that connections prepare, by their texts. */
const names = new Map<string, string>()

/** The name under which a connection prepares this text; undefined for one that it does not prepare. */
export const preparedName = (text: string): string | undefined => names.get(text)

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
    built ??= statementOf(build, database)
    const { query, parameters } = built
    const { rows } = await database.executeQuery<Row>({ ...query, parameters: parameters.map((valueIn) => valueIn(given)) })
    return rows
  }
}

/** Lists of ids in one piece: pg would quote each of them. */
const sent = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => typeof item === 'number') ? `{${value.join()}}` : value

function statementOf<Tables, Given extends readonly unknown[], Row>(
  build: (database: Kysely<Tables>, ...given: Given) => CompiledQuery<Row>,
  database: Kysely<Tables>,
) {
  // Nothing looks into a parameter before it is sent.
  const placeholders = Array.from({ length: build.length - 1 }, () => ({}))
  const query = build(database, ...(placeholders as unknown as Given))
  names.set(query.sql, `atrium_${hash('sha256', query.sql, 'base64url').slice(0, 22)}`)
  const parameters = query.parameters.map((parameter) => {
    const place = placeholders.indexOf(parameter as object)
    return place === -1 ? () => parameter : (given: Given) => sent(given[place])
  })
  return { query, parameters }
}
