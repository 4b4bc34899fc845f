import { ToolInputParsingException } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { articles } from '../../bench/evidence/texts.ts'
import { aiTools } from '../../clients/tools/ai.ts'
import { checkSource, checkSources, explainDecision, rateText } from '../../clients/tools/checks.ts'
import { langchainTools } from '../../clients/tools/langchain.ts'
import { trustClient } from '../../clients/trust/client.ts'
import { startTrustStack } from '../rest-facade/trust-stack.ts'
import { aBadHost, aGoodHost } from '../subgraphs/trust/support/trust.ts'
import { PATIENT_MS, startProxy, WRONG } from './support/proxy.ts'

const [GOOD, BAD, UNKNOWN] = ['good-place.com', 'bad-place.com', 'unknown-place.com']

let stack: Awaited<ReturnType<typeof startTrustStack>>
let proxy: Awaited<ReturnType<typeof startProxy>>
let options: { readonly baseUrl: string; readonly apiKey: string; readonly timeoutMs: number }
beforeAll(async () => {
  stack = await startTrustStack()
  stack.sources.setEvidence(GOOD, aGoodHost())
  stack.sources.setEvidence(BAD, aBadHost())
  proxy = await startProxy(stack.url)
})
beforeEach(async () => {
  proxy.be('up')
  options = { baseUrl: proxy.url, apiKey: (await stack.aKey()).secret, timeoutMs: PATIENT_MS }
})
afterAll(async () => {
  proxy.close()
  await stack.close()
})

describe('plain functions', () => {
  test('return the action for one source', async () => {
    const report = await checkSource(trustClient(options), `https://${BAD}/page`, { interaction: { kind: 'submit_credentials' } })
    expect(report).toMatchObject({
      source: `https://${BAD}/page`,
      group: 'denied',
      action: 'deny',
      reasons: expect.arrayContaining(['A threat feed lists the target.']),
      advice: expect.stringMatching(/^Do not open it/),
    })
    expect(JSON.parse(proxy.requests[0]?.body ?? '').interaction).toEqual({ kind: 'submit_credentials' })
  })

  test('group many sources with one request, each looked up once', async () => {
    const sources = [UNKNOWN, GOOD, 'not a host', BAD, GOOD]
    const groups = await checkSources(trustClient(options), sources)
    const names = Object.entries(groups).map(([group, reports]) => [group, reports.map(({ source }) => source)])
    expect(Object.fromEntries(names)).toEqual({
      approved: [GOOD],
      sandboxed: [UNKNOWN],
      denied: [BAD],
      unverified: ['not a host'],
    })
    expect(proxy.requests.map(({ path }) => path)).toEqual(['/v1/decide/batch'])
    expect(await checkSources(trustClient(options), [])).toEqual({ approved: [], sandboxed: [], denied: [], unverified: [] })
  })

  test('name the sources of a batch for which no scan was left', async () => {
    const key = await stack.aKey()
    const client = trustClient({ ...options, apiKey: key.secret })
    for (const from of [0, 75])
      await checkSources(
        client,
        Array.from({ length: 75 }, (_, index) => `host-${from + index}.com`),
      )
    const { unverified } = await checkSources(client, [GOOD, BAD])
    expect(unverified.map(({ source }) => source)).toEqual([GOOD, BAD])
  })

  test('explain a decision by what was observed', async () => {
    const client = trustClient(options)
    const { decision_id } = await checkSource(client, BAD)
    expect(await explainDecision(client, decision_id ?? '')).toMatchObject({
      found: true,
      host: BAD,
      action: 'deny',
      state: 'clear_threat',
      points: expect.arrayContaining([
        'age_under_7d: threat 25, deviation 30 (3 days)',
        'host_hits: threat 85 (openphish, urlhaus)',
      ]),
      rules: ['under this policy, the state gives deny', 'raised by new-domain to sandbox'],
      sources: { rdap: 'ok', dns: 'ok', tls: 'ok', ct: 'ok', feeds: 'ok', popularity: 'ok' },
    })
    for (const id of ['dec_nobody', '../../v1/usage', ''])
      expect(await explainDecision(client, id)).toMatchObject({ found: false })
  })

  test.each([...WRONG, 'slow', 'down'] as const)('with Atrium "%s", hold every source with a reason', async (mood) => {
    if (mood !== 'down') proxy.be(mood)
    const client = trustClient({
      ...options,
      timeoutMs: mood === 'slow' ? 100 : PATIENT_MS,
      ...(mood === 'down' && { baseUrl: 'http://127.0.0.1:9' }),
    })
    expect(await checkSource(client, GOOD)).toMatchObject({
      group: 'unverified',
      action: null,
      advice: expect.stringMatching(/Hold it/),
    })
    expect((await checkSources(client, [GOOD, BAD])).unverified.length).toBe(2)
    expect(await explainDecision(client, 'dec_1')).toMatchObject({ found: false })
  })

  test('rate a text without a request', () => {
    const { title, paragraphs } = articles.russkij
    expect(rateText(title, paragraphs.join('\n\n'))).toMatchObject({
      usability: 'high',
      advice: expect.stringMatching(/may be cited/),
    })
    expect(rateText(title, '')).toMatchObject({ usability: 'low' })
  })
})

const CALLS = [
  ['check_source', () => ({ source: GOOD, kind: 'fetch' }), { group: 'approved', action: 'proceed' }],
  ['check_sources', () => ({ sources: [BAD, UNKNOWN] }), { denied: [{ source: BAD }], sandboxed: [{ source: UNKNOWN }] }],
  [
    'explain_decision',
    async () => ({ decision_id: (await checkSource(trustClient(options), BAD)).decision_id }),
    { found: true, host: BAD },
  ],
  ['rate_evidence', () => ({ title: 'T', text: articles.bees.paragraphs.join('\n\n') }), { usability: 'high' }],
] as const

const WRONG_CALLS = [
  ['check_source', { source: '' }],
  ['check_source', { source: GOOD, kind: 'steal' }],
  ['check_sources', { sources: [] }],
  ['check_sources', { sources: Array(101).fill(GOOD) }],
  ['explain_decision', {}],
  ['rate_evidence', { title: 'T' }],
] as const

describe('the AI SDK', () => {
  /** A model that calls one tool, and then says what came back. */
  const aModel = (toolName: string, input: unknown) => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    }
    let step = 0
    return new MockLanguageModelV4({
      doGenerate: async () => {
        step += 1
        return step === 1
          ? {
              content: [{ type: 'tool-call', toolCallId: 'call-1', toolName, input: JSON.stringify(input) }],
              finishReason: { unified: 'tool-calls', raw: undefined },
              usage,
              warnings: [],
            }
          : { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] }
      },
    })
  }
  const run = (model: MockLanguageModelV4) =>
    generateText({ model, tools: aiTools(options), prompt: 'Go.', stopWhen: isStepCount(2) })

  test.each(CALLS)('runs %s when a model calls it', async (name, input, expected) => {
    const model = aModel(name, await input())
    const { steps, text } = await run(model)
    expect(steps[0]?.toolResults.map(({ output }) => output)).toMatchObject([expected])
    expect(text).toBe('done')
    // What the model is told about it.
    const declared = model.doGenerateCalls[0]?.tools?.find((tool) => tool.type === 'function' && tool.name === name)
    expect(declared).toMatchObject({
      description: expect.stringMatching(/\w/),
      inputSchema: { type: 'object', properties: expect.any(Object) },
    })
  })

  test.each(WRONG_CALLS)('report wrong arguments of %s to the model: %#', async (name, input) => {
    const { steps } = await run(aModel(name, input))
    expect(steps[0]?.content).toMatchObject([{ type: 'tool-call', invalid: true }, { type: 'tool-error' }])
    expect(proxy.requests).toEqual([])
  })

  test('hands its signal on', async () => {
    proxy.be('slow')
    const { check_source } = aiTools(options)
    const call = check_source.execute?.({ source: GOOD }, {
      toolCallId: 'c',
      messages: [],
      abortSignal: AbortSignal.timeout(50),
      context: {},
    } as never)
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

describe('LangChain.js', () => {
  const toolNamed = (name: string) => {
    const found = langchainTools(options).find((each) => each.name === name)
    if (!found) throw new Error(`There is no tool ${name}.`)
    return found
  }

  test.each(CALLS)('runs %s when a model calls it', async (name, input, expected) => {
    const message = await toolNamed(name).invoke({
      type: 'tool_call',
      id: 'call-1',
      name,
      args: (await input()) as Record<string, unknown>,
    })
    expect(message).toMatchObject({ name, tool_call_id: 'call-1' })
    expect(JSON.parse(message.content as string)).toMatchObject(expected)
    expect(convertToOpenAITool(toolNamed(name)).function).toMatchObject({ name, parameters: { type: 'object' } })
  })

  test.each(WRONG_CALLS)('refuses wrong arguments of %s: %#', async (name, input) => {
    await expect(toolNamed(name).invoke({ type: 'tool_call', id: 'c', name, args: input as never })).rejects.toThrow(
      ToolInputParsingException,
    )
    expect(proxy.requests).toEqual([])
  })

  test('hands its signal on', async () => {
    proxy.be('slow')
    await expect(toolNamed('check_source').invoke({ source: GOOD }, { signal: AbortSignal.timeout(50) })).rejects.toThrow()
  })
})

test('the policy is set by the program that creates the tools', async () => {
  await aiTools({ ...options, policy: 'critical' }).check_source.execute?.({ source: UNKNOWN }, {
    toolCallId: 'c',
    messages: [],
  } as never)
  expect(JSON.parse(proxy.requests[0]?.body ?? '').policy).toEqual({ profile: 'critical' })
})
