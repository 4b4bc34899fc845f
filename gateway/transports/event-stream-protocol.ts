/**
 * Seconds between two comments to one client: proxies close connections that are idle for half a
 * minute or more, and writing detects a dead client.
 */
export const COMMENT_SECONDS = 15

/** Shows the client that it is connected, before there is anything to say. */
export const COMMENT = ':\n\n'

/** The last event of an operation (graphql-sse, distinct connections mode). */
export const COMPLETE_EVENT = 'event: complete\ndata:\n\n'

/** The event with one result, as JSON. */
export const nextEvent = (text: string): string => `event: next\ndata: ${text}\n\n`
