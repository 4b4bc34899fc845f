/** A value as the schema spells it: `read_only` is `READ_ONLY` there. */
export const upper = <Word extends string>(word: Word): Uppercase<Word> => word.toUpperCase() as Uppercase<Word>

/** The other way round. */
export const lower = <Word extends string>(word: Word): Lowercase<Word> => word.toLowerCase() as Lowercase<Word>

/** Seconds since 1970 as a time. */
export const timeOf = (seconds: number): Date => new Date(seconds * 1000)

export const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
