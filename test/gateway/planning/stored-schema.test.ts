import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { compose } from '../../../gateway/planning/composition.ts'
import { readSupergraph } from '../../../gateway/planning/supergraph.ts'

const SHOP = `
  type Query { found: Found @NAME(name: "once") other: Found }
  interface Found { id: ID! }
  type Product implements Found { id: ID! }
  type Report implements Found @HIDDEN { id: ID! }`

test.each([
  { why: 'its own', hidden: '"@inaccessible"', tag: '"@tag"', names: ['@inaccessible', '@tag'] },
  {
    why: 'another',
    hidden: '{ name: "@inaccessible", as: "@hidden" }',
    tag: '{ name: "@tag", as: "@label" }',
    names: ['@hidden', '@label'],
  },
])('a supergraph hides elements and has queries with side effects by $why name of directives', ({ hidden, tag, names }) => {
  const head = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${hidden}, ${tag}])`
  const [ofHidden = '', ofTag = ''] = names
  const typeDefs = parse(head + SHOP.replace('@HIDDEN', ofHidden).replace('@NAME', ofTag))
  const supergraph = readSupergraph(parse(compose([{ name: 'shop', typeDefs }]), { noLocation: true }))
  expect(Object.keys(supergraph.api.getTypeMap())).not.toContain('Report')
  expect(supergraph.hasInaccessibleElements).toBe(true)
  expect([...supergraph.queriesWithSideEffects]).toEqual(['found'])
  expect(supergraph.schemaToStore()).toMatchObject({ hasInaccessibleElements: true, queriesWithSideEffects: ['found'] })
})
