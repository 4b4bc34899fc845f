import type { InstallClient, InstallFormat } from '#generated/directory/resolvers.ts'
import type { Launch, LaunchVariable } from './launch.ts'

/** What a client wants to know of a server: under which name, and how it is launched. */
export type Named = { readonly name: string; readonly launch: Launch }

type Written = {
  readonly format: InstallFormat
  readonly file: string | null
  readonly content: string
  /** Absent where the client has no link. */
  readonly deepLink?: string
}

type ClientRow = { readonly client: InstallClient; readonly clientName: string; readonly write: (server: Named) => Written }

/** Word that stands for the value of a variable. */
export const placeholderFor = (variable: string): string => `YOUR_${variable}`

/** Longest description that goes into a link or a prompt, in characters. */
const MAX_PROMPT_LENGTH = 100

/** A word as a POSIX shell reads it back. */
export const shellQuoted = (word: string): string =>
  /^[A-Za-z0-9._@/:=+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** A text as TOML reads it back: JSON's escapes are TOML's, but for the one character that it keeps. */
const tomlQuoted = (text: string): string => JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`)

const json = (value: unknown): string => JSON.stringify(value, null, 2)

const envOf = (variables: readonly LaunchVariable[], valueFor: (variable: string) => string = placeholderFor) =>
  variables.length === 0 ? {} : { env: Object.fromEntries(variables.map(({ name }) => [name, valueFor(name)])) }

/** A remote server through a program that speaks stdio, for clients that reach no address. */
function bridged(launch: Launch): Extract<Launch, { by: 'program' }> {
  if (launch.by === 'program') return launch
  const { url, isSse } = launch
  const options = [...(isSse ? ['--transport', 'sse-only'] : []), ...(url.startsWith('http:') ? ['--allow-http'] : [])]
  return { by: 'program', command: 'npx', args: ['-y', 'mcp-remote', url, ...options], variables: [] }
}

/** The members that most clients share; `remote` where a client spells an address in its own way. */
const entryOf = (launch: Launch, remote: (url: string, isSse: boolean) => object = (url) => ({ url })): object =>
  launch.by === 'url'
    ? remote(launch.url, launch.isSse)
    : { command: launch.command, args: launch.args, ...envOf(launch.variables) }

const asJson = (file: string | null, content: unknown): Written => ({ format: 'JSON', file, content: json(content) })

function claudeCode({ name, launch }: Named): Written {
  const words =
    launch.by === 'url'
      ? ['--transport', launch.isSse ? 'sse' : 'http', name, launch.url]
      : [
          // Options stand before the name: what follows it belongs to the server.
          ...launch.variables.flatMap((variable) => ['--env', `${variable.name}=${placeholderFor(variable.name)}`]),
          ...['--transport', 'stdio', name, '--', launch.command, ...launch.args],
        ]
  return { format: 'COMMAND', file: null, content: ['claude', 'mcp', 'add', ...words].map(shellQuoted).join(' ') }
}

function cursor({ name, launch }: Named): Written {
  const config = entryOf(launch)
  const encoded = encodeURIComponent(Buffer.from(JSON.stringify(config)).toString('base64'))
  return {
    ...asJson('~/.cursor/mcp.json', { mcpServers: { [name]: config } }),
    deepLink: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encoded}`,
  }
}

/** Asks for values itself, and stores them encrypted. */
function vsCode({ name, launch }: Named): Written {
  const inputs = (launch.by === 'program' ? launch.variables : []).map((variable) => ({
    type: 'promptString',
    id: variable.name,
    description: (variable.description ?? variable.name).slice(0, MAX_PROMPT_LENGTH).toWellFormed(),
    password: variable.secret,
  }))
  const config =
    launch.by === 'url'
      ? { type: launch.isSse ? 'sse' : 'http', url: launch.url }
      : {
          type: 'stdio',
          command: launch.command,
          args: launch.args,
          ...envOf(launch.variables, (variable) => `\${input:${variable}}`),
        }
  const withInputs = inputs.length === 0 ? {} : { inputs }
  return {
    ...asJson('.vscode/mcp.json', { ...withInputs, servers: { [name]: config } }),
    deepLink: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...config, ...withInputs }))}`,
  }
}

/** Codex knows the newer HTTP transport only. */
function codex({ name, launch }: Named): Written {
  const own = launch.by === 'url' && launch.isSse ? bridged(launch) : launch
  const lines =
    own.by === 'url'
      ? [`url = ${tomlQuoted(own.url)}`]
      : [
          `command = ${tomlQuoted(own.command)}`,
          `args = [${own.args.map(tomlQuoted).join(', ')}]`,
          ...(own.variables.length === 0 ? [] : ['', `[mcp_servers.${name}.env]`]),
          ...own.variables.map((variable) => `${variable.name} = ${tomlQuoted(placeholderFor(variable.name))}`),
        ]
  return { format: 'TOML', file: '~/.codex/config.toml', content: [`[mcp_servers.${name}]`, ...lines].join('\n') }
}

const inMcpServers =
  (file: string | null, remote?: (url: string, isSse: boolean) => object) =>
  ({ name, launch }: Named): Written =>
    asJson(file, { mcpServers: { [name]: entryOf(launch, remote) } })

/** Clients in the order in which a page shows them. */
export const CLIENTS: readonly ClientRow[] = [
  {
    client: 'CLAUDE_DESKTOP',
    clientName: 'Claude Desktop',
    write: ({ name, launch }) =>
      asJson('claude_desktop_config.json (Settings, Developer, Edit Config)', {
        mcpServers: { [name]: entryOf(bridged(launch)) },
      }),
  },
  { client: 'CLAUDE_CODE', clientName: 'Claude Code', write: claudeCode },
  { client: 'CURSOR', clientName: 'Cursor', write: cursor },
  { client: 'VS_CODE', clientName: 'VS Code', write: vsCode },
  { client: 'CODEX', clientName: 'Codex', write: codex },
  {
    client: 'WINDSURF',
    clientName: 'Windsurf',
    write: inMcpServers('~/.codeium/windsurf/mcp_config.json', (serverUrl) => ({ serverUrl })),
  },
  {
    client: 'ZED',
    clientName: 'Zed',
    write: ({ name, launch }) => asJson('~/.config/zed/settings.json', { context_servers: { [name]: entryOf(launch) } }),
  },
  {
    client: 'GEMINI_CLI',
    clientName: 'Gemini CLI',
    write: inMcpServers('~/.gemini/settings.json', (url, isSse) => (isSse ? { url } : { httpUrl: url })),
  },
  {
    client: 'GENERIC_JSON',
    clientName: 'Other clients',
    write: inMcpServers(null, (url, isSse) => ({ type: isSse ? 'sse' : 'http', url })),
  },
]
