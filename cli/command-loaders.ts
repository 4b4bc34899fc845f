import type { Command } from 'commander'

/** Loaders of the commands of `root` by name, in the order of the help. */
export const commandLoaders = (root: Command): ReadonlyMap<string, () => Promise<Command>> =>
  new Map([
    ['start', async () => (await import('./start.ts')).startCommand()],
    ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
    ['cluster', async () => (await import('./cluster.ts')).clusterCommand()],
    ['capacity', async () => (await import('./capacity.ts')).capacityCommand()],
    ['import', async () => (await import('./import.ts')).importCommand()],
    ['source', async () => (await import('./source.ts')).sourceCommand()],
    ['directory', async () => (await import('./directory.ts')).directoryCommand()],
    ['user', async () => (await import('./user.ts')).userCommand()],
    ['store', async () => (await import('./store.ts')).storeCommand()],
    ['app', async () => (await import('./app.ts')).appCommand()],
    ['trust', async () => (await import('./trust.ts')).trustCommand()],
    ['mcp', async () => (await import('./mcp.ts')).mcpCommand()],
    ['gate', async () => (await import('./gate.ts')).gateCommand()],
    ['schema', async () => (await import('./schema.ts')).schemaCommand()],
    ['db', async () => (await import('./db.ts')).dbCommand()],
    ['secrets', async () => (await import('./secrets.ts')).secretsCommand()],
    ['completion', async () => (await import('./completion.ts')).completionCommand(() => root)],
    ['help', async () => (await import('./help.ts')).helpCommand(() => root)],
  ])
