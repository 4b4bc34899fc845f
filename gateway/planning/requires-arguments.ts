import {
  type ArgumentNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
} from 'graphql'

/** A field with fixed arguments from a field set. */
export type FieldVariant = { readonly name: string; readonly arguments: readonly ArgumentNode[] }

/**
 * A supergraph in which each field variant is a field of its own, so that plans never mix variants.
 */
export type SeparatedArguments = {
  readonly document: DocumentNode
  /** Variants by the name of their field. */
  readonly variants: ReadonlyMap<string, FieldVariant>
}

/**
 * Replaces each set of arguments in `@requires` and `@fromContext` by a field without arguments,
 * such as `price_variant1` for `price(currency: "USD")`. Otherwise the planner would fetch the
 * field under one response key with the arguments of one variant, and use its value for all.
 */
export function separateArguments(document: DocumentNode): SeparatedArguments {
  // Visiting the whole document would slow down a start.
  if (!hasArguments(document)) return { document, variants: new Map() }
  const names = new Set<string>()
  visit(document, { FieldDefinition: ({ name }) => void names.add(name.value) })
  const own = new Map<string, string>()
  const variants = new Map<string, FieldVariant>()

  const rewritten = visit(document, {
    Directive(directive) {
      if (directive.name.value !== 'join__field') return undefined
      return { ...directive, arguments: directive.arguments?.map(withoutArguments) }
    },
  })
  if (variants.size === 0) return { document, variants }
  return { document: visit(rewritten, { ObjectTypeDefinition: addVariants, InterfaceTypeDefinition: addVariants }), variants }

  function withoutArguments(argument: ArgumentNode): ArgumentNode {
    if (argument.name.value === 'requires' && argument.value.kind === Kind.STRING)
      return { ...argument, value: { ...argument.value, value: rewriteFieldSet(argument.value.value) } }
    if (argument.name.value !== 'contextArguments') return argument
    return visit(argument, {
      ObjectField(field) {
        if (field.name.value !== 'selection' || field.value.kind !== Kind.STRING) return undefined
        return { ...field, value: { ...field.value, value: rewriteFieldSet(field.value.value) } }
      },
    })
  }

  function rewriteFieldSet(text: string): string {
    if (!text.includes('(')) return text
    const isWrapped = text.trim().startsWith('{')
    const set = visit(parse(isWrapped ? text : `{${text}}`, { noLocation: true }), {
      Field: {
        leave(field) {
          if (!field.arguments?.length) return undefined
          return { ...field, arguments: [], name: { ...field.name, value: variantOf(field.name.value, field.arguments) } }
        },
      },
    })
    const printed = stripIgnoredCharacters(print(set))
    return isWrapped ? printed : printed.slice(1, -1)
  }

  function variantOf(name: string, given: readonly ArgumentNode[]): string {
    const key = `${name}(${given.map(print).toSorted().join()})`
    const known = own.get(key)
    if (known) return known
    let variant = `${name}_variant${variants.size + 1}`
    while (names.has(variant)) variant += '_'
    own.set(key, variant)
    variants.set(variant, { name, arguments: given })
    return variant
  }

  function addVariants<Type extends ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode>(type: Type): Type | undefined {
    const added = (type.fields ?? []).flatMap((field) =>
      [...variants].flatMap(([variant, of]) => (isVariantOf(of, field) ? [fieldOfVariant(variant, field)] : [])),
    )
    return added.length === 0 ? undefined : { ...type, fields: [...(type.fields ?? []), ...added] }
  }
}

/** Whether any field set of the document may contain arguments. */
const hasArguments = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (definition) =>
      'fields' in definition &&
      definition.fields?.some(({ directives }) =>
        directives?.some(
          (directive) =>
            directive.name.value === 'join__field' &&
            directive.arguments?.some(({ name: { value: name }, value }) =>
              name === 'requires' ? value.kind === Kind.STRING && value.value.includes('(') : name === 'contextArguments',
            ),
        ),
      ),
  )

/**
 * Whether a field accepts a variant's arguments and requires no others. Contextual arguments are
 * not in the supergraph SDL.
 */
function isVariantOf(variant: FieldVariant, { name, arguments: taken = [] }: FieldDefinitionNode): boolean {
  const given = new Set(variant.arguments.map((argument) => argument.name.value))
  return (
    name.value === variant.name &&
    given.isSubsetOf(new Set(taken.map((argument) => argument.name.value))) &&
    taken.every(
      ({ name, type, defaultValue }) => type.kind !== Kind.NON_NULL_TYPE || defaultValue !== undefined || given.has(name.value),
    )
  )
}

/** A variant's field keeps only `@join__field`, which names its subgraphs. */
const fieldOfVariant = (variant: string, field: FieldDefinitionNode): FieldDefinitionNode => ({
  ...field,
  name: { ...field.name, value: variant },
  arguments: [],
  directives: field.directives?.filter(({ name }) => name.value === 'join__field') ?? [],
})
