/** One for all: Node makes an error with a stack for each abort without a reason, and hundreds may end at once. */
const ABORTED = new DOMException('This operation was aborted', 'AbortError')

/**
 * A signal that aborts with its parent or after `ms` milliseconds. Unlike `AbortSignal.timeout`,
 * `clear` frees it early.
 */
export function deadline(ms: number, parent: AbortSignal): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController()
  const end = () => controller.abort(ABORTED)
  const timer = setTimeout(end, ms).unref()
  if (parent.aborted) end()
  parent.addEventListener('abort', end, { once: true })
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      parent.removeEventListener('abort', end)
    },
  }
}
