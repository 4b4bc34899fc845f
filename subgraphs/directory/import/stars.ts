import { readFileSync, statSync } from 'node:fs'
import type { Skip } from './contribution.ts'

/** Stars of one repository on one day. */
export type StarCount = { readonly repository: string; readonly stars: number; readonly asOf: string }

/** 16 MB are some 400,000 repositories. Bytes. */
const LIMIT = 16_000_000

const LINE = /^([A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}),(0|[1-9]\d{0,9}),(\d{4}-\d{2}-\d{2})$/

const MAX_INTEGER = 2_147_483_647

/** A file that cannot be read at all; `message` is a sentence. */
export class StarsUnreadable extends Error {
  override readonly name = 'StarsUnreadable'
}

/** Reads a `--stars` file. Throws StarsUnreadable. */
export function readStars(file: string): ReturnType<typeof parseStars> {
  try {
    if (statSync(file).size > LIMIT) throw new StarsUnreadable(`Expected ${JSON.stringify(file)} to have at most 16 MB.`)
    return parseStars(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof StarsUnreadable) throw error
    throw new StarsUnreadable(`Expected ${JSON.stringify(file)} to be a file that can be read, for --stars.`)
  }
}

/**
 * Lines of `owner/repo,stars,asOf` (a whole number, a date such as 2026-11-20), with or without
 * that heading. Of two lines for one repository the newer counts, of one day the larger. Lines that
 * are anything else are skipped with their number.
 */
export function parseStars(
  text: string,
  file: string,
): { readonly counts: readonly StarCount[]; readonly skipped: readonly Skip[] } {
  const counts = new Map<string, StarCount>()
  const skipped: Skip[] = []
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (line === '' || (index === 0 && /^owner\/repo,/i.test(line))) continue
    const count = readLine(line)
    if (typeof count === 'string') skipped.push({ origin: `file:${file}`, path: '', line: index + 1, reason: count })
    else {
      const earlier = counts.get(count.repository)
      if (!earlier || isNewer(count, earlier)) counts.set(count.repository, count)
    }
  }
  return { counts: [...counts.values()], skipped }
}

const isNewer = (one: StarCount, other: StarCount): boolean =>
  one.asOf > other.asOf || (one.asOf === other.asOf && one.stars > other.stars)

function readLine(line: string): StarCount | string {
  const [, repository, stars, asOf] = LINE.exec(line) ?? []
  if (repository === undefined || stars === undefined || asOf === undefined) {
    return 'is not owner/repo,stars,asOf with a whole number and a date such as 2026-11-20'
  }
  if (Number(stars) > MAX_INTEGER) return `has more than ${MAX_INTEGER} stars`
  const date = new Date(`${asOf}T00:00:00Z`)
  // 2026-02-30 is rolled into March where it is not refused.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== asOf) return 'has a date that does not exist'
  return { repository: repository.toLowerCase(), stars: Number(stars), asOf }
}
