/** A part of a text, in UTF-16 units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number }

/**
 * Code blocks and inline code of Markdown, and quotations within one line. Bounded, so that a lone
 * quotation mark encloses nothing far away.
 */
const CODE =
  /```[^`]{0,20000}```|~~~[^~]{0,20000}~~~|`[^`\n]{1,400}`|(?:^|\n)(?: {4}|\t)[^\n]{1,2000}|<(?:code|pre)>[^<]{0,2000}<\/(?:code|pre)>/g
const QUOTATION =
  /“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|「[^「」\n]{1,400}」|『[^『』\n]{1,400}』|(?<![\w"])"[^"\n]{1,400}"(?!\w)|‘[^‘\n]{1,400}’(?!\w)/g

/** Words of those who write about attacks, in several languages; one group per idea. */
const ATTACK_WORDS =
  /\b(injections?|inject(?:ed|ing)?|attack(?:s|er|ers|ed)?|jailbreaks?|payloads?|exploit(?:s|ed)?|vulnerab(?:le|ility|ilities)|malicious|researchers?|defen[cs]es?|defenders?|filters?|mitigat(?:e|ion|ions)|exfiltration|owasp|cve|phrases?|sanitis?z?es?|angriffs?(?:form|e|en)?|forscher|injektion|attaques?|chercheurs?|ataques?|investigadores|attacchi|ricercatori|pesquisadores|aanval(?:len)?|onderzoekers|ataki?|badacze|saldırı|tests?|testing|examples?|beispiel(?:e|s)?|exemples?|ejemplos?|studie|study|survey|satz|sätze|sentences?|strings?|frases?|kommentare?|comments?|comentarios?|measured|midieron|mesur[eé]|gemessen|hersteller|vendors?|anbieter|entwickler|desarrolladores|développeurs|developers?)\b|(атак|инъекци|исследовател|攻击|注入|例子|攻撃|注入|例えば|공격|주입|예를|هجوم|حقن|باحث|हमल|उदाहरण)/giu

/** Words of documentation about interfaces of models. */
const INTERFACE_WORDS =
  /\b(messages?|roles?|templates?|tokens?|tokenizers?|apis?|tools?|functions?|responses?|parsers?|json|schemas?|methods?|clients?|servers?|requests?|endpoints?|parameters?|arguments?|turns?|formats?|chatml|prompts?|models?|completions?)\b/gi

/** Different words that make a text one about a subject. */
const SUBJECT_WORDS = 2

export type Quotations = {
  readonly isCode: (span: Span) => boolean
  readonly isQuoted: (span: Span) => boolean
  /** The text outside of its quotations discusses attacks. */
  readonly isAboutAttacks: boolean
  /** The text outside of its quotations documents interfaces of models. */
  readonly isAboutInterfaces: boolean
}

/** What a text quotes, and whether it is about what it quotes. */
export function quotationsIn(text: string): Quotations {
  const code = spansOf(CODE, text)
  const quoted = spansOf(QUOTATION, text)
  const isWithin = (spans: readonly Span[]) => (span: Span) => enclosing(spans, span) !== undefined
  const wordsOutside = (pattern: RegExp): number => {
    const words = new Set<string>()
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length }
      if (!isWithin(code)(span) && !isWithin(quoted)(span)) words.add(match[0].toLowerCase().slice(0, 5))
      if (words.size >= SUBJECT_WORDS) break
    }
    return words.size
  }
  return {
    isCode: isWithin(code),
    isQuoted: isWithin(quoted),
    isAboutAttacks: wordsOutside(ATTACK_WORDS) >= SUBJECT_WORDS,
    isAboutInterfaces: wordsOutside(INTERFACE_WORDS) >= SUBJECT_WORDS,
  }
}

export function spansOf(pattern: RegExp, text: string): readonly Span[] {
  return Array.from(text.matchAll(pattern), (match) => ({ start: match.index, end: match.index + match[0].length }))
}

/** The span around another one, by binary search; spans are in order and do not overlap. */
export function enclosing(spans: readonly Span[], { start, end }: Span): Span | undefined {
  let [low, high] = [0, spans.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const span = spans[middle]
    if (span === undefined) return undefined
    if (span.end <= start) low = middle + 1
    else if (span.start > start) high = middle - 1
    else return span.end >= end ? span : undefined
  }
  return undefined
}
