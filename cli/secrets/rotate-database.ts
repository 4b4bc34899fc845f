import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { variables } from '../../config.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { RotatedLoginRole } from '../../platform/database/login-roles.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { readVariable, writeVariables } from './env-file.ts'

type Options = {
  readonly envFile?: string
  readonly urlFile?: string
  readonly adminUrlFile?: string
  readonly finish?: true
  readonly endConnections?: true
  readonly emergency?: true
  readonly json?: true
}

/** `atrium secrets rotate database`: rotates the password of the database role. */
export function rotateDatabaseCommand(): Command {
  const command = new Command('database')
    .description(
      'give DATABASE_URL another role and password, while the role before can log in; without DATABASE_URL, the embedded database another password',
    )
    .option('--env-file <file>', 'the file that processes are started with: DATABASE_URL in it is replaced')
    .option('--url-file <file>', 'instead, write the new DATABASE_URL into this new file, readable by its owner; - prints it')
    .option(
      '--admin-url-file <file>',
      'URL of a role that may create and alter roles, unless the one of DATABASE_URL may; - reads standard input',
    )
    .option('--finish', 'the last step, when every process uses the new DATABASE_URL: the role before is locked')
    .option('--end-connections', 'with --finish: also while processes use the role before, whose connections end')
    .option('--emergency', 'the password has leaked: both steps at once; connections by any other password end')
    .option('--json', 'print {role, locked, connectionsEnded} on standard output')
    .addHelpText('after', '\nWithout --finish and --emergency, the first step: a new role can log in, and is not used yet.')
  return command.action(async (options: Options) => {
    const usage = usageFault(options)
    if (usage !== null) command.error(`error: ${usage}`, { exitCode: 2 })
    const url = currentUrl(options.envFile)
    const rotated = url === null ? await rotateEmbedded(options) : await rotate(url, options)
    // With `--url-file -` standard output has the URL, so the report goes to standard error.
    const print = options.urlFile === '-' ? console.error : console.log
    print(options.json ? JSON.stringify(rotated.report, null, 2) : rotated.text)
  })
}

function usageFault({ envFile, urlFile, adminUrlFile, finish, endConnections, emergency, json }: Options): string | null {
  if (finish && emergency) return 'expected one of --finish and --emergency'
  if (endConnections && !finish) return 'expected --end-connections with --finish only'
  if (envFile !== undefined && urlFile !== undefined) return 'expected one of --env-file and --url-file'
  if (finish && urlFile !== undefined) return 'expected --url-file without --finish: that makes no new DATABASE_URL'
  if (json && urlFile === '-') return 'expected --json or --url-file -, which both print on standard output'
  if (adminUrlFile === '') return 'expected --admin-url-file to name a file'
  return null
}

type Rotated = { readonly report: RotatedLoginRole; readonly text: string }

/** Configured DATABASE_URL; null: the embedded database is used. */
function currentUrl(envFile: string | undefined): string | null {
  if (envFile === undefined) return readConfig(variables, process.env).DATABASE_URL ?? null
  const url = readVariable(envFile, 'DATABASE_URL')
  if (url === null)
    throw new OperatorError('Expected the file to set DATABASE_URL; the embedded database is rotated without --env-file.')
  if (URL.canParse(url)) return url
  throw new OperatorError('Expected DATABASE_URL in the file to be a URL such as postgres://user:password@host:5432/database.')
}

async function rotate(url: string, options: Options): Promise<Rotated> {
  const { finishLoginRoleRotation, rotateLoginRole } = await import('../../platform/database/login-roles.ts')
  const { envFile, urlFile, emergency = false, endConnections = false } = options
  if (!options.finish && envFile === undefined && urlFile === undefined) {
    throw new OperatorError('Expected --env-file or --url-file, for the new DATABASE_URL.')
  }
  if (urlFile !== undefined && urlFile !== '-' && existsSync(urlFile)) {
    throw new OperatorError(`There is a file "${urlFile}" already; a URL is written over nothing.`)
  }
  const adminUrl = options.adminUrlFile === undefined ? null : await adminUrlIn(options.adminUrlFile)
  if (options.finish) {
    const report = await finishLoginRoleRotation({ url, adminUrl, endConnections })
    return { report, text: lockedText(report) }
  }
  const { isRotatedWith, withCredentials } = await import('../../platform/database/login-roles.ts')
  const save = (rotatedUrl: string): void => {
    if (urlFile === '-') console.log(rotatedUrl)
    else if (urlFile !== undefined) writeUrl(urlFile, rotatedUrl)
    else if (envFile !== undefined) {
      const { username, password } = new URL(rotatedUrl)
      const role = decodeURIComponent(username)
      const others = ['DATABASE_REPLICA_URL', 'DATABASE_POOLER_URL'].flatMap((name) => {
        const other = readVariable(envFile, name)
        const follows = other !== null && URL.canParse(other) && isRotatedWith(other, role)
        return follows ? [[name, withCredentials(other, role, password)] as const] : []
      })
      writeVariables(envFile, {
        DATABASE_URL: rotatedUrl,
        ...Object.fromEntries(others),
      })
    }
  }
  const report = await rotateLoginRole({ url, adminUrl, emergency, save })
  const next = envFile === undefined ? 'the new DATABASE_URL' : 'this file'
  const restart = `Restart every process with ${next}, one after the other`
  const finish = `npx atrium secrets rotate database --finish${envFile === undefined ? '' : ` --env-file ${envFile}`}`
  const text = emergency
    ? `The role "${report.role}" can log in. ${lockedText(report)} Restart every process with ${next} now: none of them has a password any more.`
    : `The role "${report.role}" can log in, read and write. ${restart}; then: ${finish}`
  const replica =
    envFile === undefined
      ? `${text}\nWhere DATABASE_REPLICA_URL or DATABASE_POOLER_URL has the role before, give it the same user and password.`
      : text
  return { report, text: replica }
}

function lockedText({ locked, connectionsEnded }: RotatedLoginRole): string {
  if (locked.length === 0) return 'No other role can log in: there is nothing to finish.'
  return `Locked "${locked.join('", "')}", and ended ${connectionsEnded} connections.`
}

/** Writes a new file with mode 0600 from the start; never overwrites. */
function writeUrl(file: string, url: string): void {
  try {
    writeFileSync(file, `${url}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    throw new OperatorError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

async function adminUrlIn(file: string): Promise<string> {
  let content: string
  try {
    content = file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
  const url = content.trim()
  if (URL.canParse(url) && /^postgres(ql)?:/.test(url)) return url
  throw new OperatorError(
    `Expected ${file === '-' ? 'standard input' : file} to hold a URL such as postgres://user:password@host:5432/database.`,
  )
}

/**
 * Rotates the password of the embedded server without overlap: the server and its only client read
 * one file at the next start.
 */
async function rotateEmbedded({ urlFile, finish }: Options): Promise<Rotated> {
  const { DATA_DIR } = readConfig(variables, process.env)
  if (urlFile !== undefined)
    throw new OperatorError('Expected DATABASE_URL to be set; the embedded database has no URL to write.')
  const report = { role: 'postgres', locked: [], connectionsEnded: 0 }
  if (finish) return { report, text: 'The embedded database has one password: there is nothing to finish.' }
  const { rotateEmbeddedPassword } = await import('../../platform/database/embedded-password.ts')
  await rotateEmbeddedPassword(DATA_DIR)
  return { report, text: `The embedded database in ${DATA_DIR} has another password, which the next start uses.` }
}
