import type { EventName } from '../events.ts'
import { subjectOf } from '../webhook-delivery/webhook-delivery.ts'
import type { Access } from './access.ts'
import { demand } from './guard.ts'
import { scopesFor } from './rules.ts'
import type { Scope } from './scopes.ts'

/** Scopes of which any one reads the thing that an event is about, and so what a webhook sends of it. */
export function scopesOfEvent(event: EventName): readonly Scope[] {
  const { entity } = subjectOf(event)
  const scopes = scopesFor(entity)
  if (!scopes) throw new Error(`Expected the type ${entity}, of the event ${event}, to have @requiresScopes.`)
  return scopes
}

/** Throws FORBIDDEN, with the scopes that are missing, for events of things that may not be read. */
export function demandEvents(access: Access, events: readonly EventName[]): void {
  for (const event of events) demand(access, scopesOfEvent(event))
}
