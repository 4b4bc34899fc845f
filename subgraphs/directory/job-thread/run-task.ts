import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Task, TaskResult, ThreadMessage } from './task.ts'

/** The file of the thread, which is what loads readers and the merge. */
const THREAD = new URL('./thread.ts', import.meta.url)
/** What runs when the process ends is terminated after this. Milliseconds. */
const STOP_TIMEOUT_MS = 4_000

/**
 * Runs a task in a thread of its own, so that reading and merging never delay requests; a thread
 * that runs out of memory ends alone. Rejects with the fault of the task, or the signal's reason.
 */
export async function runTask<Kind extends Task['kind']>(
  task: Extract<Task, { readonly kind: Kind }>,
  { log, signal }: { readonly log: Logger; readonly signal?: AbortSignal },
): Promise<TaskResult<Kind>> {
  signal?.throwIfAborted()
  const worker = new Worker(THREAD, { workerData: task, execArgv: [], name: `directory ${task.kind}` })
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    worker.postMessage('stop')
    timer = setTimeout(() => void worker.terminate(), STOP_TIMEOUT_MS)
  }
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await resultOf<Kind>(worker, log)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    clearTimeout(timer)
    void worker.terminate()
  }
}

function resultOf<Kind extends Task['kind']>(worker: Worker, log: Logger): Promise<TaskResult<Kind>> {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult<Kind>>()
  worker.on('message', (message: ThreadMessage) => {
    // The kind of the task decides what its thread sends.
    if (message.kind === 'done') resolve(message.result as TaskResult<Kind>)
    else if (message.kind === 'log') forward(message.line, log)
    else reject(Object.assign(new Error(message.message), { name: message.name, stack: message.stack }))
  })
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('The thread of a job of the directory ended before the job did.')))
  return promise
}

/** A line of the thread's log, in ours. */
function forward(line: string, log: Logger): void {
  // Our thread writes it.
  const { level, time, pid, hostname, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  void time
  void pid
  void hostname
  const label = log.levels.labels[Number(level)]
  const method = label === 'debug' || label === 'warn' || label === 'error' ? label : 'info'
  log[method](fields, String(msg))
}
