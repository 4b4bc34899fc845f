import { text } from 'node:stream/consumers'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { configuredCipher, STORED_SECRETS, withSecrets } from '../composition/stored-secrets.ts'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import type { Connection } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { SecretCipher } from '../platform/secrets/cipher.ts'
import { reencrypt } from '../platform/secrets/stored.ts'
import { wholeNumber } from './arguments.ts'
import { storedSecretsCipher, withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'
import { progressOn } from './progress.ts'
import { ENVIRONMENT_SECRETS, rotateInFile, type Step } from './secrets/env-file.ts'
import { rotateDatabaseCommand } from './secrets/rotate-database.ts'
import { rotateS3Command } from './secrets/rotate-s3.ts'
import { reportOf, reportText, statusOf } from './secrets/status.ts'

/** Longer than the 5 minutes for which caches keep `/.well-known/jwks.json`. */
const DEFAULT_OVERLAP_MINUTES = 6
/** Same default as the rotation that a store owner starts. */
const DEFAULT_OVERLAP_HOURS = 24
const MAX_OVERLAP_HOURS = 168

type Output = { readonly json?: true }

/** `atrium secrets`: procedures are in docs/secrets.md. */
export function secretsCommand(): Command {
  return new Command('secrets')
    .summary('show, encrypt and rotate secrets')
    .description('show, encrypt and rotate secrets; the server may be running')
    .addCommand(generateCommand())
    .addCommand(statusCommand())
    .addCommand(reencryptCommand())
    .addCommand(sealCommand())
    .addCommand(checkS3Command())
    .addCommand(rotateCommand())
    .addCommand(emergencyCommand())
}

function generateCommand(): Command {
  const names = ENVIRONMENT_SECRETS.map(({ name }) => name)
  return new Command('generate')
    .description('print a new random secret for the environment; changes nothing')
    .addArgument(new Argument('[name]', 'purpose of the secret').choices(names).default('secrets-key'))
    .action((name: string) => console.log(ENVIRONMENT_SECRETS.find((each) => each.name === name)?.generate()))
}

function statusCommand(): Command {
  return new Command('status')
    .description('show stored secrets by encryption key, and the age of keys; exits 1 when a secret cannot be decrypted')
    .option('--json', 'print {secretsKeys, stored, signingKeys, environment} on standard output')
    .action(async ({ json }: Output) => {
      const report = await withDatabase(async ({ connection }) => {
        await migrate(connection)
        return reportOf(connection, readConfig(variables, process.env))
      })
      console.log(json ? JSON.stringify(report, null, 2) : reportText(report, new Date()))
      if (report.stored.some(({ unknown }) => unknown > 0)) process.exitCode = 1
    })
}

function reencryptCommand(): Command {
  return new Command('reencrypt')
    .description(
      'encrypt secrets that are stored plain or under an older key with the first SECRETS_KEY; continues after an interruption',
    )
    .option('--json', 'print {changed, unreadable} on standard output')
    .action(async ({ json }: Output) => {
      const progress = progressOn(process.stderr)
      await interruptible('Interrupted: completed rows stay encrypted; the next run continues.', async (signal) => {
        const total = { changed: 0, unreadable: 0 }
        await withDatabase(async ({ connection }) => {
          await migrate(connection)
          const cipher = requiredCipher()
          await withSecrets(connection, async (database) => {
            for (const secret of STORED_SECRETS) {
              const show = (rows: number): void => progress.show({ phase: 'encrypting', done: rows, total: null })
              const { changed, unreadable } = await reencrypt(database, secret, cipher, { signal, progress: show })
              total.changed += changed
              total.unreadable += unreadable
            }
          })
        }).finally(progress.clear)
        console.log(json ? JSON.stringify(total, null, 2) : `Encrypted ${total.changed} rows.`)
        if (total.unreadable > 0) {
          console.error(
            `${total.unreadable} rows cannot be decrypted: \`atrium secrets status\` lists the keys missing from SECRETS_KEY.`,
          )
          process.exitCode = 1
        }
      })
    })
}

function sealCommand(): Command {
  return new Command('seal')
    .description('encrypt the S3_SECRET_ACCESS_KEY on standard input with SECRETS_KEY, for shared configuration files')
    .action(async () => {
      const { S3_SECRET_PLACE } = await import('../subgraphs/store/file/s3-credentials.ts')
      const secret = (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? ''
      if (secret === '') throw new OperatorError('Expected the secret on standard input.')
      console.log(requiredCipher().encrypt(S3_SECRET_PLACE, secret))
    })
}

function checkS3Command(): Command {
  return new Command('check-s3')
    .description('check the S3 access key: write, read and delete a file in the configured bucket')
    .action(async () => {
      const { checkStorage } = await import('./secrets/s3.ts')
      await checkStorage(readConfig(variables, process.env))
      console.log('The access key can write, read and delete.')
    })
}

function rotateCommand(): Command {
  const rotate = new Command('rotate')
    .description('rotate a secret with overlap: the previous one remains valid')
    .addCommand(userKeysCommand())
  rotate.addCommand(hooksTokenCommand())
  for (const { name } of ENVIRONMENT_SECRETS) rotate.addCommand(environmentCommand(name))
  rotate.addCommand(rotateDatabaseCommand()).addCommand(rotateS3Command())
  return rotate
}

function userKeysCommand(): Command {
  return new Command('user-keys')
    .description(
      'create a signing key for user tokens; previous keys sign until it starts and verify until their last token expires',
    )
    .option(
      '--overlap-minutes <n>',
      'time from which the new key signs; before that it is only published',
      wholeNumber(0, 1_440),
      DEFAULT_OVERLAP_MINUTES,
    )
    .option('--json', 'print {kid, retired, signsAt} on standard output')
    .action(async ({ overlapMinutes, json }: Output & { readonly overlapMinutes: number }) => {
      const { withSigningKeys } = await import('../subgraphs/social/session/operator.ts')
      const rotated = await onSecrets((connection, cipher) =>
        withSigningKeys(connection, cipher, (keys) => keys.rotate(overlapMinutes * 60_000)),
      )
      if (json) console.log(JSON.stringify(rotated, null, 2))
      else
        console.log(
          `The key ${rotated.kid} signs from ${rotated.signsAt.toISOString()} on; tokens of previous keys remain valid until they expire.`,
        )
    })
}

function hooksTokenCommand(): Command {
  return new Command('hooks-token')
    .description('replace the webhook token of a store; its owner finds it in the console, or as hooks_token of the API')
    .requiredOption('--store <code>', 'of the store, as `store list` shows it')
    .option(
      '--overlap-hours <n>',
      'overlap during which the previous token also signs, in a separate header',
      wholeNumber(0, MAX_OVERLAP_HOURS),
      DEFAULT_OVERLAP_HOURS,
    )
    .option('--json', 'print {store, previousUntil} on standard output')
    .action(async ({ store, overlapHours, json }: Output & { readonly store: string; readonly overlapHours: number }) => {
      const { withStores } = await import('../subgraphs/store/operator/stores.ts')
      const previousUntil = await onSecrets((connection, cipher) =>
        withStores(connection, (stores) => stores.rotateHooksToken(store, overlapHours), cipher),
      )
      if (json) console.log(JSON.stringify({ store, previousUntil }, null, 2))
      else
        console.log(
          `"${store}" has a new hooks token. ${previousUntil ? `The previous one also signs until ${previousUntil.toISOString()}.` : 'The previous one is invalid.'}`,
        )
    })
}

type InFile = { readonly envFile: string; readonly promote?: true; readonly finish?: true }

/** Rotates a secret that is stored in the environment file and not in the database. */
function environmentCommand(name: string): Command {
  const secret = ENVIRONMENT_SECRETS.find((each) => each.name === name)
  if (!secret) throw new InvalidArgumentError(`There is no secret "${name}".`)
  const command = new Command(name)
    .description(`rotate ${secret.variable} in a file of NAME=value lines; processes use it after a restart with that file`)
    .requiredOption('--env-file <file>', 'the file, which is replaced as a whole')
  if (secret.second !== null) {
    command
      .option('--promote', 'second step, when every process knows the new value: start using it')
      .option('--finish', 'last step, when every process uses the new value: remove the previous one')
      .addHelpText('after', '\nWithout --promote and --finish, the first step: add a new value without using it.')
  }
  return command.action(async ({ envFile, promote, finish }: InFile) => {
    if (promote && finish) command.error('error: expected one of --promote and --finish', { exitCode: 2 })
    const step: Step = promote ? 'promote' : finish ? 'finish' : 'add'
    if (name === 'secrets-key' && step === 'finish') await refuseOlderRows()
    rotateInFile(envFile, secret, step)
    console.log(secret.second === null ? REPLACED : NEXT[step](name, envFile))
  })
}

const REPLACED = 'Written. Restart every process with this file; until then the previous value applies.'

const NEXT: Readonly<Record<Step, (name: string, file: string) => string>> = {
  add: (name, file) =>
    `Written. Restart every process with this file, one after the other; then: npx atrium secrets rotate ${name} --env-file ${file} --promote`,
  promote: (name, file) =>
    `Written. Restart every process with this file, one after the other${name === 'secrets-key' ? ', and run: npx atrium secrets reencrypt' : ''}; then: npx atrium secrets rotate ${name} --env-file ${file} --finish`,
  finish: () => 'Written. Restart every process with this file, one after the other; then the previous value is invalid.',
}

/** Refuses to remove an encryption key while rows are still encrypted with it. */
async function refuseOlderRows(): Promise<void> {
  const older = await withDatabase(async ({ connection }) => {
    await migrate(connection)
    const stored = await statusOf(connection, requiredCipher())
    return stored.reduce((sum, { plain, older, unknown }) => sum + plain + older + unknown, 0)
  })
  if (older > 0)
    throw new OperatorError(
      `Expected everything to be encrypted under the first SECRETS_KEY, but ${older} rows are not: run \`atrium secrets reencrypt\`.`,
    )
}

type Emergency = Output & { readonly yes?: true; readonly apps?: true; readonly hooksTokens?: true }

function emergencyCommand(): Command {
  const command = new Command('emergency')
    .description('after a leak: delete every signing key of user tokens and end every session of users and the console at once')
    .option('--yes', 'confirm: all users must sign in again')
    .option('--apps', 'also revoke all grants of apps: each store must grant access again')
    .option('--hooks-tokens', 'also replace the hooks token of every store without overlap: receivers must use the new one')
    .option('--json', 'print the result on standard output')
  return command.action(async ({ yes, apps, hooksTokens, json }: Emergency) => {
    if (!yes) command.error('error: expected --yes: all users must sign in again', { exitCode: 2 })
    const [{ withSigningKeys }, { withStores }] = [
      await import('../subgraphs/social/session/operator.ts'),
      await import('../subgraphs/store/operator/stores.ts'),
    ]
    const report = await onSecrets(async (connection, cipher) => {
      const { keysDropped, sessionsEnded, kid } = await withSigningKeys(connection, cipher, (keys) => keys.emergency())
      const inStores = await withStores(
        connection,
        async (stores) => {
          const ended = await stores.endSignIns({ apps: apps === true })
          const codes = hooksTokens ? (await stores.list()).map(({ code }) => code) : []
          for (const code of codes) await stores.rotateHooksToken(code, 0)
          return { ...ended, hooksTokensReplaced: codes.length }
        },
        cipher,
      )
      return { kid, keysDropped, sessionsEnded, ...inStores }
    })
    if (json) return console.log(JSON.stringify(report, null, 2))
    const { kid, keysDropped, sessionsEnded, consoleSessions, signIns, consents, hooksTokensReplaced } = report
    console.log(
      [
        `Deleted ${keysDropped} keys of user tokens; ${kid} signs from now on.`,
        `Ended ${sessionsEnded} sessions of users, ${consoleSessions} sessions of the console, and ${signIns} pending consent sign-ins.`,
        `Revoked ${consents} grants of apps, and replaced ${hooksTokensReplaced} hooks tokens.`,
        'Running processes apply this within 5 seconds. External verifiers of user tokens may cache the old keys for 5 minutes.',
        'Secrets of the environment are unchanged: docs/secrets.md describes how to rotate those that may have leaked, too.',
      ].join('\n'),
    )
  })
}

/** The configured cipher. Throws an `OperatorError` when no secrets key is set. */
function requiredCipher(): SecretCipher {
  const cipher = configuredCipher(readConfig(variables, process.env))
  if (cipher.keyIds.length === 0) throw new OperatorError('Expected SECRETS_KEY or SECRETS_KEY_FILE to be set.')
  return cipher
}

/** Runs `work` on the migrated database, with a cipher that decrypts every stored secret. */
const onSecrets = <Result>(work: (connection: Connection, cipher: SecretCipher) => Promise<Result>): Promise<Result> =>
  withDatabase(async ({ connection }) => {
    await migrate(connection)
    return work(connection, await storedSecretsCipher(connection))
  })
