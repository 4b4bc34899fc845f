import type { DirectoryKind } from '../../subgraphs/directory/item/item.ts'

/** What a person looks for: how the words come about. */
export type QueryClass =
  | 'name'
  | 'words'
  | 'prefix'
  | 'typo'
  | 'synonym'
  | 'task'
  | 'script'
  | 'stop words'
  | 'injection'
  | 'nonsense'

/**
 * A query, and what must be among the first `within` of `kind`. Written from what a user would
 * want, before any result was seen.
 */
export type Query = {
  readonly class: QueryClass
  readonly query: string
  readonly kind: DirectoryKind
  readonly within: number
  /**
   * Matches `key`, or `name` and description, of at least one wanted item. null: nothing must be
   * found at all.
   */
  readonly wanted: { readonly key: RegExp } | { readonly about: RegExp } | null
}

const server = (cls: QueryClass, query: string, key: RegExp, within = 3): Query => ({
  class: cls,
  query,
  kind: 'MCP_SERVER',
  within,
  wanted: { key },
})
const plugin = (cls: QueryClass, query: string, key: RegExp, within = 3): Query => ({
  class: cls,
  query,
  kind: 'PLUGIN',
  within,
  wanted: { key },
})
const skill = (cls: QueryClass, query: string, key: RegExp, within = 3): Query => ({
  class: cls,
  query,
  kind: 'SKILL',
  within,
  wanted: { key },
})
/** A task: the wanted item says it in its own words, so name and description decide. */
const task = (query: string, kind: DirectoryKind, about: RegExp, within = 5): Query => ({
  class: 'task',
  query,
  kind,
  within,
  wanted: { about },
})
const nothing = (cls: QueryClass, query: string): Query => ({ class: cls, query, kind: 'MCP_SERVER', within: 1, wanted: null })

export const queries: readonly Query[] = [
  // Names, as people remember them.
  server('name', 'github', /^github\/github-mcp-server$/i),
  server('name', 'github-mcp-server', /^github\/github-mcp-server$/i),
  server('name', 'github/github-mcp-server', /^github\/github-mcp-server$/i, 1),
  server('name', 'playwright', /^microsoft\/playwright-mcp$/i),
  server('name', 'playwright-mcp', /^microsoft\/playwright-mcp$/i),
  server('name', 'context7', /^upstash\/context7/i),
  server('name', 'notion', /notion/i),
  server('name', 'stripe', /stripe/i),
  server('name', 'sentry', /sentry/i),
  server('name', 'grafana', /grafana/i),
  server('name', 'firecrawl', /firecrawl/i),
  server('name', 'qdrant', /qdrant/i),
  server('name', 'neo4j', /neo4j/i),
  server('name', 'duckdb', /duckdb/i),
  server('name', 'sequentialthinking', /sequential-?thinking/i),
  server('name', 'airtable-mcp-server', /airtable-mcp-server/i),
  plugin('name', 'superpowers', /\/superpowers$/),
  plugin('name', 'semgrep', /\/semgrep$/),
  plugin('name', 'pr-review-toolkit', /\/pr-review-toolkit$/),
  plugin('name', 'typescript-lsp', /\/typescript-lsp$/),
  plugin('name', 'ralph-loop', /\/ralph-loop$/),
  skill('name', 'skill-creator', /^skill-creator/),
  skill('name', 'mcp-builder', /^mcp-builder/),
  skill('name', 'rdkit', /^rdkit/),
  skill('name', 'test-driven-development', /^test-driven-development/),
  skill('name', 'webapp-testing', /^webapp-testing/),

  // Several words.
  server('words', 'google calendar', /calendar/i),
  server('words', 'brave search', /brave/i),
  server('words', 'azure devops', /azure.*devops|devops.*azure/i),
  server('words', 'aws documentation', /aws.*doc|doc.*aws/i),
  server('words', 'home assistant', /home-?assistant|hass/i),
  server('words', 'sequential thinking', /sequential-?thinking/i),
  server('words', 'youtube transcript', /youtube.*transcript|transcript.*youtube|yt.*transcript/i),
  server('words', 'google sheets', /sheet/i),
  server('words', 'knowledge graph memory', /memory|knowledge/i),
  server('words', 'microsoft sql server', /mssql|sql-?server|sql/i),
  plugin('words', 'code review', /code-review/),
  plugin('words', 'frontend design', /frontend-design/),
  plugin('words', 'commit commands', /commit-commands/),
  plugin('words', 'security guidance', /security-guidance/),
  skill('words', 'systematic debugging', /^systematic-debugging/),
  skill('words', 'git worktrees', /worktree/),
  skill('words', 'brand guidelines', /^brand-guidelines/),
  skill('words', 'literature review', /literature-review/),
  skill('words', 'molecular dynamics', /^molecular-dynamics/),
  skill('words', 'property based testing', /^property-based-testing/),

  // Typing goes on.
  server('prefix', 'postg', /postgres/i, 5),
  server('prefix', 'elasti', /elastic/i, 5),
  server('prefix', 'kube', /kube|k8s/i, 5),
  server('prefix', 'supab', /supabase/i),
  server('prefix', 'snowf', /snowflake/i),
  server('prefix', 'obsid', /obsidian/i),
  server('prefix', 'google cal', /calendar|gcal/i, 5),
  plugin('prefix', 'superp', /superpowers/),
  plugin('prefix', 'sonarq', /sonarqube/),
  skill('prefix', 'brainst', /brainstorm/),
  skill('prefix', 'pytorch-l', /^pytorch-lightning/),

  // Typing goes wrong.
  server('typo', 'trelo', /trello/i),
  server('typo', 'gmial', /gmail|mail/i),
  server('typo', 'zotreo', /zotero/i),
  server('typo', 'reditt', /reddit/i),
  server('typo', 'dokcer', /docker/i),
  server('typo', 'exel', /excel/i),
  server('typo', 'postgress', /postgres/i),
  server('typo', 'kuberentes', /kube|k8s/i),
  server('typo', 'elasticsaerch', /elastic/i),
  server('typo', 'gihtub', /github/i, 5),
  server('typo', 'githb', /github/i, 5),
  server('typo', 'notoin', /notion/i, 5),
  server('typo', 'stripee', /stripe/i),
  server('typo', 'confluance', /confluence|atlassian/i),
  server('typo', 'snowflacke', /snowflake/i),
  server('typo', 'palywright', /playwright/i),
  server('typo', 'telegramm', /telegram/i),
  server('typo', 'shopfy', /shopify/i),
  server('typo', 'obsidan', /obsidian/i),
  plugin('typo', 'superpwoers', /superpowers/),
  plugin('typo', 'terrafrom', /terraform/),
  skill('typo', 'brainstroming', /brainstorm/),
  skill('typo', 'systematic debuging', /systematic-debugging/),
  skill('typo', 'matplotlip', /matplotlib/),

  // Other names of the same thing.
  server('synonym', 'k8s', /kube|k8s/i),
  server('synonym', 'postgresql', /postgres|pg/i),
  server('synonym', 'gh', /github|gh/i, 5),
  server('synonym', 'mongo', /mongo/i),
  server('synonym', 'amazon web services', /aws|amazon/i, 5),
  server('synonym', 'excel spreadsheet', /excel|xlsx|sheet/i),
  server('synonym', 'pg database', /postgres|pg/i, 5),
  server('synonym', 'tweets', /twitter|tweet|(^|[-/])x[-.]/i, 5),
  skill('synonym', 'js testing', /javascript-testing|testing/i, 5),
  skill('synonym', 'powerpoint slides', /pptx|slides|presentation|deck/i, 5),

  // What a person wants done.
  task('send email', 'MCP_SERVER', /e-?mail/i),
  task('scrape a web page', 'MCP_SERVER', /scrap|crawl|web (page|content)|extract/i),
  task('read and write local files', 'MCP_SERVER', /file/i),
  task('query a database', 'MCP_SERVER', /database|sql/i),
  task('search the web', 'MCP_SERVER', /search/i),
  task('get weather forecast', 'MCP_SERVER', /weather|forecast/i),
  task('convert timezone', 'MCP_SERVER', /time ?zone|time/i),
  task('control a browser', 'MCP_SERVER', /browser/i),
  task('manage tasks and todos', 'MCP_SERVER', /task|todo/i),
  task('transcribe audio', 'MCP_SERVER', /transcri|speech|audio|whisper/i),
  task('generate images', 'MCP_SERVER', /image/i),
  task('run python code', 'MCP_SERVER', /python|code/i),
  task('monitor cryptocurrency prices', 'MCP_SERVER', /crypto|coin|price/i),
  task('translate text', 'MCP_SERVER', /translat/i),
  task('post to slack', 'MCP_SERVER', /slack/i),
  task('book flights', 'MCP_SERVER', /flight|travel/i),
  task('review a pull request', 'PLUGIN', /review/i),
  task('write commit messages', 'PLUGIN', /commit/i),
  task('find security vulnerabilities', 'PLUGIN', /secur|vulnerab/i),
  task('write unit tests', 'PLUGIN', /test/i),
  task('deploy to vercel', 'PLUGIN', /vercel/i),
  task('design database schema', 'SKILL', /database|schema|table/i),
  task('debug a failing test', 'SKILL', /debug|test/i),
  task('write a blog post', 'SKILL', /blog|content|post|writ/i),
  task('analyze malware', 'SKILL', /malware/i),
  task('plot data', 'SKILL', /plot|visuali[sz]|chart/i),
  task('predict protein structure', 'SKILL', /protein/i),
  task('extract text from pdf', 'SKILL', /pdf/i),
  task('optimize react performance', 'SKILL', /react|performance/i),

  // Whole sentences, as agents ask.
  task('i want to accept payments from customers on my website', 'MCP_SERVER', /payment|stripe|paypal/i),
  task('summarize long youtube videos for my team', 'MCP_SERVER', /youtube/i),
  task('keep notes in my obsidian vault organized and linked', 'MCP_SERVER', /obsidian/i),
  task('find out which kubernetes pods crash and read their logs', 'MCP_SERVER', /kubernetes|k8s/i),
  task('check my solidity smart contract for security bugs before deployment', 'SKILL', /contract|solidity|audit/i),

  // Other scripts and accents.
  server('script', 'ｇｉｔｈｕｂ', /^github\/github-mcp-server$/i),
  server('script', 'nötion', /notion/i),
  { class: 'script', query: '小红书', kind: 'MCP_SERVER', within: 5, wanted: { about: /小红书|xiaohongshu|rednote/i } },
  { class: 'script', query: '天气', kind: 'MCP_SERVER', within: 5, wanted: { about: /天气|weather/i } },
  { class: 'script', query: '数据库', kind: 'MCP_SERVER', within: 5, wanted: { about: /数据库|database/i } },
  nothing('script', 'ыъыъыъ'),

  // Other languages.
  ...(
    [
      ['nachrichten suchen', /news/i],
      ['rechnung erstellen', /invoice|billing/i],
      ['aktienkurse', /stock|market/i],
      ['notizen', /note/i],
      ['musique', /music|spotify/i],
      ['gestion de projet', /project/i],
      ['carte', /map/i],
      ['traductor', /translat/i],
      ['leer archivos', /file/i],
      ['redes sociales', /social/i],
      ['receitas', /recipe|cook|meal/i],
      ['notícias', /news/i],
      ['calendario google', /calendar/i],
      ['foglio di calcolo', /sheet|excel/i],
      ['новости', /news/i],
      ['календарь', /calendar/i],
      ['сделать скриншот сайта', /screenshot/i],
      ['翻译', /translat|翻译/i],
      ['新闻', /news|新闻|热/i],
      ['股票', /stock|股/i],
      ['ブラウザ', /browser/i],
      ['地図', /map/i],
      ['메모', /note|memo/i],
      ['müzik', /music|spotify/i],
    ] as const
  ).map(([query, about]): Query => ({ class: 'script', query, kind: 'MCP_SERVER', within: 3, wanted: { about } })),

  // More noise than words.
  server('stop words', 'github mcp server', /^github\/github-mcp-server$/i),
  server('stop words', 'the mcp server for slack', /slack/i),
  server('stop words', 'mcp server for postgres', /postgres/i),
  server('stop words', 'i need a tool to talk to notion', /notion/i, 5),
  server('stop words', 'playwright mcp', /^microsoft\/playwright-mcp$/i),
  server('stop words', 'an mcp server that lets me use figma', /figma/i),
  plugin('stop words', 'plugin for code review', /code-review|review/),
  skill('stop words', 'a skill to create skills', /skill/),
  skill('stop words', 'skill for brainstorming', /brainstorm/),

  // Nothing here is a pattern, a statement or a path.
  nothing('injection', '%'),
  nothing('injection', '_'),
  nothing('injection', '*'),
  nothing('injection', '.*'),
  nothing('injection', '%%%%'),
  nothing('injection', '" \' ` ; --'),
  nothing('injection', '../../..'),
  server('injection', "postgres' OR '1'='1", /postgres/i, 10),
  server('injection', '<script>github</script>', /github/i, 10),

  // Nothing is better than anything.
  nothing('nonsense', 'qwertzuiopü'),
  nothing('nonsense', 'xkcdzzzzqqqq'),
  nothing('nonsense', 'blorfenshmirtz'),
  nothing('nonsense', '💥💥💥'),
  nothing('nonsense', '9999999999999'),
]
