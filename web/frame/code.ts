import { colored } from './code-colors.ts'
import { type Html, html } from './html.ts'
import { icon } from './icon.ts'

/** Code with a button that copies it. */
export type CodeBlock = {
  /** Of the element with the code: unique on its page. */
  readonly id: string
  readonly text: string
  /** As fences name it, such as `sh`; empty: it is not coloured. */
  readonly language?: string
  /** What it is, for screen readers. */
  readonly label: string
  /** Whether long lines are broken: those of commands that are read as one. */
  readonly breaks?: boolean
  /** Format in which a page's script fills values in; absent: it fills in none. */
  readonly fill?: string
}

/** How languages are called above their code; others are called nothing. */
const LANGUAGE_LABELS: ReadonlyMap<string, string> = new Map([
  ['sh', 'Shell'],
  ['console', 'Shell'],
  ['json', 'JSON'],
  ['toml', 'TOML'],
  ['ts', 'TypeScript'],
  ['js', 'JavaScript'],
  ['py', 'Python'],
  ['go', 'Go'],
  ['graphql', 'GraphQL'],
  ['yaml', 'YAML'],
  ['ini', 'INI'],
  ['sql', 'SQL'],
  ['nginx', 'nginx'],
  ['html', 'HTML'],
])

/** One line has its button beside it, more have it above them, with the language. */
export function codeBlock(block: CodeBlock): Html {
  const { text, language = '', breaks = false } = block
  const isOneLine = !text.trimEnd().includes('\n')
  const button = copyButton(block.id)
  if (isOneLine) return html`<div class="code one-line${breaks && ' breaks'}">${pre(block)}${button}</div>`
  return html`<div class="code${breaks && ' breaks'}"><div class="code-bar"><span>${LANGUAGE_LABELS.get(language)}</span>${button}</div>${pre(block)}</div>`
}

/**
 * The same in several languages, one tab for each. Tabs are radio buttons, which need no script;
 * with one, every page shows the language that was chosen last.
 */
export function codeTabs(group: string, blocks: readonly CodeBlock[]): Html {
  return html`<div class="code code-tabs"><fieldset class="code-languages" data-languages><legend class="spoken">Language</legend>
${blocks.map(({ language = '', id }, index) => html`<input type="radio" name="${group}" id="${id}-tab" value="${language}"${index === 0 && html` checked`}><label for="${id}-tab">${LANGUAGE_LABELS.get(language) ?? language}</label>`)}
${blocks.map((block) => html`<div class="panel">${pre(block)}${copyButton(block.id)}</div>`)}</fieldset></div>`
}

const pre = ({ id, text, language = '', label, fill }: CodeBlock): Html =>
  html`<pre tabindex="0" aria-label="${label}"><code id="${id}"${fill !== undefined && html` data-fill="${fill}"`}>${colored(text, language)}</code></pre>`

const copyButton = (id: string): Html =>
  html`<button type="button" data-copy="${id}" hidden>${icon('copy')}<span>Copy</span></button>`
