/**
 * Matches patterns against long texts that grow out of what they match, in a process of its own,
 * which the parent ends when one of them takes too long: told `{ pattern, flags }`, it says now and
 * then how many texts were tried.
 */
import * as fc from 'fast-check'

export type Pattern = { readonly pattern: string; readonly flags: string }

/**
 * `isGuessed`: texts are made of what texts are usually made of, not of examples, which cannot be
 * had of every pattern in any time.
 */
export type TestedPattern = Pattern & { readonly isGuessed: boolean }
export type Heard = { readonly count: number; readonly isLast: boolean }

/**
 * A part that is repeated to this length is looked at more closely when it takes a tenth of a
 * second: by then, what is linear needs far less.
 */
const [SHORT, LONG] = [30_000, 400_000]
const CLOSER_MILLISECONDS = 100

/** What texts are usually made of. */
const USUAL = [
  'a',
  'A',
  '0',
  ' ',
  '\t',
  '\n',
  '-',
  '_',
  '.',
  ',',
  '/',
  '\\',
  ':',
  '=',
  '"',
  "'",
  '<',
  '>',
  '(',
  '[',
  '{',
  '@',
  '%',
  '+',
  'é',
  'a.',
  'a-',
  'a ',
  '0.',
  '"a',
]

function examplesOf({ pattern, flags }: Pattern): readonly string[] {
  try {
    const arbitrary = fc.stringMatching(new RegExp(pattern, flags.replace(/[gy]/g, '')))
    return fc.sample(arbitrary, { seed: 7, numRuns: 4 }).map((text) => text.slice(0, 40))
  } catch {
    return []
  }
}

/** A text around a part that is repeated, with an end that may not match. */
function* textsOf(examples: readonly string[]): Generator<(length: number) => string> {
  const ends = ['', '\0']
  for (const part of USUAL) for (const end of ends) yield (length) => part.repeat(length / part.length) + end
  for (const example of examples) {
    for (let at = 0; at < Math.min(example.length, 5); at++) {
      for (const size of [1, 3]) {
        const part = example.slice(at, at + size)
        if (part.length < size) continue
        for (const end of [example.slice(at + size), '\0'])
          yield (length) => example.slice(0, at) + part.repeat(length / size) + end
      }
    }
  }
}

const say = (heard: Heard) => process.send?.(heard)

function tried({ isGuessed, ...given }: TestedPattern): number {
  const expression = new RegExp(given.pattern, given.flags)
  const match = (text: string) => {
    expression.lastIndex = 0
    const began = performance.now()
    if (expression.global) for (const _ of text.matchAll(expression));
    else expression.test(text)
    return performance.now() - began
  }
  let count = 0
  const examples = isGuessed ? [] : examplesOf(given)
  say({ count, isLast: false })
  for (const textOf of textsOf(examples)) {
    // The parent waits for one text, not for all of them.
    if (++count % 10 === 0) say({ count, isLast: false })
    if (match(textOf(SHORT)) > CLOSER_MILLISECONDS) match(textOf(LONG))
  }
  return count
}

process.on('message', (tested: TestedPattern) => say({ count: tried(tested), isLast: true }))
