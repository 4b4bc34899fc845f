import type { PackageRegistry } from '#generated/directory/resolvers.ts'
import type { Installation } from './item.ts'

/** A package by the name that its registry knows it by. */
export type PackageName = { readonly registry: PackageRegistry; readonly name: string }

/**
 * Commands that start a published package, with its name as the only group: JavaScript and PostgreSQL
 * read both alike. Names of npm that are not lower case are older than 2014, and left out.
 */
export const NPM_COMMAND =
  '^(?:npx(?: -y| --yes)?|bunx|pnpm dlx) (?:(?:-p|--package) )?((?:@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*)(?=[@ ]|$)'
export const PYPI_COMMAND =
  '^(?:(?:uvx(?: -n)?(?: --python[ =][0-9.]+)?|pipx run) (?!run )(?:--from )?|pip3? install )([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?=[@=<>~! ;]|\\[|$)'

/** Longest name of npm; PyPI has no longer ones. Characters. */
export const MAX_PACKAGE_NAME_LENGTH = 214

/**
 * Programs that start or reach a server that is another thing, by `packageKey`: what their registry says of them says
 * nothing of it. Also not of the server that such a program is itself.
 */
export const LAUNCHERS: readonly string[] = [
  'NPM @smithery/cli',
  'NPM cross-env',
  'NPM dotenv-cli',
  'NPM mcp-proxy',
  'NPM mcp-remote',
  'NPM nodemon',
  'NPM supergateway',
  'NPM ts-node',
  'NPM tsx',
  'PYPI fastmcp',
  'PYPI mcp',
  'PYPI mcp-proxy',
  'PYPI mcpo',
  'PYPI uv',
]

const [NPM, PYPI] = [new RegExp(NPM_COMMAND), new RegExp(PYPI_COMMAND)]

/** A name of PyPI as its API has it (PEP 503): in lower case, with single hyphens. */
export const pypiName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** The package of npm or PyPI that a command starts; null when it starts none, or a launcher. */
export function packageOfCommand(command: string): PackageName | null {
  const [, npm] = NPM.exec(command) ?? []
  const [, pypi] = npm === undefined ? (PYPI.exec(command) ?? []) : []
  const name = npm ?? (pypi === undefined ? undefined : pypiName(pypi))
  if (name === undefined || name.length > MAX_PACKAGE_NAME_LENGTH) return null
  const found: PackageName = { registry: npm === undefined ? 'PYPI' : 'NPM', name }
  return LAUNCHERS.includes(packageKey(found)) ? null : found
}

/** One text per package. */
export const packageKey = ({ registry, name }: PackageName): string => `${registry} ${name}`

/** Packages of installations, that of the recommended one first, each once. */
export function packagesOf(installations: readonly Installation[]): readonly PackageName[] {
  const byKey = new Map<string, PackageName>()
  for (const { command } of installations) {
    const found = packageOfCommand(command)
    if (found && !byKey.has(packageKey(found))) byKey.set(packageKey(found), found)
  }
  return [...byKey.values()]
}

/** Downloads as items have them: the first digit, as exact ones would change every item every day. */
export function roundedDownloads(downloads: number): number {
  const unit = 10 ** Math.max(0, String(downloads).length - 1)
  return Math.floor(downloads / unit) * unit
}
