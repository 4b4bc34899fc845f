import { type Variables, wholeNumber } from '../../platform/config/config.ts'

/** Variables of the directory. */
export const directoryVariables = {
  DIRECTORY_PROBE_HOURS: {
    read: wholeNumber(0, 8_760),
    default: '0',
    unit: 'hours',
    meaning:
      'Time after which a remote MCP server of the directory is asked again what it offers: it lists tools, prompts and resources, and calls none. 0: only by npx atrium directory probe.',
  },
} satisfies Variables
