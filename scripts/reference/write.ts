/**
 * Writes the pages of docs/reference that code states: `npm run generate` runs it once the
 * generated types are there.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referencePages } from './pages.ts'

for (const [file, text] of await referencePages()) {
  const path = join(import.meta.dirname, '../..', file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
