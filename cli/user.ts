import { text } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { migrate } from '../platform/database/migrate.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { type Accounts, withAccounts } from '../subgraphs/social/user/accounts.ts'
import { ROLES, type Role, type User } from '../subgraphs/social/user/user.ts'
import { decodeId, encodeId } from '../subgraphs/toolkit/ids.ts'
import { withKeys } from '../subgraphs/trust/key/repository.ts'
import { withDatabase } from './database.ts'
import { printable } from './printable.ts'
import { canPrompt, promptSecret } from './prompt.ts'

type Password = { readonly password?: string; readonly passwordStdin?: true }
type SetPassword = Password & { readonly email: string; readonly json?: true }
type Create = Password & {
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly phoneNumber?: string
  readonly json?: true
}

/**
 * `atrium user`: user management that needs access to the machine, such as the first administrator.
 */
export function userCommand(): Command {
  return new Command('user')
    .summary('users and their passwords')
    .description('manage users; the server may be running')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(passwordCommand())
    .addCommand(exportCommand())
    .addCommand(eraseCommand())
}

function createCommand(): Command {
  return withPassword(new Command('create').description('create a user with any role'))
    .requiredOption('--email <address>', 'e-mail address for signing in')
    .requiredOption('--name <name>', 'display name')
    .addOption(new Option('--role <role>', 'role of the user').choices(ROLES).default('USER'))
    .option('--phone-number <number>', 'E.164, such as +4915112345678')
    .option('--json', 'print {id, email, name, role, createdAt} on standard output')
    .action(async ({ json, email, name, role, phoneNumber, ...given }: Create) => {
      const password = await passwordIn(given)
      const result = await onAccounts((accounts) => accounts.create({ email, name, role, phoneNumber, password }))
      if ('problems' in result) throw new OperatorError(result.problems.map(({ message }) => message).join('\n'))
      const { user } = result
      if (json) console.log(JSON.stringify(shown(user), null, 2))
      else
        console.log(
          `Created ${user.role} ${user.email}.${password === undefined ? ` Without a password the user cannot sign in: set one with npx atrium user password --email ${user.email} --password-stdin.` : ''}`,
        )
    })
}

function listCommand(): Command {
  return new Command('list')
    .description('list all users, in the order of sign-up')
    .option('--json', 'print [{id, email, name, role, createdAt}] on standard output')
    .action(async ({ json }: { readonly json?: true }) => {
      const users = (await onAccounts((accounts) => accounts.list())).map(shown)
      if (json) console.log(JSON.stringify(users, null, 2))
      else for (const { role, email, name } of users) console.log(printable(`${role.padEnd(9)}  ${email}  ${name}`))
    })
}

function passwordCommand(): Command {
  return withPassword(new Command('password').description('set the password of a user, and end every session'))
    .requiredOption('--email <address>', 'address of the user')
    .option('--json', 'print {id, email, name, role, createdAt} on standard output')
    .action(async ({ json, email, ...given }: SetPassword, command: Command) => {
      const password = await passwordIn(given)
      if (password === undefined) return command.error('error: expected --password-stdin or --password', { exitCode: 2 })
      const executed = await onAccounts((accounts) => accounts.setPassword(email, password))
      if ('problems' in executed) throw new OperatorError(executed.problems.map(({ message }) => message).join('\n'))
      console.log(
        json ? JSON.stringify(shown(executed.user), null, 2) : `${executed.user.email} has a new password; all sessions ended.`,
      )
    })
}

function exportCommand(): Command {
  return new Command('export')
    .description('export all data of a user into one file; the server may be running')
    .argument('<id>', 'of the user, as `list --json` shows it')
    .argument('<file>', 'a file that does not exist yet, such as ann.tar.gz')
    .option('--json', 'print {file, rows, files, bytes} on standard output')
    .addHelpText(
      'after',
      `
A compressed tar archive of JSON lines: profile, texts, collections, rooms and sessions of the user, the codes of the stores that it owns, its roles and invitations in others, the stores that send it e-mails about low stock, and what it changed in them by their audit logs. \`store export\` exports a store.`,
    )
    .action(async (id: string, file: string, { json }: { readonly json?: true }) => {
      const row = await userRow(id)
      const { columnsOf, ownedRows, runExport } = await import('./export.ts')
      await runExport({
        file,
        json,
        files: null,
        selections: async (client) => [
          { name: 'user', query: `SELECT ${await columnsOf(client, 'social', 'user')} FROM social."user" WHERE id = ${row}` },
          ...(await ownedRows(client, 'social', 'author_id', row)),
          {
            name: 'item_collection_entry',
            query: `SELECT entry.* FROM social.item_collection_entry AS entry JOIN social.item_collection AS own ON own.id = entry.collection_id
              WHERE own.author_id = ${row} ORDER BY entry.collection_id, entry.position`,
          },
          ...(await ownedRows(client, 'social', 'owner_id', row)),
          ...(await ownedRows(client, 'social', 'user_id', row)),
          {
            name: 'store',
            query: `SELECT code, name, created_at FROM store.store WHERE owner_id = '${encodeId('User', row)}' ORDER BY id`,
          },
          {
            name: 'staff_member',
            query: `SELECT store.code, member.role, member.email, member.low_stock_email, member.invited_at, member.expires_at, member.accepted_at
              FROM store.staff_member AS member JOIN store.store ON store.id = member.store_id
              WHERE member.user_id = '${encodeId('User', row)}'
                OR lower(member.email) = (SELECT lower(email) FROM social."user" WHERE id = ${row}) ORDER BY member.id`,
          },
          {
            // Its address in the membership of somebody else, of whom nothing is said.
            name: 'low_stock_email',
            query: `SELECT store.code, member.low_stock_email
              FROM store.staff_member AS member JOIN store.store ON store.id = member.store_id
              WHERE lower(member.low_stock_email) = (SELECT lower(email) FROM social."user" WHERE id = ${row})
                AND member.user_id IS DISTINCT FROM '${encodeId('User', row)}' ORDER BY member.id`,
          },
          {
            name: 'audit_entry',
            query: `SELECT store.code, entry.at, entry.role, entry.operation, entry.request_id, entry.noun, entry.object_id, entry.kind
              FROM store.audit_entry AS entry JOIN store.store ON store.id = entry.store_id
              WHERE entry.user_id = '${encodeId('User', row)}' ORDER BY entry.at, entry.id`,
          },
        ],
      })
    })
}

function eraseCommand(): Command {
  return new Command('erase')
    .description('delete a user with all texts, personal data and trust keys; its stores remain without an owner')
    .argument('<id>', 'of the user, as `list --json` shows it')
    .option('--customer', 'also erase customers of every store with the same e-mail address; orders keep their amounts and lines')
    .option('--json', 'print {id, stores, customers, orders, keys} on standard output')
    .action(async (id: string, { customer, json }: { readonly customer?: true; readonly json?: true }) => {
      const row = await userRow(id)
      const { withStores } = await import('../subgraphs/store/operator/stores.ts')
      const report = await withDatabase(async ({ connection }) => {
        const user = await withAccounts(connection, async (accounts) => {
          // Checked first, before stores are changed.
          if (await accounts.isLastAdministrator(row)) throw lastAdministrator(id)
          return (await accounts.list()).find((each) => each.id === row)
        })
        // Stores are changed before the user is deleted, so that a failed command can be repeated.
        const inStores = await withStores(connection, async (stores) => ({
          stores: await stores.disown(id, user?.email ?? null),
          ...(customer && user ? await stores.erase(user.email) : { customers: 0, orders: 0 }),
        }))
        const keys = await withKeys(connection, (all) => all.eraseOf(id))
        if ((await withAccounts(connection, (accounts) => accounts.erase(row))) === 'last administrator')
          throw lastAdministrator(id)
        return { ...inStores, keys }
      })
      const { stores, customers, orders, keys } = report
      if (json) console.log(JSON.stringify({ id, ...report }, null, 2))
      else
        console.log(
          `Erased ${id}: ${stores} stores have no owner now, ${customers} customers and ${keys} trust keys were deleted, and ${orders} orders were anonymized.`,
        )
    })
}

const lastAdministrator = (id: string): OperatorError =>
  new OperatorError(
    `The user with the id "${id}" is the last administrator: create another one first, with \`atrium user create --role ADMIN\` or \`updateUser\`.`,
  )

/** Database id for a node id. Throws an `OperatorError` for an unknown user. */
async function userRow(id: string): Promise<string> {
  const row = decodeId(id, 'User')
  if (row === null || !(await onAccounts((accounts) => accounts.exists(row)))) {
    throw new OperatorError(`There is no user with the id "${id}"; \`atrium user list --json\` shows them.`)
  }
  return row
}

const withPassword = (command: Command): Command =>
  command
    .addOption(new Option('--password <password>', 'visible in the process list of this machine').conflicts('passwordStdin'))
    .option('--password-stdin', 'read the password from standard input, up to the end or a line break')

/** Password from an option, standard input or a prompt; undefined when none was given. */
async function passwordIn({ password, passwordStdin }: Password): Promise<string | undefined> {
  if (passwordStdin) return (await text(process.stdin)).split(/\r?\n/, 1)[0]
  if (password !== undefined || !canPrompt()) return password
  const typed = await promptSecret('Password (nothing is shown while you type; empty for none): ')
  return typed === '' ? undefined : typed
}

const onAccounts = <Result>(work: (accounts: Accounts) => Promise<Result>): Promise<Result> =>
  withDatabase(async ({ connection }) => {
    await migrate(connection)
    return withAccounts(connection, work)
  })

const shown = ({ id, email, name, role, createdAt }: User) => ({ id: encodeId('User', id), email, name, role, createdAt })
