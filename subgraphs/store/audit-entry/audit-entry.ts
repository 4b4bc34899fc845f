import { badInput } from '../../../platform/graphql/errors.ts'
import type { StaffRole } from '../access/staff-roles.ts'
import type { AuditActor } from './audit-actor.ts'
import type { AuditNoun } from './audited-columns.ts'

/** A change of one object, as the audit log keeps it. */
export type AuditEntry = {
  readonly id: number
  readonly at: Date
  readonly actor: AuditActor['actor']
  /** Opaque id of a user of the social graph; null: not a USER, or deleted since. */
  readonly userId: string | null
  /** Null: not a USER. */
  readonly role: StaffRole | null
  /** Null: not an APP. */
  readonly appCode: string | null
  readonly operation: string
  /** Null: not a request. */
  readonly requestId: string | null
  readonly noun: AuditNoun
  readonly objectNumber: number
  readonly kind: 'CREATED' | 'UPDATED' | 'DELETED'
  /** By column: `[before, after]`, `[]` where no values are kept, `[value]` for what names the object. */
  readonly fields: Readonly<Record<string, readonly unknown[]>>
}

/** Which entries are looked for; null: all. */
export type AuditFilter = {
  readonly actor: AuditActor['actor'] | null
  readonly userId: string | null
  readonly noun: AuditNoun | null
  readonly objectNumber: number | null
  readonly from: Date | null
  readonly to: Date | null
}

type Given<Value> = { readonly [Key in keyof Value]?: Value[Key] | null | undefined }

/**
 * The filter of a caller. Throws BAD_USER_INPUT for a number without its noun, ids that are none,
 * and an end that is not after its beginning.
 */
export function auditFilterOf({ actor, userId, noun, objectNumber, from, to }: Given<AuditFilter>): AuditFilter {
  if (objectNumber != null && noun == null)
    throw badInput('filter.objectNumber', 'a number together with noun: each noun counts by itself', objectNumber)
  if (objectNumber != null && objectNumber < 1) throw badInput('filter.objectNumber', '1 or more', objectNumber)
  if (userId != null && !/^[\w-]{1,64}$/.test(userId)) throw badInput('filter.userId', 'the id of a user', userId)
  if (from && to && from >= to) throw badInput('filter.to', 'a time after from', to)
  return {
    actor: actor ?? null,
    userId: userId ?? null,
    noun: noun ?? null,
    objectNumber: objectNumber ?? null,
    from: from ?? null,
    to: to ?? null,
  }
}

/** A field of an entry. Values as texts; null: none, or not kept. */
export type AuditedField = {
  readonly name: string
  readonly isChanged: boolean
  readonly isValueStored: boolean
  readonly before: string | null
  readonly after: string | null
}

/** The fields of an entry, those that name the object first, otherwise by name. */
export const auditedFieldsOf = ({ fields, kind }: Pick<AuditEntry, 'fields' | 'kind'>): readonly AuditedField[] =>
  Object.entries(fields)
    .map(([column, values]) => fieldOf(column, values, kind))
    .toSorted((a, b) => Number(a.isChanged) - Number(b.isChanged) || (a.name < b.name ? -1 : 1))

function fieldOf(column: string, values: readonly unknown[], kind: AuditEntry['kind']): AuditedField {
  const [first, second] = values
  const isName = values.length === 1
  return {
    name: column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    isChanged: !isName,
    isValueStored: values.length > 0,
    before: isName && kind === 'CREATED' ? null : textOf(first),
    after: isName ? (kind === 'DELETED' ? null : textOf(first)) : textOf(second),
  }
}

const textOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
