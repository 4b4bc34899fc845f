import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { fieldOf } from './form.ts'
import { type Html, html } from './html.ts'
import type { Site } from './site.ts'

/** Somebody who looks at a sign-in form, or is signed in. */
export type Visit = {
  /** Stands in every form of this visit: a page of another site cannot know it. */
  readonly formToken: string
}

/** The field of forms that holds the token of a visit. */
export const FORM_TOKEN = 'token'

/** Whether a form comes from a page of this visit. */
export function isFormOf({ formToken }: Visit, request: FastifyRequest): boolean {
  const [token, expected] = [Buffer.from(fieldOf(request, FORM_TOKEN)), Buffer.from(formToken)]
  return token.length === expected.length && timingSafeEqual(token, expected)
}

/** A form that changes something: only from a page of this visit. `hasFile`: a file goes along. */
export const changeForm = (path: string, { formToken }: Visit, { at }: Site, fields: Html, hasFile = false): Html =>
  html`<form method="post" action="${at(path)}"${hasFile && html` enctype="multipart/form-data"`}><input type="hidden" name="${FORM_TOKEN}" value="${formToken}">${fields}</form>`

export const newFormToken = (): string => randomBytes(18).toString('base64url')
