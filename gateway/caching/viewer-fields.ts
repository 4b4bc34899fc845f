import type { QueryPlan } from '@apollo/query-planner'
import {
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'

/** Viewer-dependent fields: as `Type.field`, and their names alone. */
export type ViewerFields = { readonly fields: ReadonlySet<string>; readonly names: ReadonlySet<string> }

/** The fields that a supergraph marks with `@tag(name: "viewer")`. */
export function viewerFields(supergraph: DocumentNode): ViewerFields {
  const fields = new Set<string>()
  const names = new Set<string>()
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue
    const isWhole = isTagged(definition.directives)
    for (const field of definition.fields ?? []) {
      if (!isWhole && !isTagged(field.directives)) continue
      fields.add(`${definition.name.value}.${field.name.value}`)
      names.add(field.name.value)
    }
  }
  return { fields, names }
}

const isTagged = (directives: readonly ConstDirectiveNode[] | undefined): boolean =>
  directives?.some(
    ({ name, arguments: nodes }) =>
      name.value === 'tag' && nodes?.some((argument) => argument.value.kind === Kind.STRING && argument.value.value === 'viewer'),
  ) ?? false

/**
 * Whether `plan` fetches a viewer-dependent field, including fields fetched only for `@requires`. A
 * field of an abstract type counts when any possible type's field does.
 */
export const dependsOnViewer = (plan: QueryPlan, api: GraphQLSchema, viewer: ViewerFields): boolean =>
  viewer.fields.size > 0 && operationsIn(plan).some((text) => textDependsOnViewer(text, api, viewer))

/** Like `dependsOnViewer`, for the text of one fetch. */
export function textDependsOnViewer(text: string, api: GraphQLSchema, { fields, names }: ViewerFields): boolean {
  if (fields.size === 0) return false
  let depends = false
  const info = new TypeInfo(api)
  visit(
    parse(text, { noLocation: true }),
    visitWithTypeInfo(info, {
      Field({ name: { value } }) {
        const parent = info.getParentType()
        if (!names.has(value)) return
        // For types that are not in the API schema the field name alone decides.
        const types = parent && isCompositeType(parent) ? typesOf(parent.name) : null
        depends ||= types === null || types.some((type) => fields.has(`${type}.${value}`))
      },
    }),
  )
  return depends

  function typesOf(name: string): readonly string[] {
    const type = api.getType(name)
    if (!type) return [name]
    const named = getNamedType(type)
    if (isAbstractType(named)) return [name, ...api.getPossibleTypes(named).map((possible) => possible.name)]
    return [name, ...('getInterfaces' in named ? named.getInterfaces().map((implemented) => implemented.name) : [])]
  }
}

/** GraphQL texts of all fetches of a plan. */
function operationsIn(plan: unknown): readonly string[] {
  if (typeof plan !== 'object' || plan === null) return []
  const own = 'operation' in plan && typeof plan.operation === 'string' ? [plan.operation] : []
  const inside = ['node', 'nodes', 'primary', 'rest', 'ifClause', 'elseClause'].flatMap((key) => {
    const part: unknown = Reflect.get(plan, key)
    return Array.isArray(part) ? part.flatMap(operationsIn) : operationsIn(part)
  })
  return [...own, ...inside]
}
