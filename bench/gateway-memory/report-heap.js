/** Imported into a gateway that is measured: sends the bytes that its last full collection left. */
import { constants, PerformanceObserver } from 'node:perf_hooks'

// Zero before the first.
let live = 0
const observer = new PerformanceObserver((list) => {
  if (list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR))
    live = process.memoryUsage().heapUsed
})
observer.observe({ entryTypes: ['gc'] })
process.on('message', () => process.send(live))
// The channel shall not hold the process.
process.channel?.unref()
