/** An MCP resource: a document beside the tools. */
export type ResourceRow = {
  /** Path below the public URL; not every resource is also served over HTTP. */
  readonly path: `/${string}`
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly text: (publicUrl: string) => string
}

/** An MCP prompt: a prepared request that a person can choose. */
export type PromptRow = {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Arguments, all of them required texts. */
  readonly arguments: readonly { readonly name: string; readonly description: string }[]
  readonly text: (given: Readonly<Record<string, string>>) => string
}
