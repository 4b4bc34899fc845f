import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site, SiteReader } from '../frame/site.ts'

/** The form for a new post; `about`: the item of the directory that it is about, if any. */
export const writeForm = (
  reader: SiteReader | null,
  site: Site,
  {
    about = null,
    path,
    typed = () => '',
  }: {
    readonly about?: { readonly id: string; readonly name: string } | null
    /** Of the page that it stands on, to come back to. */
    readonly path: string
    readonly typed?: (field: string) => string
  },
): Html =>
  reader === null
    ? html`<p><a class="button${about && ' secondary'}" href="${site.at(`/account/sign-in?${new URLSearchParams({ next: path })}`)}">Sign in to write a post${about && html` about ${about.name}`}</a></p>`
    : html`<details class="write"${typed('title') + typed('content') !== '' && html` open`}><summary>Write a post${about && html` about ${about.name}`}</summary>
${changeForm(
  '/posts',
  reader,
  site,
  html`<input type="hidden" name="aboutId" value="${about?.id ?? typed('aboutId')}">
<p><label for="title">Title</label><input type="text" id="title" name="title" value="${typed('title')}" maxlength="200" autocomplete="off" required></p>
<p><label for="post-text">Text; Markdown works</label><textarea id="post-text" name="content" rows="8" maxlength="50000" required>
${typed('content')}</textarea></p>
<p class="actions"><button name="published" value="yes">Publish</button> <button name="published" value="no" class="secondary">Save as draft</button></p>`,
)}</details>`
