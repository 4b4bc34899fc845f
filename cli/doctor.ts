import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import pg from 'pg'
import { assertKnownKeys, configuredCipher } from '../composition/stored-secrets.ts'
import { variables } from '../config.ts'
import { type Config, readConfig } from '../platform/config/config.ts'
import { migrationStatus } from '../platform/database/migrate.ts'
import type { DatabaseServer } from '../platform/database/server.ts'
import { isLoopbackHost } from '../platform/http/listen.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { withDatabase } from './database.ts'
import { type DoctorFinding, fail, ok, warn } from './doctor/finding.ts'
import { checkClock, checkDisk, checkNetwork, checkNode, checkPort } from './doctor/machine.ts'

/**
 * Probe of outbound HTTPS: IANA's RDAP bootstrap file, which installations with feeds download
 * anyway.
 */
const NETWORK_PROBE_URL = 'https://data.iana.org/rdap/dns.json'

/** `atrium doctor`: checks this installation, and names a remedy for each fault. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('check the installation, and name faults with their fix')
    .description('check settings, port, disk, database, secrets, clock, network and feeds, and name the fix of each fault')
    .option('--json', 'print [{check, state, found, remedy}] on standard output')
    .addHelpText('after', '\nChanges nothing. Exit status: 0 when nothing fails, also with warnings; 1 when something does.')
    .action(async ({ json }: { readonly json?: true }) => {
      const findings = await examine()
      if (json) console.log(JSON.stringify(findings, null, 2))
      else for (const finding of findings) console.log(lineOf(finding))
      if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1
    })
}

const SIGNS: Readonly<Record<DoctorFinding['state'], string>> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }

const lineOf = ({ check, state, found, remedy }: DoctorFinding): string =>
  `${SIGNS[state]}  ${check.padEnd(9)}  ${found}${remedy === null ? '' : `\n                 → ${remedy}`}`

async function examine(): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [checkNode(process.versions.node)]
  let config: Config<typeof variables>
  try {
    config = readConfig(variables, process.env)
  } catch (error) {
    // Stops here: every other check needs valid settings.
    return [...findings, fail('settings', sentenceOf(error), 'Correct the variables; `npx atrium help env` describes them.')]
  }
  findings.push(ok('settings', 'all variables can be read'))
  findings.push(await checkPort(config.HOST, config.PORT))
  findings.push(checkDisk(config.DATA_DIR))
  findings.push(...(await checkDatabase(config)))
  if (config.TRUST_LISTS.length > 0) findings.push(...(await checkNetwork(NETWORK_PROBE_URL)))
  return findings
}

async function checkDatabase(config: Config<typeof variables>): Promise<readonly DoctorFinding[]> {
  const isExternal = config.DATABASE_URL !== undefined
  if (!isExternal && !existsSync(join(resolve(config.DATA_DIR), 'postgres'))) {
    return [ok('database', `none yet: the first start creates one in ${config.DATA_DIR}`), checkSecretsKey(config)]
  }
  try {
    return await withDatabase(async ({ connection }) => {
      const schema = await checkMigrations(connection)
      const findings = [...(await checkConnection(connection, isExternal)), schema]
      // The next checks read tables, so they need an up-to-date schema.
      if (schema.state !== 'ok') return [...findings, checkSecretsKey(config)]
      return [...findings, await checkStoredSecrets(config, connection), ...(await checkFeeds(config, connection))]
    })
  } catch (error) {
    const remedy = isExternal
      ? 'Start that PostgreSQL, or correct DATABASE_URL.'
      : `Look at the log of the start, and whether ${config.DATA_DIR} belongs to the user that runs Atrium.`
    return [fail('database', sentenceOf(error), remedy)]
  }
}

async function checkConnection(connection: DatabaseServer['connection'], isExternal: boolean): Promise<readonly DoctorFinding[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const sent = Date.now()
    const { rows } = await client.query("SELECT clock_timestamp() AS now, current_setting('server_version') AS version")
    // `SELECT` of two columns without a table always returns one row.
    const [{ now, version }] = rows as [{ readonly now: Date; readonly version: string }]
    const found = ok('database', `PostgreSQL ${version}${isExternal ? '' : ', embedded'}`)
    return isExternal ? [found, checkClock((sent + Date.now()) / 2 - now.getTime(), 'the database')] : [found]
  } finally {
    await client.end()
  }
}

async function checkMigrations(connection: DatabaseServer['connection']): Promise<DoctorFinding> {
  const migrations = await migrationStatus(connection)
  const count = (state: string) => migrations.filter((each) => each.state === state).length
  if (count('unknown') > 0) {
    return fail(
      'schema',
      'the database is of a newer version',
      'Install that version, or restore the backup from before the upgrade.',
    )
  }
  if (count('failed') + count('changed') > 0) {
    return fail('schema', 'a migration failed or was edited', '`npx atrium db status` names it; restore the backup from before.')
  }
  return count('pending') > 0
    ? warn('schema', `${count('pending')} migrations are pending`, 'Restart Atrium, or run `npx atrium db migrate`.')
    : ok('schema', `all ${migrations.length} migrations are applied`)
}

async function checkStoredSecrets(
  config: Config<typeof variables>,
  connection: DatabaseServer['connection'],
): Promise<DoctorFinding> {
  try {
    await assertKnownKeys(connection, configuredCipher(config))
    return checkSecretsKey(config)
  } catch (error) {
    return fail('secrets', sentenceOf(error), 'Set SECRETS_KEY to the key that they were encrypted with.')
  }
}

function checkSecretsKey(config: Config<typeof variables>): DoctorFinding {
  if (configuredCipher(config).keyIds.length > 0) return ok('secrets', 'are encrypted under SECRETS_KEY')
  const isPublic = config.PUBLIC_URL !== undefined || !isLoopbackHost(config.HOST)
  const remedy = 'Set SECRETS_KEY to what `npx atrium secrets generate` prints, and keep it outside of the backups.'
  return isPublic
    ? fail('secrets', 'SECRETS_KEY is not set, so this does not start where others reach it', remedy)
    : warn('secrets', 'are stored unencrypted, which is for development', remedy)
}

/** State of feeds and other sources of evidence, as in `trust feeds status`. */
async function checkFeeds(
  config: Config<typeof variables>,
  connection: DatabaseServer['connection'],
): Promise<readonly DoctorFinding[]> {
  if (config.TRUST_LISTS.length === 0) return []
  const { default: pino } = await import('pino')
  const { createTrustParts } = await import('../subgraphs/trust/parts.ts')
  const { parts, close } = createTrustParts({ connection, log: pino({ level: 'silent' }), config, sources: { config } })
  try {
    const down = (await parts.sources.status()).filter(({ state }) => state === 'down')
    return [
      down.length === 0
        ? ok('feeds', 'all lists are current')
        : warn(
            'feeds',
            down.map(({ name, state, reason }) => `${name}: ${reason ?? state}`).join(', '),
            'Run `npx atrium trust feeds refresh`; where there is no network, set TRUST_LISTS=none.',
          ),
    ]
  } finally {
    await close()
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof OperatorError ? error.message : error instanceof Error ? error.message : String(error)
