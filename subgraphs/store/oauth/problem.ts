import type { KoaContextWithOIDC } from 'oidc-provider'
import { PAGES } from './pages.ts'

/** Answers with an error of RFC 6749: browsers get the page of problems, programs JSON. */
export type ShowProblem = (
  ctx: Pick<KoaContextWithOIDC, 'accepts' | 'redirect' | 'status' | 'body'>,
  error: string,
  error_description: string | undefined,
) => void

/** `base` is the path of the installation, without a slash at the end. */
export const showProblemAt =
  (base: string): ShowProblem =>
  (ctx, error, error_description) => {
    if (ctx.accepts('json', 'html') === 'html') {
      ctx.status = 303
      ctx.redirect(`${base}${PAGES.problem}?error=${encodeURIComponent(error)}`)
    } else ctx.body = { error, error_description }
  }
