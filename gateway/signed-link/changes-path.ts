/** The route of the stream on which a subgraph announces changes. */
export const CHANGES_PATH = '/changes'
