import { parse } from 'graphql'
import { compose } from '../../gateway/planning/composition.ts'
import { PEER_SUBGRAPHS } from './shapes.ts'

/** Stands before the types where they are composed. */
export const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external", "@requires", "@shareable"])\n'

/** The supergraph of all shapes, whose subgraphs are at these URLs. */
export const peerSupergraph = (urls: Readonly<Record<string, string>>): string =>
  compose(PEER_SUBGRAPHS.map(({ name, types }) => ({ name, typeDefs: parse(LINK + types), url: urls[name] ?? '' })))
