import pg from 'pg'
import { vi } from 'vitest'

/** How the store calls its connections. */
const APPLICATION = 'atrium store'
/**
 * What comes by the clock and not by an operation: who asks is judged anew after a second; events,
 * what is old, and carts, payments, imports and sessions that are due, are looked after in the background.
 */
const BY_THE_CLOCK =
  /"credential"\."token_hash"|"app_token"\."hash"|\bevent_(?:listener|position|process|topic)\b|\bFROM event\b|LISTEN|\bFROM file WHERE|\bcreated_at < |\bFROM cart WHERE updated_at < |from "cart" where (?:"status" = \$ and "abandoned_order_id" is null|"pay_until" <)|from "payment" where "updated_at" < |DELETE FROM "?customer_account|UPDATE store_import SET status = 'RUNNING'|DELETE FROM store_import/i

/**
 * Hears the SQL statements of the store's operations in this process, from now on until it is
 * stopped.
 */
export function watchStatements(): {
  /**
   * In the order in which they began; parameters without their numbers, and a list of them as one.
   */
  readonly texts: () => readonly string[]
  readonly stop: () => void
} {
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  const isOfStore = (client: unknown): boolean =>
    Reflect.get(Object(Reflect.get(Object(client), 'connectionParameters')), 'application_name') === APPLICATION
  return {
    texts: () =>
      queries.mock.calls
        .filter((_, index) => isOfStore(queries.mock.contexts[index]))
        .map(textOf)
        .filter((text) => !BY_THE_CLOCK.test(text)),
    stop: () => queries.mockRestore(),
  }
}

function textOf([statement]: readonly unknown[]): string {
  const text = typeof statement === 'string' ? statement : String(Reflect.get(Object(statement), 'text'))
  return text.replaceAll(/\$\d+(?:, \$\d+)*/g, '$')
}
