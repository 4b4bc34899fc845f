import { Command } from 'commander'
import pino from 'pino'
import { startCluster } from '../composition/cluster/cluster.ts'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { runProgram } from '../platform/process/lifecycle.ts'
import { wholeNumber } from './arguments.ts'

/**
 * `atrium cluster`: runs the processes of a multi-host installation on this machine, for a trial.
 */
export function clusterCommand(): Command {
  return new Command('cluster')
    .summary('run many processes on this machine')
    .description('run a balancer, gateways, subgraphs, PostgreSQL with a replica and Redis on this machine, until Ctrl-C')
    .option('--port <port>', 'port of the balancer; the 49 ports above it are used, too', wholeNumber(1_024, 65_486), 4_000)
    .option('--copies <number>', 'number of gateways, and of processes per subgraph, 1 to 8', wholeNumber(1, 8), 2)
    .addHelpText('after', '\nSIGHUP restarts all processes of Atrium one after the other. Data and logs are in DATA_DIR/cluster.')
    .action(async ({ port, copies }: { readonly port: number; readonly copies: number }) => {
      await import('../codegen.ts')
      await runProgram(async (defer) => {
        const { DATA_DIR, LOG_LEVEL } = readConfig(variables, process.env)
        const log = pino({ level: LOG_LEVEL }, pino.destination({ fd: 2, sync: true }))
        const cluster = await startCluster({ port, copies, dataDir: `${DATA_DIR}/cluster`, env: process.env, log, defer })
        console.error(`\nThe cluster is ready: ${cluster.url}\n\n${cluster.lines.map((line) => `  ${line}`).join('\n')}\n`)
        let isRolling = false
        process.on('SIGHUP', async () => {
          if (isRolling) return
          isRolling = true
          const statuses = await cluster.roll()
          isRolling = false
          console.error(`Restarted ${statuses.length} processes, one after the other.`)
        })
      })
    })
}
