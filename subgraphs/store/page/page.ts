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

/** Fields of a page to write; undefined stays unchanged. */
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

const MAX_TEXT_LENGTH = 200
/** Search engines show 160. */
const MAX_DESCRIPTION_LENGTH = 500
/** The whole of a request to the graph may be as long. */
const MAX_BODY_LENGTH = 100_000
const MAX_CATEGORIES = 100

const optional = (field: string, text: string | null | undefined, max: number): Problem | null =>
  text == null ? null : textProblem(field, text, max)

/** Problems of a page to create or change; `title` is required for a new one. */
export const pageProblems = ({ title, body, status, ...input }: PageInput): readonly Problem[] =>
  problemsIn([
    title === undefined ? null : textProblem('title', title ?? '', MAX_TEXT_LENGTH),
    body == null || (body.length <= MAX_BODY_LENGTH && isText(body))
      ? null
      : problem('body', `at most ${MAX_BODY_LENGTH} characters, no NUL characters and unpaired surrogates among them`, body),
    status === null ? problem('status', `one of ${PAGE_STATUSES.join(', ')}`, status) : null,
    optional('pageTitle', input.pageTitle, MAX_TEXT_LENGTH),
    optional('metaDescription', input.metaDescription, MAX_DESCRIPTION_LENGTH),
    optional('permalink', input.permalink, MAX_TEXT_LENGTH),
    optional('template', input.template, MAX_TEXT_LENGTH),
    (input.categoryIds?.length ?? 0) > MAX_CATEGORIES
      ? problem('categoryIds', `at most ${MAX_CATEGORIES} categories`, input.categoryIds?.length)
      : null,
  ])
