import { randomUUID } from 'node:crypto'
import { fieldProblem, invalidField } from '../frame/fields.ts'
import { type Html, html } from '../frame/html.ts'
import type { FormState } from './form-state.ts'

type Field = { readonly name: string; readonly label: string; readonly stored: string; readonly hint?: string | undefined }

type TextInput = Field & {
  readonly type?: 'text' | 'email' | 'url' | 'tel' | 'datetime-local'
  /** Shows the keyboard for it on phones. */
  readonly inputmode?: 'decimal' | 'numeric'
  readonly maxLength?: number
  readonly isRequired?: boolean
  readonly autocomplete?: string
}

/** A field of one line. */
export function textInput(form: FormState, field: TextInput): Html {
  const { name, label, stored, type = 'text', inputmode, maxLength = 255, isRequired = false, autocomplete = 'off' } = field
  const id = form.idOf(name)
  return html`<div><label for="${id}">${label}${!isRequired && html` <span class="quiet">(optional)</span>`}</label>
<input type="${type}" id="${id}" name="${name}" value="${form.valueOf(name, stored)}" maxlength="${maxLength}" autocomplete="${autocomplete}"${inputmode && html` inputmode="${inputmode}"`}${isRequired && html` required`}${invalidField(id, form.problemOf(name))}>${below(form, field)}</div>`
}

/** A field for a secret, which is never shown: neither what is stored nor what was typed. */
export function secretInput(form: FormState, { name, label, hint }: Omit<Field, 'stored'> & { readonly hint: string }): Html {
  const id = form.idOf(name)
  return html`<div><label for="${id}">${label}</label>
<input type="password" id="${id}" name="${name}" value="" maxlength="500" autocomplete="off"${invalidField(id, form.problemOf(name))}><p class="quiet field-hint">${hint}</p>${fieldProblem(id, form.problemOf(name))}</div>`
}

/** A field of several lines. */
export function textArea(
  form: FormState,
  field: Field & { readonly rows: number; readonly maxLength: number; readonly isRequired?: boolean },
): Html {
  const { name, label, stored, rows, maxLength, isRequired = false } = field
  const id = form.idOf(name)
  // A browser takes a first line break for markup.
  return html`<div><label for="${id}">${label}${!isRequired && html` <span class="quiet">(optional)</span>`}</label>
<textarea id="${id}" name="${name}" rows="${rows}" maxlength="${maxLength}"${isRequired && html` required`}${invalidField(id, form.problemOf(name))}>
${form.valueOf(name, stored)}</textarea>${below(form, field)}</div>`
}

/** A choice of words; `stored` is the word that is chosen. */
export function selectInput(
  form: FormState,
  field: Field & { readonly options: readonly (readonly [value: string, label: string])[] },
): Html {
  const { name, label, stored, options } = field
  const id = form.idOf(name)
  const chosen = form.valueOf(name, stored)
  return html`<div><label for="${id}">${label}</label><select id="${id}" name="${name}"${invalidField(id, form.problemOf(name))}>${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select>${below(form, field)}</div>`
}

/** A switch. */
export function checkbox(
  form: FormState,
  { name, label, stored }: { readonly name: string; readonly label: string; readonly stored: boolean },
): Html {
  const id = form.idOf(name)
  return html`<p class="choice"><input type="checkbox" id="${id}" name="${name}" value="yes"${form.isChecked(name, stored) && html` checked`}> <label for="${id}">${label}</label>${
    form.isConflict && form.isChecked(name, stored) !== stored && storedNow(stored ? 'on' : 'off')
  }</p>`
}

/** A version that the form was made of: the graph refuses to overwrite a newer one. */
export const versionField = (version: number): Html => html`<input type="hidden" name="version" value="${version}">`

/** What a form sends once: a second click changes nothing more. */
export const onceField = (): Html => html`<input type="hidden" name="once" value="${randomUUID()}">`

function below(form: FormState, { name, stored, hint }: Field): Html {
  const typed = form.valueOf(name, stored).replaceAll('\r\n', '\n')
  return html`${hint !== undefined && html`<p class="quiet field-hint">${hint}</p>`}${fieldProblem(form.idOf(name), form.problemOf(name))}${
    form.isConflict && typed !== stored && storedNow(stored === '' ? 'nothing' : stored)
  }`
}

const storedNow = (value: string): Html => html`<p class="field-stored">Stored now: ${value}</p>`
