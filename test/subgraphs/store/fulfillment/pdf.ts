import { inflateSync } from 'node:zlib'

/**
 * What each page of a PDF in a built-in font says, without the ends of its lines: pdfkit writes
 * texts as hexadecimal digits between adjustments of spaces.
 */
export function pagesOf(pdf: Buffer): readonly string[] {
  const text = pdf.toString('latin1')
  return [...text.matchAll(/\/Filter \/FlateDecode[^>]*>>\s*stream\n([\s\S]*?)\nendstream/g)].map(([, stream = '']) => {
    const content = inflateSync(Buffer.from(stream, 'latin1')).toString('latin1')
    return [...content.matchAll(/<([0-9a-f]+)>/g)]
      .map(([, digits = '']) => Buffer.from(digits, 'hex').toString('latin1'))
      .join('')
  })
}
