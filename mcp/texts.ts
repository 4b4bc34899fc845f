/** Something to read beside the tools: a resource, in the words of the protocol. */
export type ResourceRow = {
  /** Path of its address below where clients reach us; not every one is served over HTTP as well. */
  readonly path: `/${string}`
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly text: (publicUrl: string) => string
}

/** A request that a person can choose instead of writing it: a prompt, in the words of the protocol. */
export type PromptRow = {
  readonly name: string
  readonly title: string
  readonly description: string
  /** All are needed, and are text. */
  readonly arguments: readonly { readonly name: string; readonly description: string }[]
  readonly text: (given: Readonly<Record<string, string>>) => string
}
