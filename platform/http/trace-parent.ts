/** The span that a `traceparent` header names, by W3C Trace Context §3.2. */
type Span = { readonly traceId: string; readonly spanId: string; readonly traceFlags: number }

/** Later versions may have more after these four fields. */
const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/

/** Null for a text that names none: then a new trace begins. */
export function parseTraceparent(traceparent: string): Span | null {
  const [, traceId, spanId, flags] = FORM.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined || traceparent.length > 500) return null
  // Texts of WebSocket messages may have others, which are in no header.
  if (!/^[\x20-\x7e]+$/.test(traceparent)) return null
  if (traceparent.startsWith('00') && traceparent.length !== 55) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 }
}
