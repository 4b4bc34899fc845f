import type { Caller, CredentialHeader } from '../platform/http/caller.ts'
import type { Spelling } from './arguments.ts'
import type { PromptRow, ResourceRow } from './texts.ts'
import type { ToolRow } from './tool.ts'

/** Everything that tells one MCP server from another; the interpreter knows no more about it. */
export type ToolServer = {
  /** The last segment of its path, `/mcp/<name>`. */
  readonly name: string
  readonly title: string
  /** One sentence for lists of servers, at most 100 characters. */
  readonly description: string
  /** For the model, before it has chosen a tool. */
  readonly instructions: string
  readonly tools: readonly ToolRow[]
  readonly resources: readonly ResourceRow[]
  readonly prompts: readonly PromptRow[]
  readonly spelling: Spelling
  /**
   * Headers of clients that go on to the graph; none for a server whose answers are the same for
   * everybody.
   */
  readonly credentials: readonly CredentialHeader[]
  /** Absent where everybody may ask as often as they like. */
  readonly accessPolicy?: AccessPolicy
  /**
   * Said to callers whose credentials are missing or wrong: how to send them, and where they come
   * from.
   */
  readonly signIn?: string
  /** The headers that registries ask people to fill in; none where no key is needed. */
  readonly keyHeaders: readonly KeyHeader[]
}

type KeyHeader = { readonly name: CredentialHeader; readonly description: string; readonly isRequired: boolean }

/**
 * Who may ask at all, and how often: requests of any kind count, where `ServingOptions.counting`
 * does.
 */
export type AccessPolicy = {
  readonly perMinute: number
  /** Whose requests are counted together, or why the credentials are good for nothing here. */
  readonly accountOf: (caller: Caller) => Promise<AccountLookup>
  /** Scopes that clients ask for when they sign in over OAuth: all that the tools need. */
  readonly scopes: readonly string[]
}

export type AccountLookup =
  | AccountIdentity
  | {
      readonly refusal: {
        readonly status: number
        readonly message: string
        readonly headers?: Readonly<Record<string, string>>
      }
    }

/** `scopes`: what the credentials allow. */
export type AccountIdentity = { readonly account: string; readonly scopes: readonly string[] }
