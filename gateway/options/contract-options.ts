import { z } from 'zod'
import { flag, options } from './validate-options.ts'

/** Letters, digits, hyphens and slashes, as in Apollo GraphOS; underscores, which GraphQL names have. */
const TAG = /^[\w/-]{1,128}$/
const tags = () =>
  z
    .array(z.string('the name of a tag').regex(TAG, 'the name of a tag'), 'a list of tags')
    .max(100, 'at most 100 tags')
    .readonly()
    .default([])

/** The part of the supergraph that is served, by `@tag`. */
export const contractOptions = options({
  /** Only what has one of these tags is served. Default: everything. */
  includeTags: tags(),
  /** What has one of these tags is not served. */
  excludeTags: tags(),
  /** Whether types that nothing leads to are hidden as well. Default: false. */
  hideUnreachableTypes: flag().default(false),
}).refine(({ includeTags, excludeTags }) => includeTags.length + excludeTags.length > 0, {
  error: 'an object with at least one tag in "includeTags" or "excludeTags"',
})
