import { text } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { migrate } from '../database/migrate.ts'
import { opaqueId } from '../subgraphs/runtime/id.ts'
import { Refusal } from '../subgraphs/runtime/refusal.ts'
import { type Accounts, withAccounts } from '../subgraphs/social/user/accounts.ts'
import { ROLES, type Role, type User } from '../subgraphs/social/user/user.ts'
import { withDatabase } from './database.ts'

type Password = { readonly password?: string; readonly passwordStdin?: true }
type Create = Password & {
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly phoneNumber?: string
  readonly json?: true
}

/** `atrium user`: what no stranger may do over the network, such as making the first administrator. */
export function userCommand(): Command {
  return new Command('user')
    .description('look after the people of this graph; it may run meanwhile')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(passwordCommand())
}

function createCommand(): Command {
  return withPassword(new Command('create').description('make a user, of any role'))
    .requiredOption('--email <address>', 'address to sign in with')
    .requiredOption('--name <name>', 'the name that others see')
    .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).default('USER'))
    .option('--phone-number <number>', 'E.164, such as +4915112345678')
    .option('--json', 'print {id, email, name, role, createdAt} on standard output')
    .action(async ({ json, email, name, role, phoneNumber, ...given }: Create) => {
      const password = await passwordIn(given)
      const outcome = await onAccounts((accounts) => accounts.create({ email, name, role, phoneNumber, password }))
      if ('problems' in outcome) throw new Refusal(outcome.problems.map(({ message }) => message).join('\n'))
      const { user } = outcome
      if (json) console.log(JSON.stringify(shown(user), null, 2))
      else
        console.log(
          `Created ${user.role} ${user.email}.${password === undefined ? ' Without a password nobody can sign in.' : ''}`,
        )
    })
}

function listCommand(): Command {
  return new Command('list')
    .description('list all users, first signed up first')
    .option('--json', 'print [{id, email, name, role, createdAt}] on standard output')
    .action(async ({ json }: { readonly json?: true }) => {
      const users = (await onAccounts((accounts) => accounts.list())).map(shown)
      if (json) console.log(JSON.stringify(users, null, 2))
      else for (const { role, email, name } of users) console.log(`${role.padEnd(9)}  ${email}  ${name}`)
    })
}

function passwordCommand(): Command {
  return withPassword(new Command('password').description('set the password of a user, and end every session'))
    .requiredOption('--email <address>', 'address of the user')
    .option('--json', 'print {id, email, name, role, createdAt} on standard output')
    .action(async ({ json, email, ...given }: Password & { readonly email: string; readonly json?: true }) => {
      const password = await passwordIn(given)
      if (password === undefined) throw new Refusal('Expected --password-stdin or --password.')
      const outcome = await onAccounts((accounts) => accounts.setPassword(email, password))
      if ('problems' in outcome) throw new Refusal(outcome.problems.map(({ message }) => message).join('\n'))
      console.log(
        json ? JSON.stringify(shown(outcome.user), null, 2) : `${outcome.user.email} has a new password and no session.`,
      )
    })
}

const withPassword = (command: Command): Command =>
  command
    .addOption(
      new Option('--password <password>', 'seen by whoever lists the processes of this machine').conflicts('passwordStdin'),
    )
    .option('--password-stdin', 'read the password from standard input, up to the end or a line break')

const passwordIn = async ({ password, passwordStdin }: Password): Promise<string | undefined> =>
  passwordStdin ? (await text(process.stdin)).split(/\r?\n/, 1)[0] : password

const onAccounts = <Result>(work: (accounts: Accounts) => Promise<Result>): Promise<Result> =>
  withDatabase(async ({ connection }) => {
    await migrate(connection)
    return withAccounts(connection, work)
  })

const shown = ({ id, email, name, role, createdAt }: User) => ({ id: opaqueId('User', id), email, name, role, createdAt })
