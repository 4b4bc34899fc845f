import type { CodeBlock } from '../frame/code.ts'
import type { Credential } from './caller.ts'

/** A request of an operation, filled with examples. */
export type SampleRequest = {
  readonly method: string
  readonly address: string
  readonly credentials: readonly Credential[]
  /** Null: it has none. */
  readonly body: { readonly type: string; readonly value: unknown } | null
}

/** The same request in each language. Ids of the blocks begin with `id`. */
export const samplesOf = (id: string, request: SampleRequest): readonly CodeBlock[] => [
  { id: `${id}-example`, language: 'sh', label: `${id} with curl`, text: curl(request) },
  { id: `${id}-example-ts`, language: 'ts', label: `${id} in TypeScript`, text: typescript(request) },
  { id: `${id}-example-py`, language: 'py', label: `${id} in Python`, text: python(request) },
]

function curl({ method, address, credentials, body }: SampleRequest): string {
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${quoted(address)}`,
    ...credentials.map((each) => {
      if (each.kind === 'header') return `-H "${each.name}: $${each.variable}"`
      return each.kind === 'basic' ? '-u "$LOGIN:$TOKEN"' : '-H "Authorization: Bearer $TOKEN"'
    }),
    ...(body ? [`-H 'content-type: ${body.type}'`, `-d ${quoted(JSON.stringify(body.value, null, 2))}`] : []),
  ].join(' \\\n  ')
}

function typescript({ method, address, credentials, body }: SampleRequest): string {
  const headers = [
    ...credentials.map((each) => {
      if (each.kind === 'header') return `'${each.name}': String(env.${each.variable}),`
      return each.kind === 'basic'
        ? "authorization: 'Basic ' + btoa(env.LOGIN + ':' + env.TOKEN),"
        : "authorization: 'Bearer ' + env.TOKEN,"
    }),
    ...(body ? [`'content-type': '${body.type}',`] : []),
  ]
  const options = [
    ...(method === 'get' ? [] : [`method: '${method.toUpperCase()}',`]),
    ...(headers.length === 0 ? [] : ['headers: {', ...headers.map((header) => `  ${header}`), '},']),
    ...(body ? [`body: JSON.stringify(${indented(JSON.stringify(body.value, null, 2), 2)}),`] : []),
  ]
  const call =
    options.length === 0 ? `fetch('${address}')` : `fetch('${address}', {\n${options.map((line) => `  ${line}`).join('\n')}\n})`
  const imports = credentials.length === 0 ? '' : "import { env } from 'node:process'\n\n"
  return `${imports}const response = await ${call}\nconsole.log(response.status, await response.text())`
}

function python({ method, address, credentials, body }: SampleRequest): string {
  const headers = [
    ...credentials.map((each) => {
      if (each.kind === 'header') return `"${each.name}": os.environ["${each.variable}"],`
      return each.kind === 'basic'
        ? '"authorization": f"Basic {credentials}",'
        : '"authorization": f"Bearer {os.environ[\'TOKEN\']}",'
    }),
    ...(body ? [`"content-type": "${body.type}",`] : []),
  ]
  const isBasic = credentials.some(({ kind }) => kind === 'basic')
  const modules = [
    ...(isBasic ? ['base64'] : []),
    ...(body ? ['json'] : []),
    ...(credentials.length > 0 ? ['os'] : []),
    'urllib.request',
  ]
  return [
    `import ${modules.join(', ')}`,
    '',
    ...(isBasic
      ? ['pair = os.environ["LOGIN"] + ":" + os.environ["TOKEN"]', 'credentials = base64.b64encode(pair.encode()).decode()']
      : []),
    'request = urllib.request.Request(',
    `    "${address}",`,
    ...(method === 'get' ? [] : [`    method="${method.toUpperCase()}",`]),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers.map((header) => `        ${header}`), '    },']),
    ...(body ? [`    data=json.dumps(${indented(pythonLiteral(body.value), 4)}).encode(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n')
}

/** A quote inside single quotes of a shell ends them, stands alone, and begins them again. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const indented = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)

/** JSON as Python writes it: strings are the same, three words are not. */
function pythonLiteral(value: unknown, depth = 0): string {
  const inner = `\n${' '.repeat(4 * (depth + 1))}`
  const end = `\n${' '.repeat(4 * depth)}`
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[${value.map((each) => `${inner}${pythonLiteral(each, depth + 1)},`).join('')}${end}]`
  }
  if (typeof value !== 'object') return JSON.stringify(value)
  const rows = Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(each, depth + 1)},`)
  return rows.length === 0 ? '{}' : `{${rows.join('')}${end}}`
}
