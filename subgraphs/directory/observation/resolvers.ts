import type { Context } from '../context.ts'
import { repositoryOnGithub } from '../import/link.ts'
import type { McpServer } from '../item/item.ts'

/** What GitHub said of the repository of a server; null when it was never observed. */
export async function observedRepositoryOf({ repoUrl }: McpServer, _: unknown, { load }: Context) {
  const repository = repositoryOnGithub(repoUrl ?? '')
  const facts = repository === null ? null : await load.factsByRepository.load(repository)
  return facts && { ...facts, observedAt: facts.answeredAt }
}
