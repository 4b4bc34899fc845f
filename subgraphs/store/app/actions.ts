import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { type AppInput, appProblems, MAX_APPS, scopesIn } from './app.ts'
import { appRepository } from './repository.ts'
import { newAppCode, newAppSecret } from './secret.ts'

/**
 * Registers an app of the store. `sent` gets its secret, which is not stored; never for a public
 * app.
 */
export async function createApp(
  { query, storeId, now }: UnitOfWork,
  input: AppInput & { readonly isPublic?: boolean | null | undefined },
  delivered: (secret: string) => void,
) {
  const given = { name: input.name ?? '', redirectUris: input.redirectUris ?? [], scopes: input.scopes ?? [] }
  const problems = appProblems(given)
  if (problems.length > 0) return validationError(problems)

  const apps = appRepository(query)
  if ((await apps.countLocked(storeId)) >= MAX_APPS) {
    return validationError([{ field: 'input', message: `A store can have ${MAX_APPS} apps; delete one of them first.` }])
  }
  const secret = input.isPublic ? null : newAppSecret()
  const app = await apps.insert({
    storeId,
    code: newAppCode(),
    name: given.name.trim(),
    redirectUris: given.redirectUris,
    scopes: scopesIn(given.scopes),
    secretHash: secret?.hash ?? null,
    at: now,
  })
  if (secret) delivered(secret.text)
  return { __typename: 'CreateAppSuccess' as const, app }
}

/** Changes what the input has. */
export async function updateApp({ query, storeId, now }: UnitOfWork, id: string, input: AppInput & Versioned) {
  const problems = appProblems(input)
  if (problems.length > 0) return validationError(problems)

  const apps = appRepository(query)
  const before = await apps.lock(storeId, decodeId(id, 'App') ?? 0)
  if (!before) return notFoundError('app', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  await apps.update(
    {
      ...before,
      name: input.name?.trim() ?? before.name,
      redirectUris: input.redirectUris ?? before.redirectUris,
      scopes: input.scopes ? scopesIn(input.scopes) : before.scopes,
    },
    now,
  )
  return { __typename: 'UpdateAppSuccess' as const, app: before.id }
}

/** Gives an app a new secret, which is passed to `sent`. */
export async function resetAppSecret({ query, storeId, now }: UnitOfWork, id: string, sent: (secret: string) => void) {
  const apps = appRepository(query)
  const before = await apps.lock(storeId, decodeId(id, 'App') ?? 0)
  if (!before) return notFoundError('app', id)
  if (before.isPublic) return validationError([problem('id', 'an app that has a secret', id)])
  const secret = newAppSecret()
  await apps.setSecret(before.id, secret.hash, now)
  sent(secret.text)
  return { __typename: 'ResetAppSecretSuccess' as const, app: before.id }
}

/** Deletes an app, and everything that it was allowed. */
export async function deleteApp({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const apps = appRepository(query)
  const before = await apps.lock(storeId, decodeId(id, 'App') ?? 0)
  if (!before) return notFoundError('app', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await apps.delete(before.id)
  return { __typename: 'DeleteAppSuccess' as const, row: before.id }
}
