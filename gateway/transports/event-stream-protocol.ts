/**
 * Interval of comments per client: proxies close connections that are idle for 30 s or more, and
 * writing detects dead clients.
 */
export const COMMENT_SECONDS = 15

/** Comment, sent at once so that the client knows it is connected. */
export const COMMENT = ':\n\n'

/** Final event of an operation (graphql-sse, distinct connections mode). */
export const COMPLETE_EVENT = 'event: complete\ndata:\n\n'

/** Event with one result as JSON. */
export const nextEvent = (text: string): string => `event: next\ndata: ${text}\n\n`
