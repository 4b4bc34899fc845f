import type { AnyOfAll } from '../../platform/graphql/authorization-rules.ts'

/** `the scope "a" or the scopes "b" and "c"`, with this mark around each name. */
export const inWords = (noun: 'scope' | 'policy', anyOf: AnyOfAll, mark = '"'): string =>
  anyOf
    .map((all) => {
      const plural = noun === 'scope' ? 'scopes' : 'policies'
      return `the ${all.length === 1 ? noun : plural} ${all.map((name) => `${mark}${name}${mark}`).join(' and ')}`
    })
    .join(' or ')
