/** How many of the four arguments of a resolver it can see, at most. */
export function visibleArguments(resolver: (...all: never[]) => unknown): number {
  const text = Function.prototype.toString.call(resolver)
  // What is bound or not of JavaScript does not say; `arguments` and what comes by `eval` see all.
  if (/\[native code\]|\barguments\b|\beval\b|\\/.test(text)) return MAX_ARITY
  return isPlain(parametersIn(text)) ? resolver.length : MAX_ARITY
}

const MAX_ARITY = 4

/** Neither with defaults nor with a rest, both of which `length` leaves out. */
const isPlain = (parameters: string | null): boolean => parameters !== null && !/[=.]/.test(parameters)

/**
 * The text of the parameters of a function; null where it is not seen at a glance where they end.
 */
function parametersIn(text: string): string | null {
  const head = /^(?:async\s+)?(?:function\b\s*)?[\w$]*\s*(?=\()/.exec(text)?.[0]
  if (head === undefined) return /^(?:async\s+)?([\w$]+)\s*=>/.exec(text)?.[1] ?? null
  let depth = 0
  for (let at = head.length; at < text.length; at++) {
    // The index is within bounds.
    const character = text[at] as string
    if (character === '(') depth++
    else if (character === ')' && --depth === 0) return text.slice(head.length, at)
    else if (!/[\w$\s,:{}[\]]/.test(character)) return null
  }
  return null
}
