import { variables } from '../../config.ts'
import { variables as gatewayVariables } from '../../gateway/standalone/config.ts'
import type { Variables } from '../../platform/config/config.ts'
import { codeOf, generatedFrom, tableOf } from './markdown.ts'

const table = (all: Variables): string =>
  tableOf(
    ['variable', 'default', 'unit', 'meaning'],
    Object.entries(all).map(([name, { default: value, unit, meaning }]) => [
      codeOf(name),
      value === null ? 'unset' : codeOf(value),
      unit ?? '–',
      meaning,
    ]),
  )

/** Environment variables of both programs. */
export const settingsPage = (): string => `# Settings
All configuration is environment variables. An invalid value stops the start, with one line for each problem. \`npx atrium help env\` prints the first table.

## \`npm start\` and \`npx atrium\`
${table(variables)}

## \`npx node gateway/main.ts\`
The command \`atrium-gateway\` of the [package](../gateway.md) is the same program. Each variable but secrets is also a flag in lower case with hyphens. \`--depth-limit 12\` wins over \`DEPTH_LIMIT\`; \`--supergraph\` is the flag of \`SUPERGRAPH_FILE\`.

${table(gatewayVariables)}

${generatedFrom('config.ts and gateway/standalone/config.ts')}`
