import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Paths of all TypeScript files of the repository, also of those that are not committed yet. */
export const SOURCES: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '*.ts'],
  { cwd: join(import.meta.dirname, '../../..'), encoding: 'utf8' },
)
  .trim()
  .split('\n')
