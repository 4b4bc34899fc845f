import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Last line of a generated page, for those who would change it. */
export const generatedFrom = (source: string): string => `*\`npm run generate\` writes this page from ${source}.*\n`

/** A table of Markdown. Cells are Markdown already. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

export const codeOf = (text: string): string => `\`${text}\``

/** Sources below these folders by their files, tests excepted. */
export const sourcesOf = (...folders: readonly string[]): readonly { readonly file: string; readonly text: string }[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

export const readText = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
