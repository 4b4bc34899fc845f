import { parentPort, workerData } from 'node:worker_threads'
import pino from 'pino'
import { enableCompileCache } from '../../../platform/process/compile-cache.ts'
import type { Task, TaskResults, ThreadMessage } from './task.ts'

// A worker thread: runs the task of its `workerData`, and ends.
enableCompileCache()

const ended = new AbortController()
const post = (message: ThreadMessage): void => parentPort?.postMessage(message)
const log = pino({ level: 'debug' }, { write: (line: string) => post({ kind: 'log', line }) })
const now = () => new Date()

parentPort?.once('message', () => ended.abort(new Error('The process ends.')))

async function run(task: Task): Promise<TaskResults[Task['kind']]> {
  const { connection } = task
  const { signal } = ended
  switch (task.kind) {
    case 'remove-source': {
      const { removeWithItems } = await import('../source/removal.ts')
      return removeWithItems(task.source, { connection, log, now: now() })
    }
    case 'run-source': {
      const [{ runSource }, { sourceRepository }] = await Promise.all([
        import('../source/run.ts'),
        import('../source/repository.ts'),
      ])
      return withNetwork(task, async ({ http, query }) => {
        const sources = sourceRepository(query)
        const { requestsPerHour } = task.network
        await runSource(task.id, { connection, sources, http, requestsPerHour, now, signal, log })
        return null
      })
    }
    case 'observe-repositories': {
      const [{ observeRepositories }, { observationRepository }] = await Promise.all([
        import('../observation/observe.ts'),
        import('../observation/repository.ts'),
      ])
      return withNetwork(task, ({ http, query }) => {
        const observations = observationRepository(query)
        return observeRepositories(task.due, { connection, observations, http, github: task.github, now, signal, log })
      })
    }
    case 'observe-packages': {
      const [{ observePackages }, { packageRepository }] = await Promise.all([
        import('../published-package/observe.ts'),
        import('../published-package/repository.ts'),
      ])
      return withNetwork(task, ({ http, query }) => {
        const packages = packageRepository(query)
        return observePackages(task.due, { connection, packages, http, settings: task.settings, now, signal, log })
      })
    }
  }
}

type Opened = {
  readonly http: ReturnType<typeof import('../source/network.ts').sourceHttp>
  readonly query: ReturnType<typeof import('../../../platform/database/database.ts').openDatabase<Tables>>['query']
}
type Tables = import('../tables.ts').Tables

/** Opens what a task reads with, and closes it behind the task. */
async function withNetwork<Result>(
  { connection, network }: Extract<Task, { readonly network: unknown }>,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const [{ sourceHttp }, { openDatabase }] = await Promise.all([
    import('../source/network.ts'),
    import('../../../platform/database/database.ts'),
  ])
  const http = sourceHttp(network)
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const database = openDatabase<Tables>(connection, { schema: 'directory', max: 2, onError })
  try {
    return await work({ http, query: database.query })
  } finally {
    await http.close()
    await database.close()
  }
}

try {
  // The parent passes a `Task`.
  post({ kind: 'done', result: await run(workerData as Task) })
} catch (error) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  post({ kind: 'failed', name, message, stack })
}
