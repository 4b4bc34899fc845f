/** Stars of an item; null when unknown: of sources that count none, items have 0. */
export const knownStars = (popularity: number): number | null => (popularity === 0 ? null : popularity)
