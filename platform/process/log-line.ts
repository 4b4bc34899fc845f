import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Levels of pino by number. */
const LEVELS: ReadonlyMap<unknown, readonly [name: string, style: Style]> = new Map([
  [10, ['trace', 'gray']],
  [20, ['debug', 'gray']],
  [30, ['info', 'green']],
  [40, ['warn', 'yellow']],
  [50, ['error', 'red']],
  [60, ['fatal', 'red']],
])

/** Shown elsewhere, or of no use to a reader of one process. */
const HIDDEN: readonly string[] = ['level', 'time', 'pid', 'hostname', 'msg', 'err', 'requestId', 'address']
/** Longest text of one value: a list of migrations fills the screen otherwise. */
const MAX_VALUE_CHARACTERS = 120

/** A line of the log for a person: time, level, message, and what belongs to it. */
export function readableLine(json: string): string {
  let record: Record<string, unknown>
  try {
    // Pino writes objects.
    record = JSON.parse(json) as Record<string, unknown>
  } catch {
    return json
  }
  const [name, style] = LEVELS.get(record.level) ?? ['log', 'gray']
  const time = new Date(Number(record.time)).toLocaleTimeString('en-GB')
  const { text, used } = messageOf(record)
  const rest = Object.entries(record)
    .filter(([key]) => !HIDDEN.includes(key) && !used.includes(key))
    .map(([key, value]) => `${key}=${valueText(value)}`)
  const fault = faultOf(record.err)
  const line = `${styleText('gray', time)} ${styleText(style, name.padEnd(5))} ${text}${rest.length > 0 ? ` ${styleText('gray', rest.join(' '))}` : ''}\n`
  return fault === null ? line : `${line}${fault}\n`
}

/** A request has a form of its own: its method, path, status and time are what one looks for. */
function messageOf({ msg, method, path, status, ms }: Record<string, unknown>): {
  readonly text: string
  readonly used: readonly string[]
} {
  if (msg !== 'request' || typeof method !== 'string') return { text: printable(String(msg ?? '')), used: [] }
  const style: Style = Number(status) >= 500 ? 'red' : Number(status) >= 400 ? 'yellow' : 'green'
  return {
    text: `${method} ${printable(String(path))} ${styleText(style, String(status))} ${Math.round(Number(ms))} ms`,
    used: ['method', 'path', 'status', 'ms'],
  }
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.length > 3) return `${value.length} values`
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return printable(text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}…` : text)
}

function faultOf(err: unknown): string | null {
  if (typeof err !== 'object' || err === null) return null
  // Whatever was thrown: both may be missing.
  const { stack, message } = err as { readonly stack?: unknown; readonly message?: unknown }
  return String(stack ?? message ?? '')
    .split('\n')
    .map(printable)
    .join('\n')
}

/** Clients choose paths: what moves a cursor or colours a terminal is shown, not done. */
const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
