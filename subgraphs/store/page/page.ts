import { isText, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

export const PAGE_STATUSES = ['PUBLIC', 'DRAFT', 'HIDDEN'] as const
export type PageStatus = (typeof PAGE_STATUSES)[number]

/** A page of text of a store. */
export type Page = {
  readonly id: number
  readonly title: string
  /** HTML as it was written; null for none. */
  readonly body: string | null
  readonly status: PageStatus
  readonly legal: boolean
  readonly pageTitle: string | null
  readonly metaDescription: string | null
  readonly permalink: string
  readonly templateId: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** A page in a category; positions begin with 1. */
export type PagePlace = {
  readonly pageId: number
  readonly categoryId: number
  readonly categoryName: string
  readonly position: number
}

/** What is written of a page; undefined stays as it is. */
export type PageInput = {
  readonly title?: string | null | undefined
  readonly body?: string | null | undefined
  readonly status?: PageStatus | null | undefined
  readonly pageTitle?: string | null | undefined
  readonly metaDescription?: string | null | undefined
  readonly permalink?: string | null | undefined
  readonly template?: string | null | undefined
  readonly categoryIds?: readonly string[] | null | undefined
}

const LONGEST = 200
/** Search engines show 160. */
const LONGEST_DESCRIPTION = 500
/** The whole of a request to the graph may be as long. */
const LONGEST_BODY = 100_000
const MOST_CATEGORIES = 100

const optional = (field: string, text: string | null | undefined, most: number): Problem | null =>
  text == null ? null : textProblem(field, text, most)

/** What is wrong with a page to be created or changed; `title` is needed when it is created. */
export const pageProblems = ({ title, body, status, ...input }: PageInput): readonly Problem[] =>
  problemsIn([
    title === undefined ? null : textProblem('title', title ?? '', LONGEST),
    body == null || (body.length <= LONGEST_BODY && isText(body))
      ? null
      : problem('body', `at most ${LONGEST_BODY} characters, no NUL characters and halves of surrogate pairs among them`, body),
    status === null ? problem('status', `one of ${PAGE_STATUSES.join(', ')}`, status) : null,
    optional('pageTitle', input.pageTitle, LONGEST),
    optional('metaDescription', input.metaDescription, LONGEST_DESCRIPTION),
    optional('permalink', input.permalink, LONGEST),
    optional('template', input.template, LONGEST),
    (input.categoryIds?.length ?? 0) > MOST_CATEGORIES
      ? problem('categoryIds', `at most ${MOST_CATEGORIES} categories`, input.categoryIds?.length)
      : null,
  ])
