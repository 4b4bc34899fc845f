import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the evaluation data lies beside a checkout of the project; absent elsewhere. */
const FOLDER = join(import.meta.dirname, '../../../../../../shared/data/trust')

/** Whether the evaluation data is there; tests that need it are skipped where it is not. */
export const hasData = existsSync(FOLDER)
export const withoutData = `needs evaluation data at ${FOLDER}`

export const rowsOf = <Row>(file: string): Row[] =>
  hasData
    ? readFileSync(join(FOLDER, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Row)
    : []

/** Cases as they lie there; the program reads them with its own form. */
export const cases = (): unknown[] => (hasData ? (JSON.parse(readFileSync(join(FOLDER, 'cases.json'), 'utf8')) as unknown[]) : [])
