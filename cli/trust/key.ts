import { Command, InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { decodeId, encodeId } from '../../subgraphs/toolkit/ids.ts'
import { PLANS, type Plan } from '../../subgraphs/trust/key/key.ts'
import type { ListedKey } from '../../subgraphs/trust/key/repository.ts'
import { newSecret } from '../../subgraphs/trust/key/secret.ts'
import { textUpTo, wholeNumber } from '../arguments.ts'
import { printable } from '../printable.ts'
import type { WithTrust } from './with-trust.ts'

const MAX_NAME_CHARACTERS = 100
/** Upper bound of a grace period: more than a year. */
const MAX_GRACE_HOURS = 9_999
const HOUR_MS = 3_600_000

export function keyCommand(withTrust: WithTrust): Command {
  return new Command('key')
    .description('create, list, rotate and revoke API keys')
    .addCommand(createCommand(withTrust))
    .addCommand(listCommand(withTrust))
    .addCommand(rotateCommand(withTrust))
    .addCommand(revokeCommand(withTrust))
}

type CreateOptions = { readonly plan: Plan; readonly name: string; readonly operator?: true; readonly json?: true }

function createCommand(withTrust: WithTrust): Command {
  return new Command('create')
    .description('create a key, and print it once')
    .addOption(new Option('--plan <plan>', 'free: 150 scans per calendar month').choices(PLANS).default('free'))
    .addOption(new Option('--name <name>', 'name of the owner').default('unnamed').argParser(textUpTo(MAX_NAME_CHARACTERS)))
    .option('--operator', 'the key may also change the lists that apply to all keys, and answer reports')
    .option('--json', 'print {key, id, name, plan, createdAt} on standard output')
    .action(async ({ plan, name, operator, json }: CreateOptions) => {
      const secret = newSecret()
      const role = operator ? 'operator' : 'caller'
      const { id, createdAt } = await withTrust(({ keys, now }) => keys.create({ name, plan, role, secret, at: now() }))
      if (json) console.log(JSON.stringify({ key: secret.text, id: encodeId('ApiKey', id), name, plan, createdAt }, null, 2))
      else
        console.log(
          `${secret.text}\n\nStore it now: it is saved as a hash and cannot be shown again. Send it as "X-API-Key" or "Authorization: Bearer".`,
        )
    })
}

function listCommand(withTrust: WithTrust): Command {
  return new Command('list')
    .description('list all keys, oldest first')
    .addOption(ownerOption('only those that this user made'))
    .option('--json', 'print [{id, name, plan, owner, hints, scans, createdAt, revokedAt}] on standard output')
    .action(async ({ owner, json }: { readonly owner?: string; readonly json?: true }) => {
      const keys = (await withTrust(({ keys: all, now }) => all.list(now(), owner ?? null))).map(shown)
      if (json) console.log(JSON.stringify(keys, null, 2))
      else for (const key of keys) console.log(lineOf(key))
    })
}

function rotateCommand(withTrust: WithTrust): Command {
  return new Command('rotate')
    .description('rotate the secret of a key; its scans, decisions and overrides remain')
    .argument('<id>', 'as `list` shows it')
    .addOption(
      new Option('--grace-hours <hours>', 'overlap during which the old secret remains valid')
        .default(0)
        .argParser(wholeNumber(0, MAX_GRACE_HOURS)),
    )
    .option('--json', 'print {key, id} on standard output')
    .action(async (id: string, { graceHours, json }: { readonly graceHours: number; readonly json?: true }) => {
      const secret = newSecret()
      const key = await withTrust(({ keys, now }) => {
        const at = now()
        return keys.rotate(rowOf(id), secret, { at, endsAt: new Date(at.getTime() + graceHours * HOUR_MS) })
      })
      if (!key) throw new OperatorError(`There is no active key with the id "${id}".`)
      console.log(json ? JSON.stringify({ key: secret.text, id }, null, 2) : secret.text)
    })
}

function revokeCommand(withTrust: WithTrust): Command {
  return new Command('revoke')
    .description('revoke a key, or all keys of a user, at once and permanently')
    .argument('[id]', 'as `list` shows it')
    .addOption(ownerOption('all keys in use that this user made, also after the user was deleted'))
    .action(async (id: string | undefined, { owner }: { readonly owner?: string }) => {
      if (owner !== undefined && id === undefined) {
        const revoked = await withTrust(({ keys, now }) => keys.revokeAllOf(owner, now()))
        console.log(`Keys revoked: ${revoked}.`)
        return
      }
      if (id === undefined || owner !== undefined) throw new OperatorError('Expected the id of a key or --owner.')
      const key = await withTrust(({ keys, now }) => keys.revoke(rowOf(id), now()))
      if (!key) throw new OperatorError(`There is no key with the id "${id}".`)
      console.log(`"${printable(key.name)}" is revoked.`)
    })
}

const ownerOption = (description: string): Option =>
  new Option('--owner <user>', `${description}: the user's id, as \`user list --json\` shows it`).argParser((text) => {
    if (decodeId(text, 'User') === null) throw new InvalidArgumentError('Expected the id of a user.')
    return text
  })

function rowOf(id: string): string {
  const row = decodeId(id, 'ApiKey')
  if (row === null) throw new OperatorError(`Expected the id of a key as \`atrium trust key list\` shows it, got "${id}".`)
  return row
}

const shown = ({ id, name, plan, ownerId, hints, scans, createdAt, revokedAt }: ListedKey) => ({
  id: encodeId('ApiKey', id),
  name,
  plan,
  owner: ownerId,
  hints,
  scans,
  createdAt,
  revokedAt,
})

const lineOf = ({ id, name, plan, hints, scans, revokedAt }: ReturnType<typeof shown>): string =>
  [
    id.padEnd(14),
    plan.padEnd(9),
    revokedAt ? 'revoked'.padEnd(9) : `${hints[0] ?? ''}…`.padEnd(10),
    `${scans} scans`.padEnd(12),
    printable(name),
  ].join('  ')
