/**
 * Reads a body as text. Null when it exceeds `bytes`; the rest is not read. Rethrows read errors.
 */
export async function boundedText(response: Response, bytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    // Returning from `for await` cancels the body.
    if (length > bytes) return null
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
