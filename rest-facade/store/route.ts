/**
 * Rows of the store's REST API, and how to add one.
 *
 * 1. Contract: `openapi.json` has the operation already. Where it differs from the graph,
 *    extensions that `info.description` explains say so (`x-input`,
 *    `x-words`, `x-format` …), not code.
 * 2. Document: `<noun>/<operationId>.graphql`, one operation, named like the operationId in
 *    PascalCase. Response keys are those of the contract, by aliases
 *    (`id: number page_title: pageTitle`); shared selections are fragments `Wire<Thing>` in `<noun>/<thing>.graphql`. Envelopes are not selected: the contract
 *    has them. A single field stands for a value (`category_ids: categories { number }`).
 *    Variables fill by name: `$id`, `$optionId` from `{id}`, `{option_id}`; `$locale` from `?locale=`; `$first`, `$offset` from `limit`, `page` (where `limit` has
 *    no default, these cut a page out of the response instead); `$input` from the body (without `$input`, keys of the body fill the variables of their names);
 *    `$idempotencyKey`, `$expectedVersion`, or these fields of `$input`, from `Idempotency-Key`, `If-Match`.
 *    A mutation is aliased `result`, selects `__typename`, its success, and `...WireInvalid ...WireMissing ...WireConflict` as its union has them.
 * 3. Row, in `<noun>/routes.ts`, concatenated in `routes.ts`:
 *
 *      route({ run: GetCategoryDocument, answer: 'productCategory' })
 *      route({ run: CreateCategoryDocument, answer: 'result.productCategory' })
 *      route({ run: DeleteCategoryDocument })
 *
 *    `answer` is the path to the body; null on it is 404. Absent where the contract has "OK" or no body.
 * 4. Test, in `test/rest-facade/store/<noun>.test.ts`: `const { ask } = await startStoreStack()`;
 *    `ask` checks every response against the contract.
 *
 * What does not match stops the start with a message: fields that are not documented, types that
 * differ, variables that nothing fills.
 */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Parameters } from './wire/parameters.ts'

/** One operation of the contract bound to one operation of the graph. */
export type StoreRoute = {
  readonly run: TypedDocumentNode<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>>
  /** Path of response keys to the body, joined by points; null where the body needs no data. */
  readonly answer: string | null
  readonly failures: Readonly<Record<string, FailureStatus>>
  /** Fields of `$input` by the parameter that fills them. */
  readonly input: Readonly<Record<string, string>>
  // Methods, whose parameters are bivariant: rows keep their own types.
  absence?(data: unknown): string | null
  variables?(parameters: Parameters): Readonly<Record<string, unknown>>
  shape?(part: unknown): unknown
}

type FailureStatus = number | ((failure: Readonly<Record<string, unknown>>) => number)

type Row<Data, Variables> = {
  readonly run: TypedDocumentNode<Data, Variables>
  readonly answer?: (keyof Data & string) | `${keyof Data & string}.${string}`
  /** Fields of `$input` that a parameter of the path fills: `{ productId: 'id' }`. */
  readonly input?: Readonly<Record<string, string>>
  /** HTTP statuses of failure types that only this operation has. */
  readonly failures?: Readonly<Record<string, FailureStatus>>
  /** Variables that are computed from parameters. */
  readonly variables?: (parameters: Parameters) => Partial<NoInfer<Variables>>
  /**
   * Message of the 404 that the contract has for an empty list or null of the graph; null where
   * there is data.
   */
  readonly absence?: (data: Data) => string | null
  /**
   * Reshapes the value at `answer` where the contract nests it differently. Its keys are those of
   * the contract.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the value at the path `answer`, which types do not follow
  readonly shape?: (part: any) => unknown
}

/**
 * Ties the types of a row: the document gives those of the variables and the first step of the
 * answer.
 */
export function route<Data, Variables extends Record<string, unknown>>({
  run,
  answer,
  input,
  failures,
  variables,
  absence,
  shape,
}: Row<Data, Variables>): StoreRoute {
  return {
    // The contract reader makes variables from the document itself.
    run: run as StoreRoute['run'],
    answer: answer ?? null,
    input: input ?? {},
    failures: failures ?? {},
    ...(variables && { variables: (parameters: Parameters) => variables(parameters) }),
    // The graph returns what the document selects.
    ...(absence && { absence: (data: unknown) => absence(data as Data) }),
    ...(shape && { shape }),
  }
}
