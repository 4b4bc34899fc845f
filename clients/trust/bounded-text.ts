/**
 * The body as text, or null when it is longer than `bytes`; then the rest is not read. Throws what
 * reading throws.
 */
export async function boundedText(response: Response, bytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    // Leaving the loop cancels the body.
    if (length > bytes) return null
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
