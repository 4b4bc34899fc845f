import { isText, type Problem, problem, problemsIn } from '../../toolkit/validation.ts'

/** A script that an app puts into pages of a store. */
export type ScriptTag = {
  readonly id: number
  readonly appId: number
  readonly url: string
  readonly template: 'LAYOUT' | 'HOME' | 'PRODUCT' | 'PAGE' | 'CATEGORY' | 'CART' | 'CHECKOUT'
  readonly element: 'HEAD' | 'BODY'
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a script to write. */
export type ScriptTagFields = Pick<ScriptTag, 'url' | 'template' | 'element'>

/** Fields as a caller gives them: undefined stays as it is. */
export type ScriptTagChange = { readonly [Field in keyof ScriptTagFields]?: ScriptTagFields[Field] | null | undefined }

/** All of them fit one page of the longest list. */
export const MAX_SCRIPT_TAGS = 250
const MAX_URL_LENGTH = 2_000

/**
 * http is allowed for tests on this machine only: elsewhere the script could be replaced in
 * transit.
 */
const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/

/** Problems of a script after a change, in the order of its fields. */
export const scriptTagProblems = ({ url, template, element }: ScriptTagChange): readonly Problem[] =>
  problemsIn([
    isScriptUrl(url ?? '')
      ? null
      : problem(
          'url',
          `an https URL of at most ${MAX_URL_LENGTH} characters, without a user, or an http URL of this computer`,
          url,
        ),
    template === null ? problem('template', 'a kind of pages', null) : null,
    element === null ? problem('element', 'a place in a page', null) : null,
  ])

function isScriptUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !isText(text) || /\s/.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
