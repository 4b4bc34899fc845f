import { type EventName, subjectOf } from '../events.ts'
import type { Access } from './grant.ts'
import { demand, demandForField } from './guard.ts'
import { scopesFor } from './rules.ts'
import type { Scope } from './scopes.ts'

/**
 * Types that a webhook body contains besides its subject: REST returns a fulfillment with its
 * order.
 */
const TYPES_WITHIN: Readonly<Partial<Record<string, readonly string[]>>> = { Fulfillment: ['Order'] }

/**
 * What reads all that a webhook sends of an event: of each list any one scope, of all lists
 * together.
 */
export function scopesOfEvent(event: EventName): readonly (readonly Scope[])[] {
  const { entity } = subjectOf(event)
  return [entity, ...(TYPES_WITHIN[entity] ?? [])].map((type) => {
    const scopes = scopesFor(type)
    if (!scopes) throw new Error(`Expected the type ${type}, of the event ${event}, to have @requiresScopes.`)
    return scopes
  })
}

/** Throws FORBIDDEN, with the missing scopes, for events whose subject the caller may not read. */
export function demandEvents(access: Access, events: readonly EventName[]): void {
  for (const scopes of events.flatMap(scopesOfEvent)) demand(access, scopes)
}

/**
 * Throws UNAUTHORIZED_FIELD_OR_TYPE for the body of a delivery whose subject the caller may not
 * read.
 */
export function demandBody(access: Access, event: EventName): void {
  for (const scopes of scopesOfEvent(event)) demandForField(access, 'WebhookDelivery.body', scopes)
}
