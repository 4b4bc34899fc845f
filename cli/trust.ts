import { Command } from 'commander'
import type pino from 'pino'
import { configuredCipher } from '../composition/stored-secrets.ts'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { migrate } from '../platform/database/migrate.ts'
import { webhookNetworkOf } from '../subgraphs/store/webhook-delivery/variables.ts'
import { withDatabase } from './database.ts'
import { checkCommand } from './trust/check.ts'
import { decideCommand } from './trust/decide.ts'
import { evaluateCommand } from './trust/evaluate.ts'
import { feedsCommand } from './trust/feeds.ts'
import { jobCommand } from './trust/job.ts'
import { keyCommand } from './trust/key.ts'
import { listCommand } from './trust/list.ts'
import { reportCommand } from './trust/report.ts'
import { watchCommand } from './trust/watch.ts'
import type { WithTrust } from './trust/with-trust.ts'

/** `atrium trust`: API keys, threat feeds, and decisions without a key. */
export function trustCommand(): Command {
  return new Command('trust')
    .summary('decisions, API keys and threat feeds')
    .description('trust decisions, API keys and threat feeds; the server may be running')
    .addCommand(checkCommand(withTrust))
    .addCommand(decideCommand(withTrust))
    .addCommand(jobCommand(withTrust))
    .addCommand(keyCommand(withTrust))
    .addCommand(feedsCommand(withTrust))
    .addCommand(listCommand(withTrust))
    .addCommand(reportCommand(withTrust))
    .addCommand(watchCommand(withTrust))
    .addCommand(evaluateCommand())
}

const withTrust: WithTrust = (work) =>
  withDatabase(async ({ connection }, log: pino.Logger) => {
    await migrate(connection)
    // Imported on demand: most commands do not need the tables of brands and scripts.
    const { createTrustParts } = await import('../subgraphs/trust/parts.ts')
    const config = readConfig(variables, process.env)
    const secrets = configuredCipher(config)
    const webhookNetwork = webhookNetworkOf(config)
    const { parts, refreshLists, runJobs, close } = createTrustParts({
      connection,
      log,
      config,
      secrets,
      webhookNetwork,
      sources: { config },
    })
    try {
      return await work({ ...parts, refreshLists, runJobs })
    } finally {
      await close()
    }
  })
