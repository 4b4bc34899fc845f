import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/**
 * Waits until `child` exits; returns the last 20 lines of its standard error, each also passed to
 * `onLine`.
 */
export function waitForExit(
  child: ChildProcess,
  onLine: (line: string) => void = () => {},
): Promise<{ code: number | null; lines: readonly string[] }> {
  const lines: string[] = []
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line)
      if (lines.length > 20) lines.shift()
      onLine(line)
    })
  }
  return new Promise((done) => {
    child.once('error', (error) => done({ code: null, lines: [reasonOf(error)] }))
    child.once('close', (code) => done({ code, lines }))
  })
}

/** The line with the reason, without its level. */
export const reasonIn = (lines: readonly string[]): string =>
  (lines.findLast((line) => /^(ERROR|FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'it gave no reason').replace(/^\w+: +/, '')

/** The message of whatever was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
