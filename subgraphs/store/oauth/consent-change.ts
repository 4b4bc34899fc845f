import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditActor } from '../audit-entry/audit-actor.ts'

/** A request that may give or end a consent, for the audit log of the store. */
export type ConsentChange = {
  /** Mutation, or path of a route of OAuth. */
  readonly operation: string
  readonly requestId: string
  /** Who answers for the store; null: the app that has the consent. */
  readonly actor: AuditActor | null
}

const changes = new AsyncLocalStorage<ConsentChange>()

/** Runs `work`, in which the protocol's library may change consents: it passes nothing on to where they are stored. */
export const withConsentChange = <Result>(change: ConsentChange, work: () => Result): Result => changes.run(change, work)

/** The request that is being answered; null outside of one. */
export const currentConsentChange = (): ConsentChange | null => changes.getStore() ?? null
