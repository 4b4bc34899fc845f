import type { Link } from './link.ts'

/** The name and URL of a subgraph. */
export type SubgraphLocation = { readonly name: string; readonly url: string }

/** A link with open connections. */
export type ClosableLink = Link & { readonly close: () => Promise<void> }

/** Pool of links with reference counts, so that connections survive a hot swap. */
export type LinkPool<Opened extends ClosableLink> = {
  /** Returns a link per location, reusing open ones; `release` closes links without other users. */
  readonly take: (locations: readonly SubgraphLocation[]) => {
    readonly links: readonly Opened[]
    readonly release: () => Promise<unknown>
  }
}

export function createLinkPool<Opened extends ClosableLink>(open: (location: SubgraphLocation) => Opened): LinkPool<Opened> {
  const links = new Map<string, { readonly link: Opened; users: number }>()

  return {
    take(locations) {
      const taken = locations.map((location) => {
        const key = JSON.stringify([location.name, location.url])
        const shared = links.get(key) ?? { link: open(location), users: 0 }
        links.set(key, shared)
        shared.users++
        return { key, shared }
      })
      return {
        links: taken.map(({ shared }) => shared.link),
        release: () =>
          Promise.all(
            taken.map(async ({ key, shared }) => {
              if (--shared.users > 0) return
              links.delete(key)
              await shared.link.close()
            }),
          ),
      }
    },
  }
}
