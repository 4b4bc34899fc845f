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

/** Parts of an operation that all its executions share. */
export type Operation = {
  readonly schema: GraphQLSchema
  readonly node: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
}

/** Selection on objects of one type: fields by response key, in response order. */
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
  /** Value of `__typename`, which is constant; undefined for other fields. */
  readonly constant: string | undefined
  /** The resolver; undefined when the field is a property of the parent. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined
  /** The completion of a leaf property without arguments; undefined for all other fields. */
  readonly property: CompletionOf<'leaf'> | undefined
  /** Whether the resolver can read its second and its fourth argument; see resolver-arity.ts. */
  readonly seesArguments: boolean
  readonly seesInfo: boolean
  /** Coerces the arguments; undefined for a field that takes none. */
  readonly argumentsOf: ArgumentsOf | undefined
  /** Whether `resolveType` or `isTypeOf` needs `info`; items of a list share one `info`. */
  readonly typeNeedsInfo: boolean
  readonly to: Completion
}

/** How a resolved value is completed. Selections are planned on first use. */
export type Completion = { readonly isNonNull: boolean } & (
  | {
      readonly kind: 'leaf'
      readonly type: GraphQLLeafType
      /**
       * `typeof` of values that `serialize` returns unchanged; `isInteger`: 32-bit integers only.
       */
      readonly primitive: 'string' | 'boolean' | 'number' | undefined
      readonly isInteger: boolean
    }
  | { readonly kind: 'list'; readonly item: Completion }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType; selection: Selection | undefined }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType; readonly selections: Map<string, Selection> }
)
export type CompletionOf<Kind extends Completion['kind']> = Extract<Completion, { readonly kind: Kind }>
