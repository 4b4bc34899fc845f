import type { HttpLink } from './remote-subgraph.ts'

/** Where a subgraph is. */
export type Location = { readonly name: string; readonly url: string }

/** Links that several graphs may use one after the other. */
export type LinkPool = {
  /** Links to these subgraphs, those that are open already among them; `release` closes what nobody else has taken. */
  readonly take: (locations: readonly Location[]) => {
    readonly links: readonly HttpLink[]
    readonly release: () => Promise<unknown>
  }
}

export function linkPool(open: (location: Location) => HttpLink): LinkPool {
  const links = new Map<string, { readonly link: HttpLink; users: number }>()

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
