import type { Context } from '../context.ts'
import { repositoryOnGithub } from '../import/link.ts'
import type { McpServer } from '../item/item.ts'
import { packageKey, packagesOf } from '../item/package-name.ts'
import type { KnownPackage } from './repository.ts'

/** What registries said of the packages that a server is installed from, that of the recommended installation first. */
export async function packagesOfServer(
  { installations }: McpServer,
  { load }: Pick<Context, 'load'>,
): Promise<readonly KnownPackage[]> {
  const known = await Promise.all(packagesOf(installations).map((name) => load.packageByKey.load(packageKey(name))))
  return known.flatMap((one) => one ?? [])
}

/** Whether a package names the repository of a server as its source; null when either is unknown. */
export function namesRepositoryOf(server: Pick<McpServer, 'repoUrl'>, repository: string | null): boolean | null {
  const own = repositoryOnGithub(server.repoUrl ?? '')
  return own === null || repository === null ? null : own === repository
}

/** The packages of a server as the graph has them; those that were never observed are left out. */
export async function publishedPackagesOf(server: McpServer, _: unknown, context: Context) {
  const known = await packagesOfServer(server, context)
  return known.map(({ answeredAt, repository, ...facts }) => ({
    ...facts,
    advisories: facts.advisories && [...facts.advisories],
    observedAt: answeredAt,
    repositoryUrl: repository === null ? null : `https://github.com/${repository}`,
    isOfRepository: namesRepositoryOf(server, repository),
  }))
}
