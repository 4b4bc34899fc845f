import { unauthenticated } from '../../platform/graphql/errors.ts'
import type { Context } from './context.ts'

type Mutations = Readonly<Record<string, unknown>>
type Resolver = (parent: unknown, given: unknown, context: Context, ...rest: unknown[]) => unknown

/**
 * Mutations of an operation, run one after the other: the answer of each has the state after its
 * write. A caller who was deleted in between gets UNAUTHENTICATED.
 */
export const withFreshContext = <Fields extends Mutations>(fields: Fields): Fields =>
  // The same names, each with a function of the same type.
  Object.fromEntries(Object.entries(fields).map(([name, resolve]) => [name, renewAfter(resolve as Resolver)])) as Fields

const renewAfter =
  (resolve: Resolver): Resolver =>
  async (parent, given, context, ...rest) => {
    try {
      return await resolve(parent, given, context, ...rest)
    } catch (error) {
      throw isWithoutAuthor(error) ? unauthenticated('Expected a user who has not been deleted.') : error
    } finally {
      context.renew()
    }
  }

/** Whether the author of the row does not exist: the author is always the caller. */
const isWithoutAuthor = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && /^\w+_author_id_fkey$/.test(String(error.constraint))
