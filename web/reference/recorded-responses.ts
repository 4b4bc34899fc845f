import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What stands for the address of the product that was recorded. */
export const RECORDED_ORIGIN = 'https://atrium.example'

/** Where the recorded responses are. */
export const RECORDED_FILE = join(import.meta.dirname, 'recorded-responses.json')

/**
 * Bodies that a product with its demo store and the sample directory answered, by facade and
 * operation: what readers of the reference get too. Lists are cut. Written by
 * `npx node scripts/reference/record-responses.ts`.
 */
export const recordedResponses = (): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  // Our own file, whose bodies a test compares with the contracts.
  JSON.parse(readFileSync(RECORDED_FILE, 'utf8')) as Readonly<Record<string, Readonly<Record<string, unknown>>>>
