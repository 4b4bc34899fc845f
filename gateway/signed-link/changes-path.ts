/** Where a subgraph tells gateways of what has changed. */
export const CHANGES_PATH = '/changes'
