import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLAbstractType,
  GraphQLField,
  GraphQLFieldResolver,
  GraphQLLeafType,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql'
import type { ResponseObjectClass } from '../response-object.ts'
import type { ArgumentsOf } from './arguments.ts'

/** What all runs of one operation share. */
export type Operation = {
  readonly schema: GraphQLSchema
  readonly node: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
}

/** The selection on objects of one type: one field per response key, in response order. */
export type Selection = {
  readonly type: GraphQLObjectType
  readonly fields: readonly Field[]
  readonly ResponseObject: ResponseObjectClass
}

/** A selected field, under one response key. */
export type Field = {
  readonly key: string
  readonly definition: GraphQLField<unknown, unknown>
  readonly parentType: GraphQLObjectType
  /** All field nodes of this key. Their arguments are equal; their selections are merged. */
  readonly nodes: readonly FieldNode[]
  /** A value that does not depend on the run: `__typename`. */
  readonly constant: string | undefined
  /** The resolver; undefined for a property of the parent. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined
  /** The completion of a leaf property without arguments; undefined for all other fields. */
  readonly property: CompletionOf<'leaf'> | undefined
  /** Whether the resolver can read its second and its fourth argument; see resolver-arity.ts. */
  readonly seesArguments: boolean
  readonly seesInfo: boolean
  /** Coerces the arguments; undefined for a field that takes none. */
  readonly argumentsOf: ArgumentsOf | undefined
  /** Whether `resolveType` or `isTypeOf` take `info`; all items of a list share one. */
  readonly typeNeedsInfo: boolean
  readonly to: Completion
}

/** How a resolved value is completed. Selections are planned on first use. */
export type Completion = { readonly isNonNull: boolean } & (
  | {
      readonly kind: 'leaf'
      readonly type: GraphQLLeafType
      /**
       * The `typeof` of values that `serialize` returns unchanged; `isInteger`: within 32 bits
       * only.
       */
      readonly primitive: 'string' | 'boolean' | 'number' | undefined
      readonly isInteger: boolean
    }
  | { readonly kind: 'list'; readonly item: Completion }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType; selection: Selection | undefined }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType; readonly selections: Map<string, Selection> }
)
export type CompletionOf<Kind extends Completion['kind']> = Extract<Completion, { readonly kind: Kind }>
