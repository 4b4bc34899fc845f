import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { SCOPES } from '../access/scopes.ts'
import { type App, appProblems, scopesIn } from '../app/app.ts'
import { appRepository } from '../app/repository.ts'
import { newAppCode, newAppSecret } from '../app/secret.ts'
import { type AppPlan, planProblems } from '../app-subscription/app-subscription.ts'
import { appSubscriptionRepository } from '../app-subscription/repository.ts'
import type { Tables } from '../tables.ts'

/** What an operator does with apps that every store can use. */
export type Apps = {
  /**
   * Registers an app; `clientSecret` is null for a public one. Throws an `OperatorError` for
   * invalid input.
   */
  readonly create: (app: {
    readonly name: string
    readonly redirectUris: readonly string[]
    /** All that there are when null. */
    readonly scopes: readonly string[] | null
    readonly isPublic: boolean
  }) => Promise<{ readonly clientId: string; readonly clientSecret: string | null }>
  /** All of them, oldest first. */
  readonly list: () => Promise<readonly App[]>
  /** Plans of an app. Throws an `OperatorError` for an unknown code. */
  readonly plansOf: (code: string) => Promise<readonly AppPlan[]>
  /**
   * Replaces the plans of an app; subscriptions keep theirs. Throws an `OperatorError` for invalid
   * input.
   */
  readonly setPlans: (code: string, plans: readonly AppPlan[]) => Promise<void>
}

/** Runs `work` on the apps of a database that is migrated. */
export async function withApps<Result>(connection: Connection, work: (apps: Apps) => Promise<Result>): Promise<Result> {
  const database = openDatabase<Tables>(connection, { schema: 'store', max: 1, onError: () => {} })
  const apps = appRepository(database.query)
  const subscriptions = appSubscriptionRepository(database.query)
  const rowOf = async (code: string): Promise<number> => {
    const app = await apps.byCode(code)
    if (!app || app.storeId !== null)
      throw new OperatorError(`There is no app that every store can use with the client_id "${code}".`)
    return app.id
  }
  try {
    return await work({
      async create({ name, redirectUris, scopes, isPublic }) {
        const [wrong] = appProblems({ name, redirectUris, scopes: scopes ?? SCOPES })
        if (wrong) throw new OperatorError(spokenAsOption(wrong.message))
        const secret = isPublic ? null : newAppSecret()
        const code = newAppCode()
        await apps.insert({
          storeId: null,
          code,
          name: name.trim(),
          redirectUris,
          scopes: scopesIn(scopes ?? SCOPES),
          secretHash: secret?.hash ?? null,
          at: new Date(),
        })
        return { clientId: code, clientSecret: secret?.text ?? null }
      },
      list: () => apps.list(null),
      plansOf: async (code) => subscriptions.plansOf([await rowOf(code)]),
      async setPlans(code, plans) {
        const [wrong] = planProblems(plans)
        if (wrong)
          throw new OperatorError(wrong.message.replace(/"plans\.(\d+)\.(\w+)"/, '$2 of --plan').replace('"plans"', '--plan'))
        const id = await rowOf(code)
        await database.query.transaction().execute((query) => appSubscriptionRepository(query).setPlans(id, plans))
      },
    })
  } finally {
    await database.close()
  }
}

/** A problem with a field as one with the option that gave it. */
const spokenAsOption = (message: string): string =>
  message
    .replace('"name"', '--name')
    .replace(/"redirectUris[.\d]*"/, '--redirect')
    .replace(/"scopes[.\d]*"/, '--scopes')
