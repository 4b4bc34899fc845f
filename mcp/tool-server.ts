import type { Caller, CredentialHeader } from '../platform/http/caller.ts'
import type { Spelling } from './arguments.ts'
import type { PromptRow, ResourceRow } from './texts.ts'
import type { ToolRow } from './tool.ts'

/** Definition of an MCP server; the code that serves it is the same for all. */
export type ToolServer = {
  /** Last segment of its path `/mcp/<name>`. */
  readonly name: string
  readonly title: string
  /** One sentence for registries, at most 100 characters. */
  readonly description: string
  /** Instructions for the model, before it chooses a tool. */
  readonly instructions: string
  readonly tools: readonly ToolRow[]
  readonly resources: readonly ResourceRow[]
  readonly prompts: readonly PromptRow[]
  readonly spelling: Spelling
  /** Request headers passed on as credentials; empty when results do not depend on the caller. */
  readonly credentials: readonly CredentialHeader[]
  /** Absent: no authentication and no rate limit. */
  readonly accessPolicy?: AccessPolicy
  /** Appended to errors about credentials: how to send them, and where to get them. */
  readonly signIn?: string
  /** Headers that registries ask users for; empty when no key is needed. */
  readonly keyHeaders: readonly KeyHeader[]
}

type KeyHeader = { readonly name: CredentialHeader; readonly description: string; readonly isRequired: boolean }

/** Authentication and rate limit; every request counts, not only tool calls. */
export type AccessPolicy = {
  readonly perMinute: number
  /**
   * The account that requests are counted for, or the reason why the credentials are not accepted.
   */
  readonly accountOf: (caller: Caller) => Promise<AccountLookup>
  /** OAuth scopes that clients request at sign-in: all that the tools need. */
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

/** `scopes`: those of the access token. */
export type AccountIdentity = { readonly account: string; readonly scopes: readonly string[] }
