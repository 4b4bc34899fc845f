import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, begun first, so that none of them is left over when the others are done.
 * Vitest knows how long files took where they ran before, which is not in a fresh clone.
 */
const LONG_FILES: readonly string[] = [
  'test/security/secrets.test.ts',
  'test/security/inherited-names.test.ts',
  'test/security/rotate-database.test.ts',
  'test/cli/lifecycle.test.ts',
  // Starts many processes at once: by now their code has been compiled, and kept.
  'test/cluster/cluster.test.ts',
  'test/resume.test.ts',
  'test/web/site.test.ts',
  'test/security/scopes.test.ts',
  'test/webhook-crash.test.ts',
  'test/cli/backup.test.ts',
  'test/cli/trust.test.ts',
  'test/gateway/main.test.ts',
  'test/web/authorize.test.ts',
  'test/garbage.test.ts',
  'test/gateway/package.test.ts',
  'test/scripts/audit.test.ts',
  'test/security/secrets-environment.test.ts',
  'test/cli/store-create.test.ts',
]

/** Vitest's order, with the longest files at the beginning of their project. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONG_FILES.filter((path) => !existsSync(join(this.ctx.config.root, path)))
    if (gone.length > 0)
      throw new Error(`Expected the longest files to be there, which were moved or deleted: ${gone.join(', ')}.`)
    const sorted = await super.sort(files)
    const byProject = Map.groupBy(sorted, ({ project }) => project)
    return [...byProject.values()].flatMap((each) => each.toSorted((one, other) => this.#rank(one) - this.#rank(other)))
  }

  /** Its place in the list; files that are not in it come after all that are. */
  #rank({ moduleId }: TestSpecification): number {
    const place = LONG_FILES.indexOf(relative(this.ctx.config.root, moduleId))
    return place === -1 ? LONG_FILES.length : place
  }
}
