/** Output formats of `atrium trust check --file`. */
export const CHECK_FORMATS = ['csv', 'jsonl'] as const
export type CheckFormat = (typeof CHECK_FORMATS)[number]
