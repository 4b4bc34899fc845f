/** Letters of Cyrillic, Greek and others that look like Latin ones (Unicode UTS #39), once folded. */
const LATIN: ReadonlyMap<string, string> = new Map(
  (
    [
      ['аɑα', 'a'],
      ['вЬƅ', 'b'],
      ['сϲᴄ', 'c'],
      ['ԁɗ', 'd'],
      ['еҽє', 'e'],
      ['ƒ', 'f'],
      ['ɡԍ', 'g'],
      ['һհ', 'h'],
      ['іıɩι', 'i'],
      ['јϳ', 'j'],
      ['кκ', 'k'],
      ['ӏⅼ', 'l'],
      ['мᴍ', 'm'],
      ['пηո', 'n'],
      ['оοσօ', 'o'],
      ['рρ', 'p'],
      ['ԛ', 'q'],
      ['гᴦ', 'r'],
      ['ѕꜱ', 's'],
      ['тτᴛ', 't'],
      ['υս', 'u'],
      ['ѵν', 'v'],
      ['ԝω', 'w'],
      ['хχ', 'x'],
      ['уγү', 'y'],
      ['ᴢ', 'z'],
      ['АΑ', 'A'],
      ['ВΒ', 'B'],
      ['СϹ', 'C'],
      ['ЕΕ', 'E'],
      ['НΗ', 'H'],
      ['ІΙӀ', 'I'],
      ['ЈͿ', 'J'],
      ['КΚ', 'K'],
      ['МΜ', 'M'],
      ['Ν', 'N'],
      ['ОΟ', 'O'],
      ['РΡ', 'P'],
      ['Ѕ', 'S'],
      ['ТΤ', 'T'],
      ['ХΧ', 'X'],
      ['УΥ', 'Y'],
      ['Ζ', 'Z'],
    ] as const
  ).flatMap(([foreign, latin]) => [...foreign].map((letter) => [letter, latin] as const)),
)

const FOREIGN = /\P{ASCII}/gu

/** Foreign letters as the Latin ones that they look like; keeps the length. */
export const latinLookAlike = (text: string): string => text.replaceAll(FOREIGN, (letter) => LATIN.get(letter) ?? letter)

/** Whether a text has letters that only look like Latin ones, or forms of these for mathematics. */
export const hasForeignForms = (text: string): boolean =>
  /[\u{1d400}-\u{1d7ff}\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9\u{1f130}-\u{1f189}]/u.test(text) ||
  [...text].some((letter) => LATIN.has(letter))
