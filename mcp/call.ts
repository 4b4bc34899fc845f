import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FastifyBaseLogger } from 'fastify'
import { faultsOf } from './faults.ts'
import type { Call, Tool } from './tool.ts'

/** Callbacks of a call: logger, and handler of a missing OAuth scope. */
export type CallReporter = { readonly log: FastifyBaseLogger; readonly onMissingScope: (scope: string, message: string) => void }

/**
 * Calls a tool with unvalidated arguments. Failures become results with `isError`, so that the
 * model sees what was expected and can correct its call. `signIn` is appended when credentials are
 * missing; `onMissingScope` is called when the token lacks a scope. Never rejects.
 */
export async function callTool(
  tool: Tool,
  input: unknown,
  call: Call,
  { log, onMissingScope, signIn }: CallReporter & { readonly signIn: string | undefined },
): Promise<CallToolResult> {
  const parsed = tool.accepts.safeParse(input)
  if (!parsed.success) return refusal(faultsOf(parsed.error, input, Object.keys(tool.accepts.shape)).join(' '))
  try {
    const result = await tool.answer(parsed.data, call)
    switch (result.kind) {
      case 'answered':
        return answered(tool, result.content)
      case 'written':
        return { ...textResult(result.text), ...(result.content && { structuredContent: { ...result.content } }) }
    }
    if (result.fault) log.error({ fault: result.fault, tool: tool.name }, 'the graph did not answer a tool')
    if (result.needsScope !== undefined) onMissingScope(result.needsScope, result.message)
    return refusal(result.needsCredentials && signIn ? `${result.message} ${signIn}` : result.message)
  } catch (error) {
    log.error({ err: error, tool: tool.name }, 'a tool failed')
    return refusal(`Internal error; quote request ${call.caller.requestId} when you report it.`)
  }
}

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
const refusal = (message: string): CallToolResult => ({ ...textResult(message), isError: true })

/** Structured content by the tool's result schema, and the same as JSON text. */
function answered(tool: Tool, content: unknown): CallToolResult {
  if (!tool.returns) throw new Error(`Expected ${tool.name} to say what it returns.`)
  const structuredContent = tool.returns.parse(content)
  return { ...textResult(JSON.stringify(structuredContent)), structuredContent }
}
