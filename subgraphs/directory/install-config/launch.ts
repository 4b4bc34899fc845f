import type { EnvVar, Installation } from '../item/item.ts'

/** A value that the reader fills in: the variable that gets it, as far as sources know it. */
export type LaunchVariable = Pick<EnvVar, 'name' | 'secret' | 'description'>

/** How a client starts or reaches a server. */
export type Launch =
  | {
      readonly by: 'program'
      readonly command: string
      readonly args: readonly string[]
      /** Variables that the reader gives a value, by name. */
      readonly variables: readonly LaunchVariable[]
    }
  | { readonly by: 'url'; readonly url: string; readonly isSse: boolean }

/** A word that shells, JSON, TOML and addresses all read as itself. */
const SAFE_WORD = /^[A-Za-z0-9._@/:=+-]{1,500}$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** Programs that stay in the foreground and speak MCP over stdin and stdout: what clients start. */
const STARTERS = /^(?:npx|bunx|uvx|dnx|pnpm dlx|pipx run|docker run) /
const REMOTE = /^claude mcp add --transport (http|sse) \S+ (https?:\/\/\S+)$/
/** Enables a server of Docker's catalogue, which its gateway then serves to clients. */
const DOCKER_CATALOGUE = /^docker mcp server enable ([A-Za-z0-9][\w.-]*)$/

/**
 * The launch that an installation states. Null where a client cannot be configured with it: a
 * program that runs apart from the client, one that only installs, or a word that is not safe.
 */
export function launchOf({ command, transport }: Installation, envVars: readonly EnvVar[]): Launch | null {
  if (!command.split(' ').every((word) => SAFE_WORD.test(word))) return null
  const [, kind, url] = REMOTE.exec(command) ?? []
  if (url !== undefined) return URL.canParse(url) ? { by: 'url', url, isSse: kind === 'sse' || transport === 'sse' } : null
  const needed = envVars.filter(({ name, required, secret }) => VARIABLE.test(name) && (required || secret))
  const [, catalogued] = DOCKER_CATALOGUE.exec(command) ?? []
  if (catalogued !== undefined) {
    // The gateway keeps its servers' secrets itself.
    return { by: 'program', command: 'docker', args: ['mcp', 'gateway', 'run', `--servers=${catalogued}`], variables: [] }
  }
  if (transport !== 'stdio' || !STARTERS.test(command)) return null
  const [program = '', ...args] = command.split(' ')
  return { by: 'program', command: program, args, variables: program === 'docker' ? passedOn(args, envVars) : needed }
}

/** Variables that `-e NAME` passes into a container: others do not reach it. */
function passedOn(args: readonly string[], envVars: readonly EnvVar[]): readonly LaunchVariable[] {
  const names = args.filter((word, at) => args[at - 1] === '-e' && VARIABLE.test(word))
  return names.flatMap((name): readonly LaunchVariable[] => {
    const known = envVars.find((variable) => variable.name === name)
    if (!known) return [{ name, secret: false, description: null }]
    return known.required || known.secret ? [known] : []
  })
}
