import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { FLAGS } from './server-hosts.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What a command wrote, and its exit code: null when a signal ended it. */
export type Ended = { readonly out: string; readonly err: string; readonly code: number | null }

/** Commands that are servers: they end with their process. */
const SERVERS: ReadonlySet<string | undefined> = new Set(['start', 'cluster', 'mcp'])

/**
 * Commands by their first two words, and whether they had input, that this process has run as
 * processes of their own.
 */
const proved = new Set<string>()

/**
 * Runs `npx atrium …` to its end, with `input` as standard input and no other environment than
 * `env`. The first run of each command, and the first with input, is a process of its own, as for an
 * operator. Later ones share a process, which has loaded what they import: it is nine tenths of the
 * processor time of most. What runs beside another command is always a process of its own.
 */
export async function runAtrium(words: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ended> {
  const command = [...words.slice(0, 2), input === '' ? 'without input' : 'with input'].join(' ')
  if (isBusy || SERVERS.has(words[0]) || !proved.has(command)) {
    proved.add(command)
    return runProcess(words, env, input)
  }
  isBusy = true
  try {
    return await runShared(words, env, input)
  } finally {
    isBusy = false
  }
}

/** Runs `npx atrium …` to its end, as a process of its own. */
export async function runProcess(words: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [...FLAGS, 'cli/atrium.ts', ...words], {
    cwd: ROOT,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A command may end before it has read everything.
  child.stdin.on('error', () => {}).end(input)
  const exit = once(child, 'exit')
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { out, err, code }
}

type Runner = ChildProcessByStdio<Writable, Readable, Readable>
let runner: Runner | null = null
let isBusy = false

async function runShared(words: readonly string[], env: NodeJS.ProcessEnv, input: string): Promise<Ended> {
  runner ??= startRunner()
  const mark = `end of ${randomUUID()} `
  runner.stdin.write(`${JSON.stringify({ words, env, mark, input })}\n`)
  const [out, err] = await Promise.all([textUntil(runner.stdout, mark), textUntil(runner.stderr, mark)])
  return { out: out.text, err: err.text, code: out.code }
}

/** Ends with this process, which does not wait for it: pipes to a child are sockets. */
function startRunner(): Runner {
  const child = spawn(process.execPath, [...FLAGS, 'test/support/command-runner.ts'], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket).unref()
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8')
  child.once('exit', () => {
    runner = null
  })
  return child
}

/** Text of a stream up to the line with `mark`, and the exit code behind it; null when the stream ends before. */
function textUntil(stream: Readable, mark: string): Promise<{ readonly text: string; readonly code: number | null }> {
  return new Promise((resolve) => {
    let text = ''
    const settle = (code: number | null) => {
      stream.off('data', read).off('end', ended)
      resolve({ text: code === null ? text : text.slice(0, text.lastIndexOf(mark)), code })
    }
    const ended = () => settle(null)
    const read = (chunk: string) => {
      text += chunk
      if (!text.endsWith('\n')) return
      const at = text.lastIndexOf(mark)
      if (at !== -1) settle(Number(text.slice(at + mark.length)))
    }
    stream.on('data', read).once('end', ended)
  })
}
