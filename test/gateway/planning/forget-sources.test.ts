import { setImmediate as turn } from 'node:timers/promises'
import {
  type ASTNode,
  buildASTSchema,
  buildSchema,
  type DocumentNode,
  type GraphQLSchema,
  GraphQLString,
  parse,
  print,
  printSchema,
  validate,
  visit,
} from 'graphql'
import { expect, onTestFinished, test } from 'vitest'
import { createEntityCache } from '../../../gateway/caching/entity-cache.ts'
import { entityMemoryStore } from '../../../gateway/caching/entity-memory-store.ts'
import { assembleGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { forgetNodes, forgetSources } from '../../../gateway/planning/forget-sources.ts'
import { createIntern, internDocument } from '../../../gateway/planning/intern-strings.ts'
import { federationLibrary } from '../../../gateway/planning/planner-library.ts'
import { readSupergraph, supportedFeatures } from '../../../gateway/planning/supergraph.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { releaseGarbage } from '../../../platform/process/release-garbage.ts'
import { ask, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'

/** References to all nodes of a document; `left` are the kinds of those that are still in memory. */
function watchNodes(document: DocumentNode) {
  const nodes: { readonly kind: string; readonly reference: WeakRef<ASTNode> }[] = []
  visit(document, { enter: (node) => void nodes.push({ kind: node.kind, reference: new WeakRef(node) }) })
  const left = async (): Promise<readonly string[]> => {
    await turn()
    releaseGarbage()
    return [...new Set(nodes.flatMap(({ kind, reference }) => (reference.deref() ? [kind] : [])))]
  }
  return { count: nodes.length, left }
}

/** Whatever of a schema names a node of the text that it was made from. */
function namedNodes(schema: GraphQLSchema): readonly string[] {
  const types = Object.values(schema.getTypeMap()).flatMap((type) => [
    type,
    ...('getFields' in type ? Object.values(type.getFields()) : []),
    ...('getValues' in type ? type.getValues() : []),
  ])
  const elements = [...types, ...schema.getDirectives()]
  const inner = elements.flatMap((element) => [element, ...('args' in element ? element.args : [])])
  const extended = [schema, ...Object.values(schema.getTypeMap())].filter(({ extensionASTNodes }) => extensionASTNodes.length > 0)
  return [...inner.filter(({ astNode }) => astNode).map(({ name }) => name), ...extended.map(String)]
}

test('a supergraph that is read keeps nothing of the parsed text, and still validates and plans', async () => {
  const read = () => {
    const document = parse(supergraphSdl(), { noLocation: true })
    return { supergraph: readSupergraph(document), nodes: watchNodes(document) }
  }
  const { supergraph, nodes } = read()
  expect(nodes.count).toBeGreaterThan(500)
  expect(await nodes.left()).toEqual([])
  expect(namedNodes(supergraph.api)).toEqual([])
  const operation = parse('{ latestReview { about { name } } }')
  expect(validate(supergraph.api, operation)).toEqual([])
  expect(supergraph.plan(operation).node?.kind).toBe('Sequence')
})

test('a schema that is extended in its text names no nodes of it either', () => {
  const schema = buildSchema(
    'directive @on on SCHEMA schema { query: Q } extend schema @on type Q { a: Int } extend type Q { b: Int }',
  )
  expect(namedNodes(schema)).not.toEqual([])
  expect(namedNodes(forgetNodes(schema))).toEqual([])
})

test('a gateway with an entity cache keeps nothing of it either, and answers', async () => {
  const start = () => {
    const document = parse(supergraphSdl(), { noLocation: true })
    const nodes = watchNodes(document)
    const gateway = assembleGateway({
      supergraphSdl: '',
      supergraph: () => ({ supergraph: readSupergraph(document), document }),
      links: [shopSubgraph(), reviewSubgraph()].map(createLocalLink),
      limits: DEFAULT_LIMITS,
      log: recordingLog().log,
      entityCache: createEntityCache({ store: entityMemoryStore({ maxBytes: 1_000_000 }) }),
      warmsUp: true,
    })
    onTestFinished(gateway.close)
    return { gateway, nodes }
  }
  const { gateway, nodes } = start()
  expect(await nodes.left()).toEqual([])
  expect(await ask(gateway, '{ latestReview { about { name } } }')).toEqual({
    data: { latestReview: { about: { name: 'Product b' } } },
  })
})

test('equal arguments of directives become one frozen object', () => {
  const { schema } = federationLibrary().Supergraph.build(supergraphSdl(), { supportedFeatures: supportedFeatures() })
  const before = schema.toString()
  forgetSources()(schema)
  const all = new Set(schema.directive('join__field')?.applications())
  const texts = new Set([...all].map((each) => JSON.stringify(each.arguments())))
  const objects = new Set([...all].map((each) => each.arguments()))
  expect(all.size).toBeGreaterThan(texts.size)
  expect(objects.size).toBe(texts.size)
  expect([...objects].every(Object.isFrozen)).toBe(true)
  expect(schema.toString()).toBe(before)
})

test('elements without extensions share one object; scalars of all schemas are not touched', () => {
  const given = GraphQLString.extensions
  const schema = buildSchema('type Query { a(b: Int): String c: E } enum E { D }')
  const [a, c] = [schema.getQueryType()?.getFields().a, schema.getQueryType()?.getFields().c]
  if (a) a.extensions = { cost: 1 }
  forgetNodes(schema)
  expect(a?.extensions).toEqual({ cost: 1 })
  expect(c?.extensions).toBe(a?.args[0]?.extensions)
  expect(Object.isFrozen(c?.extensions)).toBe(true)
  expect(GraphQLString.extensions).toBe(given)
})

test('a document with copies of its texts says the same, whatever their characters', () => {
  const text = '"An emoji \u{1F600}, a quote \\" and a \u00e9." type Query { longNameOfAField(argument: String = "\u0000"): Int }'
  const document = parse(text)
  internDocument(document, createIntern())
  expect(print(document)).toBe(print(parse(text)))
})

test.each([
  'type Query { a: Int @deprecated(reason: "a reason of some length") }',
  'type Query { a(b: In = { c: ["a default value of some length"] }): Int } input In { c: [String] }',
  '"a description of some length" schema { query: Query } type Query { a: S } scalar S @specifiedBy(url: "https://shop.example/scalar")',
  '"a description of some length" directive @on("a description of some length" a: Int) on QUERY type Query { a: Int }',
  'type Query @on(graph: A_GRAPH_WITH_A_LONG_NAME, count: 12345678901234567) { a: Int } enum G { A_GRAPH_WITH_A_LONG_NAME }',
])('neither a document nor its schema keeps the text that it was parsed from: %s', (sdl) => {
  const heapMegabytes = () => {
    releaseGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }
  const parsed = () => parse(`${sdl} # ${'x'.repeat(30_000_000)}`, { noLocation: true })
  const build = (document: DocumentNode) => buildASTSchema(document, { assumeValid: true })
  const before = heapMegabytes()
  const document = parsed()
  internDocument(document, createIntern())
  const schema = forgetNodes(build(parsed()), createIntern())
  expect(heapMegabytes() - before).toBeLessThan(15)
  // Both are in memory until now.
  expect(print(document)).toBe(print(parse(sdl)))
  expect(printSchema(schema)).toBe(printSchema(build(parse(sdl))))
})

test('the schema to store is that of Apollo, after its copy was dropped', () => {
  const stock = federationLibrary().Supergraph.build(supergraphSdl(), { supportedFeatures: supportedFeatures() })
  const { api, schemaToStore } = readSupergraph(parse(supergraphSdl(), { noLocation: true }))
  const expected = printSchema(stock.apiSchema().toGraphQLJSSchema({ includeDefer: true }))
  expect(printSchema(api)).toBe(expected)
  expect(printSchema(buildSchema(schemaToStore().api))).toBe(expected)
  expect(schemaToStore().api).not.toContain('join__')
})
