import { ownValue } from '../../platform/collections/lookup-table.ts'
import { type FormProblems, NO_PROBLEMS } from '../frame/fields.ts'

/** A form that was sent and refused. */
export type RefusedChange = {
  /** Of its route, with its values: `/console/products/7`. */
  readonly path: string
  readonly field: (name: string) => string
  readonly problems: FormProblems
  /** The object was changed since the form was shown. */
  readonly isConflict: boolean
}

/** What a form on a page holds: what is stored, or what was typed into it and refused. */
export type FormState = {
  /** Unique on the page. */
  readonly idOf: (name: string) => string
  readonly valueOf: (name: string, stored: string) => string
  readonly isChecked: (name: string, stored: boolean) => boolean
  readonly problemOf: (name: string) => string | undefined
  readonly wasRefused: boolean
  /** Whether another change came between, so that what is stored now is shown beside. */
  readonly isConflict: boolean
}

/** Id of a field: forms of a page below the form of its object have a prefix. */
export const fieldId = (path: string, name: string): string => [...path.split('/').slice(4), name].join('-')

export function formState(path: string, refused: RefusedChange | null): FormState {
  const sent = refused?.path === path ? refused : null
  const { problems = NO_PROBLEMS, isConflict = false } = sent ?? {}
  return {
    idOf: (name) => fieldId(path, name),
    valueOf: (name, stored) => (sent ? sent.field(name) : stored),
    isChecked: (name, stored) => (sent ? sent.field(name) !== '' : stored),
    problemOf: (name) => ownValue(problems, name),
    wasRefused: sent !== null,
    isConflict,
  }
}
