import type { FastifyRequest } from 'fastify'

/** A signed-in user, as far as the cookie knows: the graph says whether the session goes on. */
export type SiteReader = {
  /** Stands in every form that this reader sees. */
  readonly formToken: string
  readonly user: { readonly id: string; readonly name: string }
}

/** What pages know about where they are. */
export type Site = {
  /** Where clients reach us, without a slash at the end. */
  readonly publicUrl: string
  /**
   * Address of a path of ours for links inside the site: with what `publicUrl` has behind its host,
   * and without its host, which a visitor may call otherwise.
   */
  readonly at: (path: string) => string
  /** The same of one of our files, by its own name. */
  readonly asset: (name: string) => string
  /** Places in the head and foot of every page. */
  readonly navigation: readonly NavigationLink[]
  /** The signed-in user of a request, or of its answer where that signs in or out; null: none. */
  readonly readerOf: (request: FastifyRequest) => SiteReader | null
}

/** Somewhere that pages lead to. */
export type NavigationLink = { readonly path: string; readonly label: string }

/** The path of an absolute address of ours, for links. */
export const pathIn = (url: string): string => new URL(url).pathname
