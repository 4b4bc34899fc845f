import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { graphql } from 'graphql'
import { createHandler } from 'graphql-sse/lib/use/http'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { unusedPort } from '../../support/program.ts'

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

/** `node gateway/main.ts`, running. */
export type GatewayProgram = {
  readonly child: ChildProcess
  /** Where it answers, without a path. */
  readonly base: string
  /** Its log lines so far with this message. */
  readonly said: (message: string) => readonly Record<string, unknown>[]
  readonly ended: Promise<number | null>
}

/** Starts the program; resolves when it says that it is ready, or has ended. */
export async function startProgram(env: Record<string, string>): Promise<GatewayProgram> {
  const child = spawn(process.execPath, ['gateway/main.ts'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH, PORT: String(await unusedPort()), ...env },
  })
  let [out, said] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ready = new Promise<void>((resolve) =>
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (said.includes('ready')) resolve()
    }),
  )
  await Promise.race([ready, ended])
  return {
    child,
    ended,
    base: /http:\S+(?=\/graphql)/.exec(said)?.[0] ?? said,
    said: (message) =>
      out
        .split('\n')
        .filter((line) => line.includes(message))
        .map((line) => JSON.parse(line)),
  }
}
