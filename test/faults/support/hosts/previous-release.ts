import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrations } from '../../../../platform/database/migrate.ts'
import { ROOT } from '../../../cluster/support.ts'

/** Code before the last change of the data model. */
export type PreviousRelease = {
  /** Short hash of its commit. */
  readonly commit: string
  /** Migrations that it lacks, such as store/20261202010000_cart. */
  readonly missing: readonly string[]
}

/**
 * Writes the code of the last release that lacks a migration of today's into `folder`, ready to
 * start with today's packages. Where no release has a tag yet, that is the commit before the newest
 * migration. Rejects in a clone without history.
 */
export function checkOutPreviousRelease(folder: string): PreviousRelease {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const files = (commit: string) => new Set(git('ls-tree', '-r', '--name-only', commit, '--', 'prisma').split('\n'))
  const missingIn = (commit: string) => {
    const known = files(commit)
    return readMigrations()
      .filter(({ subgraph, name }) => !known.has(`prisma/${subgraph}/migrations/${name}/migration.sql`))
      .map(({ subgraph, name }) => `${subgraph}/${name}`)
  }
  const [newest] = git('log', '-1', '--format=%H', '--diff-filter=A', '--', ':(glob)prisma/*/migrations/*/migration.sql').split(
    '\n',
  )
  const releases = git('tag', '--merged', 'HEAD', '--sort=-creatordate', '--list', 'v*').split('\n').filter(Boolean)
  const commit = [...releases, `${newest}^`].find((each) => missingIn(each).length > 0)
  if (!commit) throw new Error('Expected a commit that lacks a migration.')

  mkdirSync(folder)
  const archive = `${folder}.tar`
  git('archive', `--output=${archive}`, commit)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, ['codegen.ts'], { cwd: folder, stdio: 'ignore' })
  return { commit: git('rev-parse', '--short', commit), missing: missingIn(commit) }
}
