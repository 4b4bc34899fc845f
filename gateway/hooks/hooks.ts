import type { GraphQLError, GraphQLFormattedError, OperationTypeNode } from 'graphql'

/** What every hook gets. */
export type HookCall = {
  /** Correlates log lines and errors of one request. */
  readonly requestId: string
  /** Values of this operation, for its later hooks; any hook may set them. */
  readonly context: Record<string, unknown>
  /** Aborts when the time of the hook is up, or the client is gone. */
  readonly signal: AbortSignal
}

/** The operation of a client. */
export type HookOperation = {
  /** The document, as printed: the operation and the fragments that it spreads. */
  readonly query: string
  readonly operationName: string | undefined
  readonly operationType: OperationTypeNode
  readonly variables: Readonly<Record<string, unknown>>
}

/** Headers to set; null removes one. */
export type HeaderChanges = Readonly<Record<string, string | null>>

type HookError = GraphQLError | GraphQLFormattedError

/** What every hook may return: nothing, or errors that the client gets in place of a result. */
export type HookRefusal = {
  /** `extensions.code` is FORBIDDEN where they have none. */
  readonly refuse?: HookError | readonly HookError[]
}

/** What hooks before the execution may return: HTTP status of a refusal. Default: the usual one. */
export type OperationRefusal = HookRefusal & { readonly status?: number }

export type RequestCall = HookCall &
  HookOperation & {
    /** Null for programs. */
    readonly method: string | null
    /** Address of the client. */
    readonly address: string
    /** Headers of the client by name in lower case; of programs their credentials. */
    readonly headers: Readonly<Record<string, string>>
  }
export type OperationCall = HookCall &
  HookOperation & {
    readonly address: string
    /** Claims of the verified token; null without one. */
    readonly claims: Readonly<Record<string, unknown>> | null
  }
export type PlanCall = HookCall &
  HookOperation & {
    /** The fetches of the plan, in order; of `@skip` and `@include` both sides. */
    readonly fetches: readonly { readonly subgraph: string; readonly query: string; readonly isEntityFetch: boolean }[]
    /** Cost of the operation, in points. */
    readonly cost: number
  }
export type SubgraphRequestCall = HookCall & {
  readonly subgraph: string
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  /** Headers as they would be sent, before the signature; none for a subgraph in this process. */
  readonly headers: Readonly<Record<string, string>>
}
/** A result of a subgraph or of an event. */
export type HookResult = {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly GraphQLFormattedError[]
  readonly extensions?: Readonly<Record<string, unknown>>
}
export type SubgraphResponseCall = HookCall &
  HookResult & {
    readonly subgraph: string
    /** Headers of the response to a query over HTTP; otherwise none. */
    readonly headers: Readonly<Record<string, string>>
  }
export type SubscriptionEventCall = HookCall & HookOperation & HookResult

/** Returns nothing, or what is to change. A promise is waited for. */
type Hook<Call, Result> = (call: Call) => HookReturn<Result> | Promise<HookReturn<Result>>
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement is a hook
type HookReturn<Result> = Result | null | undefined | void

/** Functions that the gateway calls on the way of an operation; see docs/gateway/hooks.md. */
export type Hooks = {
  /** First of all, before tokens are verified. `headers` changes those of the client. */
  readonly request?: Hook<RequestCall, OperationRefusal & { readonly headers?: HeaderChanges }> | undefined
  /** Before limits. `variables` replaces those of the client. */
  readonly operation?:
    | Hook<OperationCall, OperationRefusal & { readonly variables?: Readonly<Record<string, unknown>> }>
    | undefined
  /** After limits, before the first fetch or the lookup in the response cache. */
  readonly plan?: Hook<PlanCall, OperationRefusal> | undefined
  /** Before each fetch, and before a subscription is opened. `headers` changes those sent. */
  readonly subgraphRequest?: Hook<SubgraphRequestCall, HookRefusal & { readonly headers?: HeaderChanges }> | undefined
  /** After each fetch. `result` replaces the response. */
  readonly subgraphResponse?: Hook<SubgraphResponseCall, HookRefusal & { readonly result?: HookResult }> | undefined
  /** For each event of each subscriber. `result` replaces what the client gets. */
  readonly subscriptionEvent?: Hook<SubscriptionEventCall, HookRefusal & { readonly result?: HookResult }> | undefined
}

export type HookStage = keyof Hooks
export type CallOf<Stage extends HookStage> = Parameters<NonNullable<Hooks[Stage]>>[0]
export type ResultOf<Stage extends HookStage> = NonNullable<Exclude<Awaited<ReturnType<NonNullable<Hooks[Stage]>>>, void>>
