import { ownValue } from '../../platform/collections/lookup-table.ts'
import { type Html, html } from './html.ts'

/** Problems of a form, by the names of its fields; `''` is about none of them. */
export type FormProblems = Readonly<Record<string, string>>

export const NO_PROBLEMS: FormProblems = {}

/** What a text field holds. */
export type TextField = {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'email' | 'tel'
  readonly autocomplete: string
  readonly required?: boolean
  readonly maxLength?: number
  readonly hint?: string
}

/** A text field with its label, and what is wrong with it beside it. */
export const textField = (
  { name, label, value, type = 'text', autocomplete, required = false, maxLength = 200, hint }: TextField,
  problems: FormProblems,
): Html => html`<div><label for="${name}">${label}${!required && html` <span class="quiet">(optional)</span>`}</label>
<input type="${type}" id="${name}" name="${name}" value="${value}" maxlength="${maxLength}" autocomplete="${autocomplete}"${required && html` required`}${invalid(name, problems)}>${hint !== undefined && html`<p class="quiet field-hint">${hint}</p>`}${problemOf(name, problems)}</div>`

/** Attributes of a field with a problem. */
export const invalid = (name: string, problems: FormProblems): Html | false => invalidField(name, ownValue(problems, name))

/** The problem of a field. */
export const problemOf = (name: string, problems: FormProblems): Html | false => fieldProblem(name, ownValue(problems, name))

/** The same for a field whose id is not its name. */
export const invalidField = (id: string, problem: string | undefined): Html | false =>
  problem !== undefined && html` aria-invalid="true" aria-describedby="${id}-problem"`

/** The same for a field whose id is not its name. */
export const fieldProblem = (id: string, problem: string | undefined): Html | false =>
  problem !== undefined && html`<p class="field-problem" id="${id}-problem">${problem}</p>`

/** What stands above a form that was refused. */
export function problemSummary(problems: FormProblems): Html | false {
  const count = Object.keys(problems).length
  const general = problems['']
  return (
    count > 0 &&
    html`<div class="alert tone-bad" role="alert">${general !== undefined && html`<p>${general}</p>`}${
      count > (general === undefined ? 0 : 1) &&
      html`<ul>${Object.entries(problems).map(([name, message]) => name !== '' && html`<li><a href="#${name}">${message}</a></li>`)}</ul>`
    }</div>`
  )
}

/** Controls that no shopper types, and browsers cannot show. */
const UNTYPED = /[\p{Cc}\p{Cs}]/u

/**
 * What is wrong with texts that shoppers typed: those that are missing or too long, or hold
 * characters that are none. `labels` names the required ones as a sentence does.
 */
export function textProblems(
  values: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
  maxLength = 200,
): FormProblems {
  const problemIn = (name: string, value: string): string | null => {
    const label = ownValue(labels, name)
    if (label !== undefined && value.trim() === '') return `Enter ${label}.`
    if (value.length > maxLength) return `Enter at most ${maxLength} characters; these are ${value.length}.`
    return UNTYPED.test(value.replace(/[\t\r\n]/g, ' ')) ? 'Enter letters, digits and signs only.' : null
  }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const problem = problemIn(name, value)
      return problem === null ? [] : [[name, problem]]
    }),
  )
}
