/** Characters of one declaration that are looked at: those that hide an element are short. */
const MAX_DECLARATION_LENGTH = 200

/** Properties that can take an element out of sight. */
const HIDING =
  /^(?:display|visibility|opacity|font-size|text-indent|left|top|right|bottom|margin-left|margin-top|clip|clip-path|(?:max-)?(?:width|height)|transform|color|background|background-color)\s*:/i
const SHOWING = /^(display|visibility)\s*:\s*(.*?)\s*(?:!\s*important\s*)?$/is

/**
 * Declarations of a style attribute or rule that can hide an element, with a semicolon between two.
 * Each character is looked at a fixed number of times: patterns see 200 characters of a declaration.
 */
export function hidingDeclarations(style: string): string {
  const found: string[] = []
  for (const declaration of declarationsIn(style)) if (HIDING.test(declaration)) found.push(declaration)
  return found.join(';')
}

/**
 * The last `display` and `visibility` of a style attribute in lower case: all that Readability reads
 * of one. The getter of linkedom splits the whole attribute at each read, in quadratic time for long
 * runs of blanks.
 */
export function displayDeclarations(style: string): string {
  const last = new Map<string, string>()
  for (const declaration of declarationsIn(style)) {
    const [, property = '', value = ''] = SHOWING.exec(declaration) ?? []
    if (property !== '') last.set(property.toLowerCase(), value.toLowerCase())
  }
  return [...last].map(([property, value]) => `${property}:${value}`).join(';')
}

function* declarationsIn(style: string): Generator<string> {
  for (const part of style.split(';')) {
    const declaration = part.trim().slice(0, MAX_DECLARATION_LENGTH)
    if (declaration !== '') yield declaration
  }
}
