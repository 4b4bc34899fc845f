/** Upper bound of the arguments that a resolver can read, of four, by its source text. */
export function visibleArguments(resolver: (...all: never[]) => unknown): number {
  const text = Function.prototype.toString.call(resolver)
  // The text of bound and native functions is unknown; `arguments` and `eval` can read all of them.
  if (/\[native code\]|\barguments\b|\beval\b|\\/.test(text)) return MAX_ARITY
  return isPlain(parametersIn(text)) ? resolver.length : MAX_ARITY
}

const MAX_ARITY = 4

/** Whether parameters have no defaults and no rest, which `length` does not count. */
const isPlain = (parameters: string | null): boolean => parameters !== null && !/[=.]/.test(parameters)

/** Source text of a function's parameters; null when it is too complex to find their end. */
function parametersIn(text: string): string | null {
  const head = /^(?:async\s+)?(?:function\b\s*)?[\w$]*\s*(?=\()/.exec(text)?.[0]
  if (head === undefined) return /^(?:async\s+)?([\w$]+)\s*=>/.exec(text)?.[1] ?? null
  let depth = 0
  for (let at = head.length; at < text.length; at++) {
    // The loop bounds the index.
    const character = text[at] as string
    if (character === '(') depth++
    else if (character === ')' && --depth === 0) return text.slice(head.length, at)
    else if (!/[\w$\s,:{}[\]]/.test(character)) return null
  }
  return null
}
