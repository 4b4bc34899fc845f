import type { PartitionPhase } from '../platform/database/partitioning/partition-table.ts'
import type { Progress } from '../subgraphs/directory/import/progress.ts'

/** Progress of a long command; `total` is null when the amount is unknown. */
type Shown = {
  readonly phase:
    | Progress['phase']
    | PartitionPhase
    | 'filling'
    | 'backing-up'
    | 'restoring'
    | 'exporting'
    | 'importing'
    | 'encrypting'
  readonly done: number
  readonly total: number | null
}

/** Progress display on a stream. */
export type ProgressLine = { readonly show: (progress: Shown) => void; readonly clear: () => void }

const PHASES: Readonly<Record<Shown['phase'], { readonly title: string; readonly unit: string }>> = {
  reading: { title: 'Reading', unit: 'files' },
  fetching: { title: 'Fetching', unit: 'records' },
  storing: { title: 'Storing', unit: 'steps' },
  'backing-up': { title: 'Backing up', unit: 'rows' },
  exporting: { title: 'Exporting', unit: 'rows' },
  importing: { title: 'Importing', unit: 'bytes' },
  restoring: { title: 'Restoring', unit: 'bytes' },
  filling: { title: 'Filling', unit: 'steps' },
  encrypting: { title: 'Encrypting', unit: 'rows' },
  copying: { title: 'Copying', unit: 'rows' },
  indexing: { title: 'Building indexes', unit: 'indexes' },
  linking: { title: 'Adding foreign keys', unit: 'keys' },
  verifying: { title: 'Comparing', unit: 'rows' },
  waiting: { title: 'Waiting for other transactions', unit: 'rows' },
}

const BAR_CHARACTERS = 24

/** Minimum interval between two progress lines: in a log file, and on a terminal. */
const LOG_INTERVAL_MS = 5_000
const DRAW_INTERVAL_MS = 100

/** Progress line: redrawn in place on a terminal, appended every 5 s to a log. */
export function progressOn(stream: NodeJS.WriteStream): ProgressLine {
  let phase: Shown['phase'] | null = null
  let started = 0
  let shown = 0
  return {
    show: (progress) => {
      const now = performance.now()
      if (progress.phase !== phase) {
        phase = progress.phase
        started = now
        // In a log the first line waits one interval, so that short phases print nothing.
        shown = stream.isTTY ? 0 : now
      }
      if (now - shown < (stream.isTTY ? DRAW_INTERVAL_MS : LOG_INTERVAL_MS)) return
      shown = now
      const line = progressText(progress, now - started)
      stream.write(stream.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
    },
    clear: () => {
      if (stream.isTTY && phase !== null) stream.write('\r\u001b[K')
    },
  }
}

/** Progress as text: `Reading  [######------]  3,120 of 6,240 files  1,560/s  2 s left`. */
export function progressText({ phase, done, total }: Shown, milliseconds: number): string {
  const { title, unit } = PHASES[phase]
  const rate = milliseconds > 0 ? (done * 1_000) / milliseconds : 0
  const count = (value: number): string => Math.round(value).toLocaleString('en-US')
  if (total === null) return `${title}  ${count(done)} ${unit}  ${count(rate)}/s`
  const filled = total === 0 ? BAR_CHARACTERS : Math.round((BAR_CHARACTERS * done) / total)
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_CHARACTERS - filled)}]`
  const pace = phase === 'storing' || rate === 0 ? '' : `  ${count(rate)}/s  ${Math.ceil((total - done) / rate)} s left`
  return `${title}  ${bar}  ${count(done)} of ${count(total)} ${unit}${pace}`
}
