import { runInThisContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { visibleArguments } from '../../../../gateway/executor/graphql/resolver-arity.ts'

describe('a resolver is given every argument that it can see', () => {
  const ALL = 4
  /** As it is written: what formats our own code would write it otherwise. */
  const written = (text: string) => runInThisContext(text)
  const bound = ((...all: unknown[]) => all).bind(null)
  class Holder {
    method(_source: unknown, { id }: { id: string }) {
      return id
    }
  }
  test.each<[why: string, resolver: (...all: never[]) => unknown, visible: number]>([
    ['none', () => 1, 0],
    ['one, without parentheses', written('source => source.id'), 1],
    ['two, taken apart', ({ id }: { id: string }, { first }: { first: number }) => [id, first], 2],
    ['all four', (_: unknown, _given: unknown, _context: unknown, info: unknown) => info, ALL],
    ['a method', new Holder().method, 2],
    ['an asynchronous function', async (source: unknown) => source, 1],
    [
      'a function with a name',
      function named(_source: unknown, _given: unknown, context: unknown) {
        return context
      },
      3,
    ],
    ['a default', (_source: unknown, _given = {}, _context = {}, info = {}) => info, ALL],
    ['a default inside', ({ id = 1 }: { id?: number }) => id, ALL],
    ['a rest', (source: unknown, ...others: unknown[]) => [source, others], ALL],
    ['arguments', written('(function (source) { return arguments[3] })'), ALL],
    ['arguments by another spelling', written('(function (source) { return \\u0061rguments[3] })'), ALL],
    ['eval', written('(function (source) { return eval("argu" + "ments")[3] })'), ALL],
    ['a bound function', bound, ALL],
    [
      'a computed name',
      {
        ['na' + 'me'](source: unknown) {
          return source
        },
      }.name as never,
      ALL,
    ],
    ['a comment among them', written('(source /* , rest */, given) => given'), ALL],
  ])('%s', (_, resolver, visible) => {
    expect(visibleArguments(resolver)).toBe(visible)
  })
})
