import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import {
  type DocumentNode,
  type GraphQLType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  typeFromAST,
  type ValidationRule,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { getComplexity } from 'graphql-query-complexity'
import { describe, expect, test } from 'vitest'
import { complexityEstimator } from '../../composition/apollo-cost.ts'
import { builtInSupergraph } from '../../composition/built-in-supergraph.ts'
import { compileCostModel } from '../../gateway/limits/cost-limit.ts'
import { type CostWeights, readCostWeights } from '../../gateway/limits/cost-weights.ts'
import { measureOperation } from '../../gateway/limits/depth-limit.ts'
import { readSupergraph } from '../../gateway/planning/supergraph.ts'
import { randomDocuments } from './support/random-document.ts'

const ROOT = join(import.meta.dirname, '../..')

test('ENGINE=apollo is refused in production, and for what is no engine, by a sentence', async () => {
  const started = (env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, ['main.ts'], { cwd: ROOT, env: { PATH: process.env.PATH, ...env } }).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
  expect(await started({ ENGINE: 'apollo', NODE_ENV: 'production' })).toMatch(
    /^ENGINE=apollo is refused in production: it is for comparison, .*\n$/,
  )
  expect(await started({ ENGINE: 'stock' })).toMatch(/^Expected ENGINE to be one of atrium, apollo, got "stock"\.\n$/)
})

const { supergraphSdl } = builtInSupergraph()
const weights = readCostWeights(parse(supergraphSdl, { noLocation: true }))
const schema = readSupergraph(parse(supergraphSdl, { noLocation: true })).api

function operationOf(document: DocumentNode): OperationDefinitionNode {
  const [operation] = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
  if (!operation) throw new Error('Expected an operation.')
  return operation
}

/** Operations of the repository, each with the fragments that it spreads. */
function operationFiles(): readonly (readonly [file: string, document: DocumentNode])[] {
  const files = globSync('{rest-facade,mcp,web}/**/*.graphql', { cwd: ROOT }).sort()
  const parsed = files.map((file) => [file, parse(readFileSync(join(ROOT, file), 'utf8'))] as const)
  const fragments = new Map(
    parsed.flatMap(([, { definitions }]) =>
      definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
    ),
  )
  return parsed.flatMap(([file, { definitions }]) => {
    const operation = definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)
    if (!operation) return []
    const used = new Map<string, (typeof definitions)[number]>()
    const collect = (node: (typeof definitions)[number]): void =>
      void visit(node, {
        FragmentSpread({ name: { value } }) {
          const fragment = fragments.get(value)
          if (!fragment || used.has(value)) return
          used.set(value, fragment)
          collect(fragment)
        },
      })
    collect(operation)
    return [[file, { kind: Kind.DOCUMENT, definitions: [operation, ...used.values()] }] as const]
  })
}

describe('graphql-query-complexity with the gateway’s weights', () => {
  const costs = (document: DocumentNode, variables: Readonly<Record<string, unknown>>, counted: CostWeights) => {
    const estimators = [complexityEstimator(counted)]
    // Fractions are added in another order.
    const theirs = Math.ceil(getComplexity({ schema, query: document, variables, estimators }) - 1e-9)
    return {
      ours: compileCostModel(schema, counted, document, operationOf(document)).cost(variables),
      theirs: Math.max(0, theirs),
    }
  }
  /** Without what is loaded once for all parents: of several types of an object, the gateway counts each. */
  const withoutBatches: CostWeights = {
    ...weights,
    measured: new Map([...weights.measured].map(([type, { batch: _, ...points }]) => [type, points])),
  }

  test('counts what the gateway counts in 1,000 random documents without lists', () => {
    const seen = new Set<number>()
    fc.assert(
      fc.property(randomDocuments(schema, { hasLists: false }), ({ text, variables }) => {
        const document = parse(text)
        expect(validate(schema, document)).toEqual([])
        const { ours, theirs } = costs(document, variables, withoutBatches)
        expect(theirs).toBe(ours)
        const batched = costs(document, variables, weights)
        expect(batched.theirs).toBeLessThanOrEqual(batched.ours)
        if (!text.includes('... on') && !text.includes('fragment')) expect(batched.theirs).toBe(batched.ours)
        seen.add(ours)
      }),
      { numRuns: 1_000 },
    )
    // They are not all alike.
    expect(seen.size).toBeGreaterThan(50)
  })

  test('counts what the gateway counts in every operation of facades and pages without lists', () => {
    const withoutLists = operationFiles().filter(([, document]) => !selectsLists(document))
    expect(withoutLists.length).toBeGreaterThan(20)
    for (const [file, document] of withoutLists) {
      const { ours, theirs } = costs(document, placeholdersFor(operationOf(document)), withoutBatches)
      expect([file, theirs]).toEqual([file, ours])
    }
  })
})

/** Values for required variables: the library refuses an operation without. */
function placeholdersFor({ variableDefinitions = [] }: OperationDefinitionNode): Readonly<Record<string, unknown>> {
  const required = variableDefinitions.filter(({ type }) => type.kind === Kind.NON_NULL_TYPE)
  return Object.fromEntries(required.map(({ variable, type }) => [variable.name.value, placeholder(typeFromAST(schema, type))]))
}

function placeholder(type: GraphQLType | undefined): unknown {
  if (isNonNullType(type)) return placeholder(type.ofType)
  if (isListType(type)) return []
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (String(type) === 'Int') return 1
  if (!isInputObjectType(type)) return String(type) === 'Boolean' ? true : '1'
  const fields = Object.values(type.getFields()).filter(isRequiredInputField)
  return Object.fromEntries(fields.map((field) => [field.name, placeholder(field.type)]))
}

function selectsLists(document: DocumentNode): boolean {
  const types = new TypeInfo(schema)
  let found = false
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        if (isListType(getNullableType(types.getType()))) found = true
      },
    }),
  )
  return found
}

describe('graphql-depth-limit', () => {
  /** The package has no types: a rule of validation that reports the depth of every operation. */
  const depthLimit: (depth: number, options: object, report: (depths: Record<string, number>) => void) => ValidationRule =
    createRequire(import.meta.url)('graphql-depth-limit')

  function assertSameDepth(document: DocumentNode): number {
    const { depth } = measureOperation(document, operationOf(document))
    const theirs: number[] = []
    validate(schema, document, [depthLimit(100, {}, (found) => void theirs.push(...Object.values(found)))])
    expect(theirs).toEqual([depth])
    const passes = (limit: number) => validate(schema, document, [depthLimit(limit, {}, () => {})]).length === 0
    if (depth > 0) expect([passes(depth - 1), passes(depth)]).toEqual([false, true])
    return depth
  }

  test('has the gateway’s depth of 500 random documents, with lists', () => {
    const seen = new Set<number>()
    fc.assert(
      fc.property(randomDocuments(schema, { hasLists: true }), ({ text }) => void seen.add(assertSameDepth(parse(text)))),
      { numRuns: 500 },
    )
    expect(seen.size).toBeGreaterThan(5)
  })

  test('has the gateway’s depth of every operation of facades and pages', () => {
    const operations = operationFiles()
    expect(operations.length).toBeGreaterThan(200)
    for (const [, document] of operations) assertSameDepth(document)
  })
})
