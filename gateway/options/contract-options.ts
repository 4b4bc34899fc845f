import { z } from 'zod'
import { flag, options } from './validate-options.ts'

/** Tag characters of Apollo GraphOS (letters, digits, hyphens, slashes), and underscores. */
const TAG = /^[\w/-]{1,128}$/
const tags = () =>
  z
    .array(z.string('the name of a tag').regex(TAG, 'the name of a tag'), 'a list of tags')
    .max(100, 'at most 100 tags')
    .readonly()
    .default([])

/** Contract: the part of the supergraph to serve, by `@tag`. */
export const contractOptions = options({
  /** Serves only elements with one of these tags. Default: all. */
  includeTags: tags(),
  /** Hides elements with one of these tags. */
  excludeTags: tags(),
  /** Whether to hide unreachable types too. Default: false. */
  hideUnreachableTypes: flag().default(false),
}).refine(({ includeTags, excludeTags }) => includeTags.length + excludeTags.length > 0, {
  error: 'an object with at least one tag in "includeTags" or "excludeTags"',
})
