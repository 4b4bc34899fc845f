import { cleanUrl, repositoryOf, repositoryUrl } from './url.ts'

/**
 * A word that every POSIX shell reads as itself; null for any other. Hostile text is never quoted
 * into being.
 */
export function shellWord(text: string): string | null {
  return /^[A-Za-z0-9._@/:=+][A-Za-z0-9._@/:=+-]*$/.test(text) && text.length <= 500 ? text : null
}

/** Where a server's program or address is published. */
export type Published =
  | {
      readonly from: 'npm' | 'pypi' | 'nuget'
      readonly name: string
      readonly version?: string | null
      /** Words for the server itself. */
      readonly args?: readonly string[]
    }
  | ({ readonly from: 'oci'; readonly name: string } & ContainerOptions)
  | { readonly from: 'remote'; readonly name: string; readonly url: string; readonly transport: 'http' | 'sse' }

/** What a container needs besides its image. */
export type ContainerOptions = {
  /** Variables: `NAME` passes that of the shell on, `NAME=value` sets one. */
  readonly env?: readonly string[]
  /** Ports of the container, published on the loopback address under the same number. */
  readonly ports?: readonly number[]
  /** `name:/target` of a named volume, or `/path/to/…:/target` that the reader replaces. */
  readonly volumes?: readonly string[]
  /** Words for the server itself. */
  readonly args?: readonly string[]
}

/**
 * Other sources of a mount open the machine to the container: the reader's own choice is never
 * stated by a source.
 */
const VOLUME = /^(?:\/path\/to\/\w[\w.-]*|[A-Za-z0-9][\w.-]*):\/[\w./-]+(?::ro)?$/

/** A variable and, where a source fixes it, its value. */
const SETTING = /^[A-Za-z_]\w*(?:=[A-Za-z0-9._@/:+-]*)?$/

/** A word behind the package: an option, or a value. */
const isArgument = (word: string): boolean => shellWord(word.replace(/^--?(?=[A-Za-z])/, '')) !== null

/** An exact version; no range or placeholder. */
const VERSION = /^\d[0-9A-Za-z.+-]{0,60}$/

/**
 * Name of a published package, with or without its version. Package managers also accept paths,
 * repositories and aliases (`file:/x`, `owner/repo`, `a@npm:b`), which the source has not published
 * there.
 */
const NAMES: ReadonlyMap<unknown, RegExp> = new Map([
  ['npm', /^(?:@[\w-][\w.-]*\/)?\w[\w.-]*(?<version>@[\w.+-]+)?$/],
  ['pypi', /^[A-Za-z0-9][\w.-]*(?<version>(?:==|@)[\w.+-]+)?$/],
  ['nuget', /^\w[\w.-]*(?<version>@[\w.+-]+)?$/],
  ['oci', /^[a-z0-9][a-z0-9._-]*(?::\d+(?=\/))?(?:\/[a-z0-9][a-z0-9._-]*)*(?<version>(?::\w[\w.-]*)?(?:@sha256:[0-9a-f]{64})?)$/],
])

/** Longer commands are not stored: they are not read before pasting either. */
const MAX_COMMAND_LENGTH = 4_000

/** One line that runs or adds it; null when its name is not safe to paste. */
export function installCommand(published: Published): string | null {
  if (published.from === 'remote') {
    // The client takes letters, digits, "_" and "-" for a name.
    const name =
      shellWord(published.name)
        ?.replace(/[^A-Za-z0-9_-]+/g, '-')
        .replace(/^-+|(?<!-)-+$/g, '') || null
    const url = shellWord(cleanUrl(published.url) ?? '')
    return name === null || url === null ? null : `claude mcp add --transport ${published.transport} ${name} ${url}`
  }
  // Readers look `from` up by words of a file: `constructor` finds something, and that is published
  // nowhere.
  const named = shellWord(published.name) && NAMES.get(published.from)?.exec(published.name)
  if (!named) return null
  if (!(published.args ?? []).every(isArgument)) return null
  const command = published.from === 'oci' ? containerCommand(published) : packageCommand(published, named)
  if (command === null) return null
  const whole = [command, ...(published.args ?? [])].join(' ')
  return whole.length <= MAX_COMMAND_LENGTH ? whole : null
}

/** Null for an image without a registry or owner: it exists only on the machine that built it. */
function containerCommand({ name, env = [], ports = [], volumes = [] }: ContainerOptions & { readonly name: string }) {
  if (!name.includes('/')) return null
  const areSafe = env.every((setting) => SETTING.test(setting)) && volumes.every((volume) => VOLUME.test(volume))
  if (!areSafe || !ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536)) return null
  const options = [
    ...new Set([
      ...ports.map((port) => `-p 127.0.0.1:${port}:${port}`),
      ...volumes.map((volume) => `-v ${volume}`),
      ...env.map((setting) => `-e ${setting}`),
    ]),
  ]
  return ['docker run -i --rm', ...options, name].join(' ')
}

function packageCommand(published: Exclude<Published, { readonly from: 'remote' | 'oci' }>, named: RegExpExecArray): string {
  const isPinned = named.groups?.version !== undefined
  const version = !isPinned && published.version && VERSION.test(published.version) ? published.version : null
  switch (published.from) {
    case 'npm':
      return `npx -y ${published.name}${version === null ? '' : `@${version}`}`
    case 'pypi':
      return `uvx ${published.name}${version === null ? '' : `==${version}`}`
    case 'nuget':
      return `dnx ${published.name}${version === null ? '' : `@${version}`} --yes`
  }
}

/**
 * How a published package is started, by the program that fetches it. Before the package stand only
 * flags that are known to be harmless: others choose another registry (`--registry`, `--index-url`)
 * or open the machine (`-v /:/host`, `--privileged`). What follows the package is for the server
 * itself.
 */
const STARTS: readonly (readonly ['npm' | 'pypi' | 'nuget' | 'oci', RegExp])[] = [
  ['npm', /^(?:npx(?: -y| --yes)?|bunx|pnpm dlx) (?:(?:-p|--package) (?=\S+ [^ -]))?(?<source>[^ -]\S*)(?= |$)/],
  // `uvx run x` is a slip that would start a package of the name "run".
  [
    'pypi',
    /^(?:uvx(?: -n)?(?: --python[ =][\d.]+)?|pipx run) (?!run )(?:--from (?=\S+ (?:--python[ =][\d.]+ )?[^ -]))?(?<source>[^ -]\S*)(?= |$)/,
  ],
  ['pypi', /^pip3? install (?<source>[^ -]\S*)$/],
  ['nuget', /^dnx (?<source>[^ -]\S*)(?: --yes)?$/],
  ['oci', /^docker run(?: -i| -t| -it| --rm| -e \w+)* (?<source>[^ -]\S*)(?= |$)/],
]

/**
 * Package managers also take a repository; only one of a forge, whole and fetched encrypted, shows
 * whose code it is.
 */
const isRepository = (source: string): boolean =>
  /^(?:git\+)?https:\/\/[^/]+\/[^/]+\/[^/]+\/?$/.test(source) && repositoryOf(source.replace(/@[\w.-]+$/, '')) !== null

function startIn(text: string): { readonly from: 'npm' | 'pypi' | 'nuget' | 'oci'; readonly source: string } | null {
  for (const [from, form] of STARTS) {
    const source = form.exec(text)?.groups?.source
    if (source !== undefined) return { from, source }
  }
  return null
}

/**
 * The published package that a command starts, also when other words of it are not safe; null when
 * it starts none.
 */
export function startedPackage(text: string): { readonly from: 'npm' | 'pypi' | 'nuget' | 'oci'; readonly name: string } | null {
  const start = startIn(text)
  return start && shellWord(start.source) !== null && NAMES.get(start.from)?.test(start.source)
    ? { from: start.from, name: start.source }
    : null
}

/**
 * A command that a source gives as text: accepted when it starts a published package and each of
 * its words is safe; null otherwise.
 */
export function statedCommand(text: string): string | null {
  const words = text.trim().split(/ +/)
  const isSafe = words.length <= 40 && words.every((word) => shellWord(word.replace(/^--?(?=[A-Za-z])/, '')) !== null)
  const command = words.join(' ')
  if (!isSafe || command.length > MAX_COMMAND_LENGTH) return null
  return startedPackage(command) !== null || isRepository(startIn(command)?.source ?? '') ? command : null
}

/**
 * What to paste when no command is known: cloning the repository, or else the first address that is
 * safe in a shell.
 */
export function fallbackCommand(repoUrl: string | null, docsUrl: string): string {
  const repository = repositoryOf(repoUrl)
  if (repository) return `git clone ${repositoryUrl(repository)}`
  return shellWord(docsUrl) ?? URL.parse(docsUrl)?.origin ?? docsUrl
}
