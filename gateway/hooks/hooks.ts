import type { GraphQLError, GraphQLFormattedError, OperationTypeNode } from 'graphql'

/** Arguments of every hook. */
export type HookCall = {
  /** Id that log lines and errors of a request contain. */
  readonly requestId: string
  /** Values for later hooks of this operation; any hook may set them. */
  readonly context: Record<string, unknown>
  /** Aborted on the hook's timeout, or when the client disconnects. */
  readonly signal: AbortSignal
}

/** A client's operation. */
export type HookOperation = {
  /** The printed document: the operation with the fragments that it uses. */
  readonly query: string
  readonly operationName: string | undefined
  readonly operationType: OperationTypeNode
  readonly variables: Readonly<Record<string, unknown>>
}

/** Headers to set; null removes one. */
export type HeaderChanges = Readonly<Record<string, string | null>>

type HookError = GraphQLError | GraphQLFormattedError

/** Result that every hook may return: errors replace the operation's result. */
export type HookRefusal = {
  /** Errors; their default `extensions.code` is FORBIDDEN. */
  readonly refuse?: HookError | readonly HookError[]
}

/** Result of hooks before execution. `status`: HTTP status of the refusal. */
export type OperationRefusal = HookRefusal & { readonly status?: number }

export type RequestCall = HookCall &
  HookOperation & {
    /** HTTP method; null for programs. */
    readonly method: string | null
    /** Client address. */
    readonly address: string
    /** Client headers by lower-case name; for programs their credentials. */
    readonly headers: Readonly<Record<string, string>>
  }
export type OperationCall = HookCall &
  HookOperation & {
    readonly address: string
    /** Claims of the verified token; null without a token. */
    readonly claims: Readonly<Record<string, unknown>> | null
  }
export type PlanCall = HookCall &
  HookOperation & {
    /** Fetches of the plan in order; both branches of `@skip` and `@include`. */
    readonly fetches: readonly { readonly subgraph: string; readonly query: string; readonly isEntityFetch: boolean }[]
    /** Active labels of `@override(label:)` that the plan depends on, sorted. */
    readonly labels: readonly string[]
    /** Cost of the operation in points. */
    readonly cost: number
  }
export type SubgraphRequestCall = HookCall & {
  readonly subgraph: string
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  /** Request headers before signing; empty for local subgraphs. */
  readonly headers: Readonly<Record<string, string>>
}
/** Result of a subgraph or an event. */
export type HookResult = {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly GraphQLFormattedError[]
  readonly extensions?: Readonly<Record<string, unknown>>
}
export type SubgraphResponseCall = HookCall &
  HookResult & {
    readonly subgraph: string
    /** Response headers of a query over HTTP; otherwise empty. */
    readonly headers: Readonly<Record<string, string>>
  }
export type SubscriptionEventCall = HookCall & HookOperation & HookResult

/** A hook; returns nothing or changes, possibly as a promise. */
type Hook<Call, Result> = (call: Call) => HookReturn<Result> | Promise<HookReturn<Result>>
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement is a hook
type HookReturn<Result> = Result | null | undefined | void

/** Functions called at stages of an operation; see docs/gateway/hooks.md. */
export type Hooks = {
  /** First stage, before tokens are verified. `headers` changes the client's headers. */
  readonly request?: Hook<RequestCall, OperationRefusal & { readonly headers?: HeaderChanges }> | undefined
  /** Before limits. `variables` replaces the client's variables. */
  readonly operation?:
    | Hook<OperationCall, OperationRefusal & { readonly variables?: Readonly<Record<string, unknown>> }>
    | undefined
  /** After limits, before the first fetch and the response cache. */
  readonly plan?: Hook<PlanCall, OperationRefusal> | undefined
  /** Before each fetch and each subscription. `headers` changes the request headers. */
  readonly subgraphRequest?: Hook<SubgraphRequestCall, HookRefusal & { readonly headers?: HeaderChanges }> | undefined
  /** After each fetch. `result` replaces the response. */
  readonly subgraphResponse?: Hook<SubgraphResponseCall, HookRefusal & { readonly result?: HookResult }> | undefined
  /** Per event and subscriber. `result` replaces the client's result. */
  readonly subscriptionEvent?: Hook<SubscriptionEventCall, HookRefusal & { readonly result?: HookResult }> | undefined
}

export type HookStage = keyof Hooks
export type CallOf<Stage extends HookStage> = Parameters<NonNullable<Hooks[Stage]>>[0]
export type ResultOf<Stage extends HookStage> = NonNullable<Exclude<Awaited<ReturnType<NonNullable<Hooks[Stage]>>>, void>>
