import { type Connection, openDatabase } from '../../runtime/database.ts'
import { Refusal } from '../../runtime/refusal.ts'
import { SCOPES } from '../access/scopes.ts'
import type { Tables } from '../tables.ts'
import { type App, appProblems, scopesIn } from './app.ts'
import { appRepository } from './repository.ts'
import { newAppCode, newAppSecret } from './secret.ts'

/** What an operator does with apps that every store can use. */
export type Apps = {
  /** Registers an app; `clientSecret` is null for a public one. Throws a `Refusal` for what is not permitted. */
  readonly create: (app: {
    readonly name: string
    readonly redirectUris: readonly string[]
    /** All that there are when null. */
    readonly scopes: readonly string[] | null
    readonly isPublic: boolean
  }) => Promise<{ readonly clientId: string; readonly clientSecret: string | null }>
  /** All of them, oldest first. */
  readonly list: () => Promise<readonly App[]>
}

/** Runs `work` on the apps of a database that is migrated. */
export async function withApps<Result>(connection: Connection, work: (apps: Apps) => Promise<Result>): Promise<Result> {
  const database = openDatabase<Tables>(connection, { schema: 'store', max: 1, onError: () => {} })
  const apps = appRepository(database.query)
  try {
    return await work({
      async create({ name, redirectUris, scopes, isPublic }) {
        const [wrong] = appProblems({ name, redirectUris, scopes: scopes ?? SCOPES })
        if (wrong) throw new Refusal(spokenAsOption(wrong.message))
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
