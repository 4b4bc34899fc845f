import { unauthenticated } from '../../platform/graphql/errors.ts'
import type { Context } from './context.ts'

type Mutations = Readonly<Record<string, unknown>>
type Resolver = (parent: unknown, given: unknown, context: Context, ...rest: unknown[]) => unknown

/**
 * Mutations as an operation runs them, one after the other: each is answered, and followed, by what
 * is so once it has written. One that finds that who asks was deleted meanwhile throws
 * UNAUTHENTICATED.
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

/** Whether what was to be written refers to an author who is not there: that is always who asks. */
const isWithoutAuthor = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && /^\w+_author_id_fkey$/.test(String(error.constraint))
