import { print } from 'graphql'
import { compose, type SubgraphDefinition } from '../../../gateway/planning/composition.ts'

const composed = new Map<string, string>()

/**
 * What `compose` makes of these subgraphs. It is made once for each graph of this process; URLs,
 * which have other ports in each test, are put into it.
 */
export function composeOnce(subgraphs: readonly SubgraphDefinition[]): string {
  const withoutUrls = subgraphs.map(({ name, typeDefs }) => ({ name, typeDefs }))
  const key = JSON.stringify(withoutUrls.map(({ name, typeDefs }) => [name, print(typeDefs)]))
  const supergraphSdl = composed.get(key) ?? compose(withoutUrls)
  composed.set(key, supergraphSdl)
  return subgraphs.reduce(
    (sdl, { name, url }) =>
      url === undefined
        ? sdl
        : sdl.replace(`(name: "${name}", url: "${urlOf(name)}")`, () => `(name: "${name}", url: ${JSON.stringify(url)})`),
    supergraphSdl,
  )
}

/** Of a subgraph without one. */
const urlOf = (name: string): string => `http://${name}.subgraph.internal/graphql`
