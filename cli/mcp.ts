import { Argument, Command } from 'commander'
import { addressOption } from './arguments.ts'
import { bridge } from './mcp/bridge.ts'

/** MCP servers of a running Atrium, as in the path `/mcp/<name>`. */
const SERVERS = ['directory', 'store', 'trust', 'graph'] as const

/**
 * Credentials are read from environment variables, because other users can see process arguments.
 */
const CREDENTIALS: readonly {
  readonly variable: string
  readonly header: string
  readonly prefix: string
  readonly meaning: string
}[] = [
  {
    variable: 'ATRIUM_API_KEY',
    header: 'x-api-key',
    prefix: '',
    meaning: 'API key for trust decisions; create one with npx atrium trust key create',
  },
  {
    variable: 'ATRIUM_LOGIN_KEY',
    header: 'x-login-key',
    prefix: '',
    meaning: 'login of a store; create one with npx atrium store create',
  },
  { variable: 'ATRIUM_AUTH_TOKEN', header: 'x-auth-token', prefix: '', meaning: 'authtoken of the same store' },
  {
    variable: 'ATRIUM_TOKEN',
    header: 'authorization',
    prefix: 'Bearer ',
    meaning: 'access token of a user, from the mutation login, or of an app for a store',
  },
]

/**
 * `atrium mcp`: bridges an MCP server to standard input and output, for clients that start MCP
 * servers as child processes.
 */
export function mcpCommand(): Command {
  return new Command('mcp')
    .summary('bridge MCP over stdio to Atrium')
    .description('bridge MCP over standard input and output to a running Atrium')
    .addArgument(new Argument('<server>', 'MCP server to use').choices(SERVERS))
    .addOption(addressOption('--url <url>'))
    .addHelpText(
      'after',
      `\nCredentials, from the environment:\n${CREDENTIALS.map(({ variable, meaning }) => `  ${variable.padEnd(19)}${meaning}`).join('\n')}`,
    )
    .action(async (server: string, { url }: { readonly url: string }) => {
      const headers = CREDENTIALS.flatMap(({ variable, header, prefix }) => {
        const value = process.env[variable]
        return value ? [[header, `${prefix}${value}`] as const] : []
      })
      await bridge(`${url.replace(/\/+$/, '')}/mcp/${server}`, Object.fromEntries(headers))
    })
}
