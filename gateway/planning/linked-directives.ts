import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  Kind,
  parse,
  type SchemaDefinitionNode,
} from 'graphql'

/** Value of a string argument; null when absent or not a string. */
export function stringArgument({ arguments: given = [] }: ConstDirectiveNode, wanted: string): string | null {
  const value = given.find(({ name }) => name.value === wanted)?.value
  return value?.kind === Kind.STRING ? value.value : null
}

/**
 * Local name of a linked specification's only directive, by `as` and `import` of its `@link`; null
 * when it is not linked.
 */
export function directiveName(document: DocumentNode, specification: string): string | null {
  const own = specification.replace(/\/$/, '').split('/').at(-1) ?? ''
  const schemas = document.definitions.filter(({ kind }) => kind === Kind.SCHEMA_DEFINITION || kind === Kind.SCHEMA_EXTENSION)
  for (const schema of schemas) {
    if (!('directives' in schema)) continue
    // Directives in a schema have constant arguments (GraphQL §2.12).
    for (const link of (schema.directives ?? []) as readonly ConstDirectiveNode[]) {
      if (!(stringArgument(link, 'url') ?? stringArgument(link, 'feature'))?.startsWith(specification)) continue
      const imports = link.arguments?.find(({ name }) => /^import$/.test(name.value))?.value
      return importedName(imports, own) ?? stringArgument(link, 'as') ?? own
    }
  }
  return null
}

/** Local name of `@own` in an `import` list; null when it is not imported. */
function importedName(imports: ConstValueNode | undefined, own: string): string | null {
  if (imports?.kind !== Kind.LIST) return null
  for (const each of imports.values) {
    if (each.kind === Kind.STRING && each.value === `@${own}`) return own
    if (each.kind !== Kind.OBJECT) continue
    const text = (wanted: string) => {
      const value = each.fields.find(({ name }) => name.value === wanted)?.value
      return value?.kind === Kind.STRING ? value.value : null
    }
    if (text('name') === `@${own}`) return text('as')?.replace(/^@/, '') ?? own
  }
  return null
}

const [schema, directive] = parse(
  `schema @link(url: "https://specs.apollo.dev/inaccessible/v0.2", for: SECURITY) { query: Query }
  directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION`,
  { noLocation: true },
).definitions

// The text parsed above has exactly these two definitions.
/** `@link` of the specification of `@inaccessible`. */
export const INACCESSIBLE_LINKS = (schema as SchemaDefinitionNode).directives ?? []
/** Definition of `@inaccessible`, as composition prints it. */
export const INACCESSIBLE_DIRECTIVE = directive as DirectiveDefinitionNode
