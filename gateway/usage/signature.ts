import { hash } from 'node:crypto'
import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isScalarType,
  isSpecifiedScalarType,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { UsageOperation } from './usage-batch.ts'

/** Longer signatures are dropped; the coordinates remain. */
const MAX_SIGNATURE_CHARACTERS = 10_000
const MAX_NAME_CHARACTERS = 100

/**
 * Describes an operation for usage reports: signature (its text without literals and aliases,
 * sorted, so that equal operations have one signature) and the schema coordinates that it uses.
 */
export function describeUsage({ document, operation }: ValidatedOperation, schema: GraphQLSchema): UsageOperation {
  const signature = signatureOf(document, schema)
  return {
    hash: hash('sha256', signature).slice(0, 32),
    name: operation.name?.value.slice(0, MAX_NAME_CHARACTERS) ?? null,
    kind: operation.operation,
    signature: signature.length > MAX_SIGNATURE_CHARACTERS ? null : signature,
    coordinates: coordinatesOf(document, operation, schema),
  }
}

/** Schema coordinates that a document uses, sorted. */
function coordinatesOf(document: DocumentNode, operation: OperationDefinitionNode, schema: GraphQLSchema): readonly string[] {
  const used = new Set<string>()
  const types = new TypeInfo(schema)
  const add = (name: string | undefined) => void (name !== undefined && used.add(name))
  visit(
    document,
    visitWithTypeInfo(types, {
      Field({ name }) {
        const parent = types.getParentType()
        const field = types.getFieldDef()
        if (!parent || !field || name.value.startsWith('__')) return
        used.add(`${parent.name}.${name.value}`)
        const result = getNamedType(field.type)
        if (isCompositeType(result) || isEnumType(result)) used.add(result.name)
      },
      Argument({ name }) {
        const [parent, field] = [types.getParentType(), types.getFieldDef()]
        if (parent && field && !types.getDirective()) used.add(`${parent.name}.${field.name}(${name.value}:)`)
      },
      ObjectField({ name }) {
        const input = getNamedType(types.getParentInputType())
        if (isInputObjectType(input)) used.add(`${input.name}.${name.value}`)
      },
      EnumValue({ value }) {
        const type = getNamedType(types.getInputType())
        if (isEnumType(type)) used.add(`${type.name}.${value}`)
      },
      Directive: ({ name }) => add(`@${name.value}`),
      InlineFragment: ({ typeCondition }) => add(typeCondition?.name.value),
      FragmentDefinition: ({ typeCondition }) => add(typeCondition.name.value),
    }),
  )
  for (const { type } of operation.variableDefinitions ?? []) {
    // `typeFromAST` has overloads per node kind only.
    addInputType(getNamedType(typeFromAST(schema, type as never)), used)
  }
  return [...used].sort()
}

/** Adds what a variable of this type may contain: every field and enum value, recursively. */
function addInputType(type: ReturnType<typeof getNamedType>, used: Set<string>): void {
  if (isScalarType(type) && !isSpecifiedScalarType(type)) used.add(type.name)
  if (isEnumType(type)) used.add(`${type.name}.*`)
  if (!isInputObjectType(type) || used.has(`${type.name}.*`)) return
  used.add(`${type.name}.*`)
  for (const field of Object.values(type.getFields())) addInputType(getNamedType(field.type), used)
}

/**
 * Type of a node whose children were replaced by their printed text, as `visit` does from the
 * leaves up.
 */
type Printed<Node> = { readonly [Key in keyof Node]: PrintedValue<Node[Key]> }
type PrintedValue<Value> = Value extends readonly ASTNode[]
  ? readonly string[]
  : Value extends readonly ASTNode[] | undefined
    ? readonly string[] | undefined
    : Value extends ASTNode
      ? string
      : Value extends ASTNode | undefined
        ? string | undefined
        : Value

/**
 * Prints a document as one line. Strings and numbers become `""` and `0`; contents of custom
 * scalars are dropped. Linear in the document's size, unlike graphql-js's `print`.
 */
function signatureOf(document: DocumentNode, schema: GraphQLSchema): string {
  const types = new TypeInfo(schema)
  // graphql-js's visitor types do not know printed nodes.
  const leave = <Node>(print: (node: Printed<Node>) => string) => ({ leave: print as never })
  const isEnum = () => isEnumType(getNamedType(types.getInputType()))
  const isInput = () => isInputObjectType(getNamedType(types.getInputType()))
  const visitor: ASTVisitor = {
    Name: leave<{ value: string }>(({ value }) => value),
    NamedType: leave<{ name: string }>(({ name }) => name),
    ListType: leave<{ type: string }>(({ type }) => `[${type}]`),
    NonNullType: leave<{ type: string }>(({ type }) => `${type}!`),
    Variable: leave<{ name: string }>(({ name }) => `$${name}`),
    IntValue: leave(() => '0'),
    FloatValue: leave(() => '0'),
    StringValue: leave(() => '""'),
    BooleanValue: leave<{ value: boolean }>(({ value }) => String(value)),
    NullValue: leave(() => 'null'),
    EnumValue: leave<{ value: string }>(({ value }) => (isEnum() ? value : '""')),
    ListValue: leave<{ values: readonly string[] }>(({ values }) => `[${distinct(values).join(' ')}]`),
    ObjectValue: leave<{ fields: readonly string[] }>(({ fields }) => (isInput() ? `{${distinct(fields).join(' ')}}` : '{}')),
    ObjectField: leave<{ name: string; value: string }>(({ name, value }) => `${name}:${value}`),
    Argument: leave<{ name: string; value: string }>(({ name, value }) => `${name}:${value}`),
    Directive: leave<{ name: string; arguments?: readonly string[] }>((node) => `@${node.name}${list(node.arguments)}`),
    VariableDefinition: leave<VariableParts>(
      ({ variable, type, defaultValue, directives }) =>
        `${variable}:${type}${defaultValue === undefined ? '' : `=${defaultValue}`}${joined(directives)}`,
    ),
    SelectionSet: leave<{ selections: readonly string[] }>(({ selections }) => `{${distinct(selections).join(' ')}}`),
    Field: leave<SelectionParts & { name: string }>(
      (node) => `${node.name}${list(node.arguments)}${joined(node.directives)}${node.selectionSet ?? ''}`,
    ),
    FragmentSpread: leave<SelectionParts & { name: string }>(({ name, directives }) => `...${name}${joined(directives)}`),
    InlineFragment: leave<SelectionParts & { typeCondition?: string }>(
      ({ typeCondition, directives, selectionSet }) =>
        `...${typeCondition === undefined ? '' : `on ${typeCondition}`}${joined(directives)}${selectionSet}`,
    ),
    FragmentDefinition: leave<SelectionParts & { name: string; typeCondition: string }>(
      ({ name, typeCondition, directives, selectionSet }) =>
        `fragment ${name} on ${typeCondition}${joined(directives)}${selectionSet}`,
    ),
    OperationDefinition: leave<SelectionParts & { name?: string; operation: string; variableDefinitions?: readonly string[] }>(
      ({ name, operation, variableDefinitions, directives, selectionSet }) =>
        `${operation} ${name ?? ''}${list(variableDefinitions)}${joined(directives)}${selectionSet}`,
    ),
    // Operation first, then fragments sorted.
    Document: leave<{ definitions: readonly string[] }>(({ definitions: [first = '', ...others] }) =>
      [first, ...others.toSorted()].join(' '),
    ),
  }
  // Every node was replaced by its text.
  return visit(document, visitWithTypeInfo(types, visitor)) as unknown as string
}

type VariableParts = { variable: string; type: string; defaultValue?: string; directives?: readonly string[] }
type SelectionParts = { arguments?: readonly string[]; directives?: readonly string[]; selectionSet?: string }

/** Sorted without duplicates, which arise from replaced literals. */
const distinct = (texts: readonly string[]): readonly string[] => (texts.length < 2 ? texts : [...new Set(texts)].sort())
const list = (texts: readonly string[] = []): string => (texts.length === 0 ? '' : `(${distinct(texts).join(' ')})`)
const joined = (texts: readonly string[] = []): string => texts.map((text) => ` ${text}`).join('')
