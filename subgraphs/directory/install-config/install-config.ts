import type { InstallClient, InstallConfig, InstallPlaceholder } from '#generated/directory/resolvers.ts'
import type { Ecosystem, Item, McpServer, Plugin, Skill } from '../item/item.ts'
import { CLIENTS, placeholderFor, shellQuoted } from './clients.ts'
import { type Launch, type LaunchVariable, launchOf } from './launch.ts'

type Selected = { readonly client?: InstallClient | null }

/** Most placeholders that are listed: more are no form that a person fills in. */
const MAX_PLACEHOLDERS = 100
const MAX_NAME_LENGTH = 50

/** Words of a configuration that stand for values of the reader. */
const PLACEHOLDER = /\bYOUR_\w+|\/path\/to\/[\w.-]+/g

/** The configurations of an item, of one client or of all. */
export function installConfigsOf(item: Item, { client }: Selected): InstallConfig[] {
  const all = configsOf(item)
  return client == null ? all : all.filter((config) => config.client === client)
}

function configsOf(item: Item): InstallConfig[] {
  switch (item.kind) {
    case 'MCP_SERVER':
      return serverConfigs(item)
    case 'PLUGIN':
      return [pluginConfig(item)]
    case 'SKILL':
      return skillConfigs(item)
  }
}

function serverConfigs(server: McpServer): InstallConfig[] {
  const launch = firstLaunch(server)
  if (launch === null) return []
  const variables = launch.by === 'program' ? launch.variables : []
  const name = configName(server)
  const needsWords = launch.by === 'program' && launch.args.some((word) => placeholdersIn(word, []).length > 0)
  return CLIENTS.map(({ client, clientName, write }) => {
    const { deepLink = null, ...written } = write({ name, launch })
    const placeholders = placeholdersIn(written.content, variables)
    // A link would install words that nobody replaced.
    return { client, clientName, ...written, deepLink: needsWords ? null : deepLink, placeholders }
  })
}

function firstLaunch({ installations, envVars }: McpServer): Launch | null {
  for (const installation of installations) {
    const launch = launchOf(installation, envVars)
    if (launch !== null) return launch
  }
  return null
}

/** A name that all clients take, and that is no option of a command. */
function configName({ repo }: McpServer): string {
  const name = repo
    .slice(0, MAX_NAME_LENGTH)
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '')
  return name === '' ? 'server' : name
}

function placeholdersIn(content: string, variables: readonly LaunchVariable[]): InstallPlaceholder[] {
  const words = new Set(content.match(PLACEHOLDER) ?? [])
  return [...words].slice(0, MAX_PLACEHOLDERS).map((text) => {
    const variable = variables.find(({ name }) => placeholderFor(name) === text)
    return {
      text,
      variable: variable?.name ?? null,
      secret: variable?.secret ?? false,
      description: variable?.description ?? null,
    }
  })
}

const PLUGIN_CLIENTS: Readonly<Record<Ecosystem, readonly [InstallClient, string]>> = {
  'claude-code': ['CLAUDE_CODE', 'Claude Code'],
  codex: ['CODEX', 'Codex'],
  cursor: ['CURSOR', 'Cursor'],
  copilot: ['COPILOT', 'GitHub Copilot CLI'],
  kimi: ['KIMI', 'Kimi'],
  grok: ['GROK', 'Grok'],
}

function pluginConfig({ ecosystem, installCommand }: Plugin): InstallConfig {
  const [client, clientName] = PLUGIN_CLIENTS[ecosystem]
  return command(client, clientName, installCommand)
}

const REPOSITORY = /^https:\/\/(github|gitlab)\.com\/([\w.-]+\/[\w.-]+)(?:\/|$)/
/** A letter of any script first: no option, no path, nothing that a shell reads. */
const SKILL_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:-]{0,99}$/u

function skillConfigs({ name, repoUrl }: Skill): InstallConfig[] {
  const [, forge, repository] = REPOSITORY.exec(repoUrl) ?? []
  if (repository === undefined || !SKILL_NAME.test(name)) return []
  const source = forge === 'github' ? repository : `https://gitlab.com/${repository}`
  return [command('SKILLS_CLI', 'Any agent', `npx skills add ${source} --skill ${shellQuoted(name)}`)]
}

const command = (client: InstallClient, clientName: string, content: string): InstallConfig => ({
  client,
  clientName,
  format: 'COMMAND',
  file: null,
  content,
  deepLink: null,
  placeholders: [],
})
