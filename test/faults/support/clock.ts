/**
 * Loaded before a process of Atrium: its clock is ahead by the milliseconds in the file with the
 * name of its role, in the folder FAULT_CLOCKS, read twenty times a second; behind where they are
 * negative. Durations, which are measured by another clock, stay right, as they do when an
 * administrator sets the clock.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(process.env.FAULT_CLOCKS ?? '', process.env.ATRIUM_ROLE ?? '')
let ahead = 0

function look(): void {
  try {
    ahead = Number(readFileSync(file, 'utf8'))
  } catch {
    ahead = 0
  }
}

look()
setInterval(look, 50).unref()

const RightDate = Date
const now = () => RightDate.now() + ahead
globalThis.Date = new Proxy(RightDate, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
