import { parseArgs } from 'node:util'
import type { Variables } from '../../platform/config/config.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'

/**
 * Command line flag of a variable: `--depth-limit` for DEPTH_LIMIT, `--supergraph` for
 * SUPERGRAPH_FILE.
 */
export const flagOf = (name: string): string =>
  name === 'SUPERGRAPH_FILE' ? 'supergraph' : name.toLowerCase().replaceAll('_', '-')

/**
 * Variables with a flag. Secrets have none, because other users of the machine can see arguments.
 */
const namesWithFlag = (variables: Variables): readonly string[] =>
  Object.entries(variables).flatMap(([name, { secret }]) => (secret ? [] : [name]))

/** Parsed command line. */
export type CommandLine = {
  readonly isHelp: boolean
  /** Whether to print a configuration file with all defaults. */
  readonly isPrintDefaults: boolean
  /** Value of `--config`. */
  readonly configFile: string | undefined
  /** Values of flags by variable name. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Parses the flags of the standalone gateway. Throws an `OperatorError` for unknown flags, missing
 * values and surplus arguments.
 */
export function parseCommandLine(args: readonly string[], variables: Variables): CommandLine {
  const names = new Map(namesWithFlag(variables).map((name) => [flagOf(name), name]))
  const flags = Object.fromEntries([...names.keys()].map((flag) => [flag, { type: 'string' } as const]))
  const options = {
    ...flags,
    config: { type: 'string', short: 'c' },
    'print-defaults': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  let values: Readonly<Record<string, unknown>>
  try {
    values = parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new OperatorError(`${line.trimEnd().replace(/\.$/, '')}. See --help for the flags.`)
  }
  const env = Object.entries(values).flatMap(([flag, value]) => {
    const name = names.get(flag)
    return name !== undefined && typeof value === 'string' ? [[name, value] as const] : []
  })
  return {
    isHelp: values.help === true,
    isPrintDefaults: values['print-defaults'] === true,
    configFile: typeof values.config === 'string' ? values.config : undefined,
    env: Object.fromEntries(env),
  }
}

/** Usage lines for `--help`. */
export const FLAGS_HELP = `Usage: atrium-gateway --supergraph FILE [--port 4000] [--host 127.0.0.1] [--FLAG VALUE …]
       atrium-gateway [--config atrium.config.ts] [--print-defaults]

Each setting below is an environment variable, and a flag with its name in lower case and hyphens:
DEPTH_LIMIT=12 is --depth-limit 12; SUPERGRAPH_FILE is --supergraph. A flag wins. Secrets, such as
METRICS_TOKEN and REDIS_URL, have no flag.

--config names a configuration file; without it, atrium.config.ts (.mts, .js, .mjs) of the working
directory is read where there is one. It has the same settings in camel case, and the options of
createGateway. Variables and flags win over it. --print-defaults prints one with all defaults.`
