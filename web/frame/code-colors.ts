import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { type Content, type Html, html } from './html.ts'

/**
 * Longer code is shown without colours: it is data, not an example. Expressions are quadratic at
 * worst, for which this bounds the time.
 */
const MAX_COLORED_CHARACTERS = 6_000

const DOUBLE_QUOTED = '"(?:[^"\\\\\\n]|\\\\.)*"'
const SINGLE_QUOTED = "'(?:[^'\\\\\\n]|\\\\.)*'"
const FIGURE = '\\b\\d+(?:\\.\\d+)?\\b|\\b(?:true|false|null|None|True|False)\\b'
const HASH_REMARK = '(?<=^|\\s)#.*'

/** A language: what stands out in it. Groups are the classes of the stylesheet. */
const grammar = ({
  remark,
  text,
  name,
  figure = FIGURE,
}: Readonly<Record<'remark' | 'text' | 'name', string>> & { readonly figure?: string }) =>
  new RegExp(`(?<remark>${remark})|(?<name>${name})|(?<text>${text})|(?<figure>${figure})`, 'gm')

/** Words of TypeScript and JavaScript, and of Python. */
const SCRIPT_WORDS = '\\b(?:import|from|export|const|let|await|async|function|return|for|of|if|else|new|type|throw|try|catch)\\b'
const PYTHON_WORDS = '\\b(?:import|from|def|with|as|return|for|in|if|else|raise|try|except|class|print)\\b'
const GO_WORDS = '\\b(?:package|import|func|return|for|range|if|else|type|struct|var|const|defer|go)\\b'
const GRAPHQL_WORDS =
  '\\b(?:query|mutation|subscription|fragment|on|type|input|enum|union|interface|extend|schema|scalar|directive)\\b'
/** The first word of a command, also after a pipe, and its options. */
const SHELL_WORDS =
  '(?<=^ {0,8}|[|;&(] {0,2})(?:curl|npx|npm|node|git|docker|podman|echo|kubectl|helm|sudo|systemctl|psql|export|python3?|cd)\\b|(?<=\\s)--?[A-Za-z][\\w-]*'

const shell = grammar({ remark: HASH_REMARK, text: `${DOUBLE_QUOTED}|'[^']*'`, name: SHELL_WORDS, figure: '\\$\\{?\\w+\\}?' })
const json = grammar({ remark: '(?!)', text: DOUBLE_QUOTED, name: `${DOUBLE_QUOTED}(?=[ \\t]{0,4}:)` })
const script = grammar({ remark: '(?<!:)//.*', text: `${DOUBLE_QUOTED}|${SINGLE_QUOTED}|\`[^\`]*\``, name: SCRIPT_WORDS })
const graphql = grammar({ remark: HASH_REMARK, text: DOUBLE_QUOTED, name: GRAPHQL_WORDS, figure: `${FIGURE}|\\$\\w+` })
const keyed = grammar({
  remark: HASH_REMARK,
  text: `${DOUBLE_QUOTED}|${SINGLE_QUOTED}`,
  name: '^[ \\t]{0,20}(?:- )?[\\w./-]+(?=[ \\t]{0,4}[:=])|^\\[.*\\]$',
})

const GRAMMARS: LookupTable<RegExp> = lookupTable({
  sh: shell,
  bash: shell,
  console: shell,
  json,
  ts: script,
  js: script,
  go: grammar({ remark: '//.*', text: `${DOUBLE_QUOTED}|\`[^\`]*\``, name: GO_WORDS }),
  py: grammar({ remark: HASH_REMARK, text: `${DOUBLE_QUOTED}|${SINGLE_QUOTED}`, name: PYTHON_WORDS }),
  graphql,
  yaml: keyed,
  toml: keyed,
  ini: keyed,
})

/** Code with remarks, names, texts and figures marked; as it is in languages that have no grammar. */
export function colored(text: string, language: string): Html {
  const found = GRAMMARS[language]
  if (found === undefined || text.length > MAX_COLORED_CHARACTERS) return html`${text}`
  const parts: Content[] = []
  let end = 0
  for (const match of text.matchAll(found)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? []
    if (kind === undefined || match[0] === '') continue
    parts.push(text.slice(end, match.index), html`<span class="${kind}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${parts}${text.slice(end)}`
}
