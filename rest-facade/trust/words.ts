/** A value as the wire spells it: `READ_ONLY` of the graph is `read_only` there. */
export const lower = <Word extends string>(word: Word): Lowercase<Word> => word.toLowerCase() as Lowercase<Word>

/** The other way round. */
export const upper = <Word extends string>(word: Word): Uppercase<Word> => word.toUpperCase() as Uppercase<Word>
