import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { graphql } from 'graphql'
import { createHandler } from 'graphql-sse/lib/use/http'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { unusedPort } from '../../support/program.ts'
import { beginHosted, type Running } from '../../support/server-hosts.ts'

/** A subgraph as another process would serve it. */
export type ServedSubgraph = {
  readonly url: string
  readonly server: Server
  /** Of every request so far. */
  readonly headers: Record<string, unknown>[]
  /** Answers wait until the returned function is called. */
  readonly hold: () => () => void
}

/** Serves JSON, and event streams by the reference implementation of their protocol. */
export async function serveSubgraph(subgraph: Subgraph): Promise<ServedSubgraph> {
  const headers: ServedSubgraph['headers'] = []
  let gate: Promise<void> | null = null
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    const { authorization = '' } = request.headers
    const contextValue = subgraph.context({ requestId: '', address: '', credentials: { authorization } })
    if (request.headers.accept === 'text/event-stream') {
      const events = createHandler({ schema: subgraph.schema, context: () => contextValue as never })
      // It rejects when it writes to a reader who has just left.
      return events(request, response).catch(() => {})
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const { query, variables } = JSON.parse(body)
    await gate
    const answer = await graphql({ schema: subgraph.schema, source: query, variableValues: variables, contextValue })
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, server, headers, hold }

  function hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    return resolve
  }
}

/** The program of `node gateway/main.ts`, running. */
export type GatewayProgram = Omit<Running, 'said'> & {
  /** Where it answers, without a path. */
  readonly base: string
  /** Its log lines so far with this message. */
  readonly said: (message: string) => readonly Record<string, unknown>[]
  /** Ends it as an operator does; resolves when it has ended. */
  readonly stop: () => Promise<void>
}

/** Starts the program; resolves when it says that it is ready, or has ended. */
export async function startProgram(env: Readonly<Record<string, string>>): Promise<GatewayProgram> {
  const running = await startStandalone({ PORT: String(await unusedPort()), ...env })
  const { child, out, err, ended } = running
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  return {
    ...running,
    base: /http:\S+(?=\/graphql)/.exec(err())?.[0] ?? err(),
    said: (message) =>
      out()
        .split('\n')
        // The last line may be on its way.
        .slice(0, -1)
        .filter((line) => line.includes(message))
        .map((line) => JSON.parse(line)),
    async stop() {
      // Its process may be another program's by now.
      if (!hasEnded) child.kill('SIGTERM')
      await ended
    },
  }
}

/**
 * The same with nothing else in its environment, in a process that has loaded it for another test
 * where there is one.
 */
export async function startStandalone(env: Readonly<Record<string, string>>): Promise<Running> {
  const running = beginHosted({ module: 'gateway/standalone/serve.ts', args: [], env: { PATH: process.env.PATH ?? '', ...env } })
  let isOver = false
  void running.ended.then(() => {
    isOver = true
  })
  while (!isOver && !running.err().includes('ready')) await sleep(20)
  return running
}
