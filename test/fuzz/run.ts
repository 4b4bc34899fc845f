import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, type SelectionSetNode } from 'graphql'
import { shrunk as smallerOperation } from '../gateway/differential/shrink.ts'
import { faultOfGraph, faultOfRest, resultOf } from './judgement.ts'
import { api, type FuzzedOperation, fuzzedOperationOf } from './operations.ts'
import { type Sent, sentOf } from './requests.ts'
import { shrunk } from './shrink.ts'
import type { Target } from './target.ts'

/** What was answered wrongly, as small as it was made, as `cases/` keeps it. */
export type Finding = {
  readonly protocol: 'graph' | 'rest'
  readonly seed: string
  readonly fault: string
  readonly sent: FuzzedOperation | Sent
}

/** A failure as it is kept for ever: a file of `cases/`. */
export type Case = { readonly why: string; readonly protocol: 'graph' | 'rest'; readonly sent: FuzzedOperation | Sent }

const APIS = {
  graph: {
    make: fuzzedOperationOf,
    ask: (target: Target, sent: FuzzedOperation, id: string) => target.ask(sent, id),
    fault: (_: FuzzedOperation, reply: Parameters<typeof faultOfGraph>[0]) => faultOfGraph(reply),
  },
  rest: { make: sentOf, ask: (target: Target, sent: Sent, id: string) => target.send(sent, id), fault: faultOfRest },
} as const

const LATE = /"code":"TIMEOUT"|^status 503|^no answer: .*(timeout|abort)/

/** Requests that are under way at once. */
const AT_ONCE = 8

/**
 * What is wrong with the answer to one request; null when nothing is. A request that is not
 * answered at all is wrong.
 */
export async function faultOf(
  target: Target,
  protocol: Finding['protocol'],
  sent: FuzzedOperation | Sent,
  id: string,
  came?: (result: string) => void,
): Promise<string | null> {
  const { ask, fault } = APIS[protocol] as {
    ask: (...given: unknown[]) => ReturnType<Target['ask']>
    fault: (...given: unknown[]) => string | null
  }
  const judged = async () => {
    try {
      const reply = await ask(target, sent, id)
      came?.(resultOf(reply))
      return fault(sent, reply)
    } catch (error) {
      return `no answer: ${error instanceof Error ? error.message : error}`
    }
  }
  const first = await judged()
  // A busy machine is late once; what is slow by itself is late again.
  return first !== null && LATE.test(first) ? judged() : first
}

/**
 * Asks what these seeds make at this door, and counts what the answers came to. `found` hears of
 * each failure, made small; `signal` ends it early.
 */
export async function run(
  target: Target,
  protocol: Finding['protocol'],
  seeds: readonly (number | string)[],
  {
    found,
    progress,
    signal,
  }: { readonly found: (finding: Finding) => void; readonly progress?: (done: number) => void; readonly signal?: AbortSignal },
): Promise<ReadonlyMap<string, number>> {
  const results = new Map<string, number>()
  let next = 0
  let done = 0
  const known = new Set<string>()
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results

  async function worker(): Promise<void> {
    while (next < seeds.length && !signal?.aborted) {
      const seed = String(seeds[next++])
      const sent = APIS[protocol].make(seed)
      const before = target.faults().length
      const fault = await faultOf(target, protocol, sent, `${protocol}-${seed}`, (result) =>
        results.set(result, (results.get(result) ?? 0) + 1),
      )
      progress?.(++done)
      const logged = target
        .faults()
        .slice(before)
        .find(({ id }) => id === `${protocol}-${seed}`)
      const what = fault ?? (logged ? `the log: ${logged.line}` : null)
      if (what === null || known.has(kindOf(what))) continue
      known.add(kindOf(what))
      found({ protocol, seed, fault: what, sent: fault === null ? sent : await small(sent, causeOf(what)) })
    }
  }

  async function small(sent: FuzzedOperation | Sent, cause: string): Promise<FuzzedOperation | Sent> {
    const fails = async (candidate: FuzzedOperation | Sent) => {
      const fault = await faultOf(target, protocol, candidate, 'shrinking')
      return fault !== null && causeOf(fault) === cause
    }
    if (!(await fails(sent))) return sent
    if (!isOperation(sent) || !isParsed(sent.query)) return shrunk(sent, fails)
    const { as, query, variables } = sent
    const operation = { name: '', query: String(query), variables: variables as Record<string, unknown> }
    const smaller = await smallerOperation(operation, api, ({ query, variables }) => fails({ as, query, variables }))
    return shrunk({ as, query: smaller.query, variables: smaller.variables }, fails)
  }
}

const isOperation = (sent: FuzzedOperation | Sent): sent is FuzzedOperation => 'query' in sent

function isParsed(query: unknown): boolean {
  try {
    const [definition] = parse(String(query)).definitions
    return (definition as { selectionSet?: SelectionSetNode } | undefined)?.selectionSet !== undefined
  } catch {
    return false
  }
}

/**
 * Failures that are alike, so that one of them is enough: without what differs from request to
 * request.
 */
const kindOf = (fault: string): string => fault.replaceAll(/request \S+ when|"requestId":"[^"]*"|\d+/g, '0').slice(0, 300)

/** The same while a request is made smaller, which changes names and places. */
const causeOf = (fault: string): string =>
  kindOf(fault)
    .replace(/"path":\[[^\]]*\]/, '')
    .slice(0, 80)

/** Keeps a failure as a case of the suite. Returns the file. */
export function keep({ protocol, seed, fault, sent }: Finding): string {
  const folder = join(import.meta.dirname, 'cases')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${protocol}-${seed.replaceAll(/\W/g, '-')}.json`)
  const fuzzCase: Case = { why: fault, protocol, sent }
  writeFileSync(file, `${JSON.stringify(fuzzCase, null, 2)}\n`)
  return file
}
