/** A field of a feature with a text. */
export type RuleField = 'name' | 'uri' | 'title' | 'description' | 'inputSchema' | 'arguments' | 'mimeType' | 'annotations'

/** A pattern and what it means. */
export type FeatureRule = {
  readonly name: string
  readonly kind: 'INJECTION' | 'DANGEROUS'
  /** HIGH: no honest description has it. */
  readonly severity: 'HIGH' | 'LOW'
  readonly meaning: string
  /** Fields whose text is looked at; of tools alone where the kind is DANGEROUS. */
  readonly fields: readonly RuleField[]
  /** Whether it reads the text as it was sent, with the signs that folding removes (`foldedText`). */
  readonly readsRaw?: true
  /** Global; gaps are bounded, so that no text takes long. */
  readonly pattern: RegExp
}

/** All that a model may read, names included. */
const TEXTS = ['name', 'uri', 'title', 'description', 'inputSchema', 'arguments', 'mimeType'] as const

/**
 * What descriptions of tools were seen to do to models (Invariant Labs, "Tool poisoning attacks",
 * 2025; OWASP LLM01), and what a tool can do to its user.
 */
export const FEATURE_RULES: readonly FeatureRule[] = [
  {
    name: 'hidden-characters',
    kind: 'INJECTION',
    severity: 'HIGH',
    meaning: 'Characters that people do not see and models read.',
    fields: TEXTS,
    readsRaw: true,
    // Tags (but for flags such as that of Wales), changes of direction, runs of signs without width
    // or of variation selectors, and escapes of terminals.
    pattern:
      /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]{2,}|[\u202a-\u202e\u2066-\u2069]|[\u200b-\u200f\u2060-\u2064\ufeff]{3,}|(?:[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]){3,}|(?:(?![\t\n\r])\p{Cc}|\\u001b)\[/gu,
  },
  {
    name: 'split-word',
    kind: 'INJECTION',
    severity: 'LOW',
    meaning: 'A sign that nobody sees inside a word, which hides the word from a search.',
    fields: TEXTS,
    readsRaw: true,
    pattern: /(?<=[A-Za-z])(?:\u034f|[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff])+(?=[A-Za-z])/g,
  },
  {
    name: 'ignore-instructions',
    kind: 'INJECTION',
    severity: 'HIGH',
    meaning: 'Tells the model to give up its instructions.',
    fields: TEXTS,
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\s(?:all|any|every|the|your|my|these|those|of|previous|prior|earlier|above|other|system|\s){1,30}(?:instruction|prompt|guideline|guardrail|rule|direction)s?\b/gi,
  },
  {
    name: 'instruction-tag',
    kind: 'INJECTION',
    severity: 'HIGH',
    meaning: 'Marks of a system message or an order inside a description.',
    fields: TEXTS,
    pattern: /<\/?(?:important|system|instructions?|secret|assistant|admin)>|<\|im_(?:start|end)\|>|\[\/?INST\]|<<\/?SYS>>/gi,
  },
  {
    name: 'hide-from-user',
    kind: 'INJECTION',
    severity: 'HIGH',
    meaning: 'Tells the model to keep something from the person.',
    fields: TEXTS,
    pattern:
      /\b(?:do not|don['’]t|never|without)\s(?:ever\s)?(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting|reveal|revealing)\b.{0,40}\b(?:user|human|person|anyone|anybody)\b/gi,
  },
  {
    name: 'order-about-tools',
    kind: 'INJECTION',
    severity: 'LOW',
    meaning: 'Orders when to use this or other tools, rather than says what it does.',
    fields: ['title', 'description'],
    pattern:
      /\b(?:before|instead of)\s(?:using|calling|invoking|you use|you call)\s(?:any|all|every|each|the)\s(?:other\s)?tools?\b|\balways (?:call|use|run|invoke) this tool\b/gi,
  },
  {
    name: 'secret-file',
    kind: 'INJECTION',
    severity: 'LOW',
    meaning: 'Names a file in which people keep secrets.',
    fields: TEXTS,
    pattern: /~?\/\.(?:ssh|aws|gnupg|kube)\b[\w./-]{0,60}|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)\b|\.cursor\/mcp\.json/g,
  },
  {
    name: 'conversation',
    kind: 'INJECTION',
    severity: 'LOW',
    meaning: 'Asks for the conversation or the system prompt.',
    fields: TEXTS,
    pattern: /\b(?:entire|full|whole|complete)\s(?:chat|conversation|message)\s?(?:history|log|context)?\b|\bsystem prompt\b/gi,
  },
  {
    name: 'encoded-text',
    kind: 'INJECTION',
    severity: 'LOW',
    meaning: 'A long encoded text, which people do not read.',
    fields: ['description'],
    pattern: /\b[A-Za-z0-9+/]{160,2000}={0,2}/g,
  },
  {
    name: 'runs-commands',
    kind: 'DANGEROUS',
    severity: 'LOW',
    meaning: 'Runs commands or code.',
    fields: ['name'],
    pattern:
      /^(?:shell|bash|terminal|exec|eval|powershell)$|(?:^|[_.-])(?:exec|execute|run|eval|evaluate)[_.-]?(?:shell|bash|commands?|code|scripts?|python|javascript|js|powershell|terminal)(?=$|[_.-])/gi,
  },
  {
    name: 'deletes',
    kind: 'DANGEROUS',
    severity: 'LOW',
    meaning: 'Deletes something.',
    fields: ['name'],
    pattern: /(?:^|[_.-])(?:delete|drop|destroy|purge|wipe|truncate|terminate)(?=$|[_.-]|[A-Z])/g,
  },
  {
    name: 'writes-files',
    kind: 'DANGEROUS',
    severity: 'LOW',
    meaning: 'Writes files.',
    fields: ['name'],
    pattern: /(?:^|[_.-])(?:write|edit|move|overwrite)[_.-]?files?(?=$|[_.-])/gi,
  },
  {
    name: 'pays',
    kind: 'DANGEROUS',
    severity: 'LOW',
    meaning: 'Moves money.',
    fields: ['name'],
    pattern:
      /(?:^|[_.-])(?:pay|payout|refund|purchase|withdraw|transfer|charge|swap|send[_.-]?(?:transaction|payment|money))(?=$|[_.-])/gi,
  },
  {
    name: 'sends-messages',
    kind: 'DANGEROUS',
    severity: 'LOW',
    meaning: 'Sends messages in the name of the person.',
    fields: ['name'],
    pattern: /(?:^|[_.-])(?:send|post|reply)[_.-]?(?:to[_.-]?)?(?:emails?|mails?|messages?|sms|tweets?|dm)(?=$|[_.-])/gi,
  },
  {
    name: 'says-destructive',
    kind: 'DANGEROUS',
    severity: 'LOW',
    meaning: 'The server says itself that it may delete or overwrite.',
    fields: ['annotations'],
    pattern: /destructiveHint/g,
  },
]
