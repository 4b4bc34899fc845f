/** Route of the event stream on which a subgraph announces changed types. */
export const CHANGES_PATH = '/changes'
