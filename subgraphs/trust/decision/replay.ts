import { createHash } from 'node:crypto'
import type { Engine } from '../assessment/engine.ts'
import type { Decision } from './decision.ts'

/** What differs at one place of two answers; undefined where one has nothing. */
export type DecisionChange = { readonly pointer: string; readonly before: unknown; readonly after: unknown }

export type Replay = {
  readonly identical: boolean
  /** Null when nothing differs. */
  readonly explanation: string | null
  readonly changes: readonly DecisionChange[]
  readonly storedDigest: string
  /** Null when it could not be decided again. */
  readonly replayedDigest: string | null
}

/** Most reported differences; a decision has fewer fields than that. */
const MAX_CHANGES = 100

/** Decides again from stored input, with the policy of that time. */
export function replay({ snapshot, request, policyVersion, override, text }: Decision, engine: Engine): Replay {
  const storedDigest = digest(text)
  if (!engine.knowsPolicy(policyVersion)) {
    const explanation = `This release does not have the tables of policy version ${policyVersion} any more; it decides by ${engine.policyVersion}.`
    return { identical: false, explanation, changes: [], storedDigest, replayedDigest: null }
  }
  const again = engine.textOf(engine.decide(snapshot, request, policyVersion, override))
  const replayedDigest = digest(again)
  if (again === text) return { identical: true, explanation: null, changes: [], storedDigest, replayedDigest }
  const changes = changesBetween(JSON.parse(text), JSON.parse(again), '').slice(0, MAX_CHANGES)
  return {
    identical: false,
    explanation: `The same evidence, request and policy gave another answer: ${changes.length} places differ.`,
    changes,
    storedDigest,
    replayedDigest,
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Where two JSON values differ, by JSON Pointer. Lists are compared place by place. */
function changesBetween(before: unknown, after: unknown, pointer: string): DecisionChange[] {
  if (Object.is(before, after)) return []
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) return [{ pointer, before, after }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key) =>
    changesBetween(
      // Read by the keys of both.
      (before as Record<string, unknown>)[key],
      (after as Record<string, unknown>)[key],
      `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    ),
  )
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null
