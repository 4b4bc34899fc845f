/** Smaller buffers may be parts of a pool, and are hardly worth the call. */
const MIN_FREED_BYTES = 16_384

/** Other runtimes may still read a buffer that Node.js has finished with. */
const CAN_FREE = !('bun' in process.versions || 'deno' in process.versions)

/**
 * Frees the memory of a buffer at once; afterwards it has no bytes. V8 counts such memory against
 * its heap, so large buffers left to it start full collections. Only for buffers that nothing reads
 * any more. Does nothing for parts of larger buffers.
 */
export function freeBuffer(bytes: Buffer): void {
  const { buffer } = bytes
  if (!CAN_FREE || bytes.length < MIN_FREED_BYTES || bytes.length !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
