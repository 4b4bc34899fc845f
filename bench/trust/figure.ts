/**
 * One thing that was measured; `bar` is the most that it may be, null where nothing is demanded.
 */
export type Figure = { readonly what: string; readonly value: number; readonly unit: string; readonly bar: number | null }
