import type { Generated, GeneratedAlways } from 'kysely'

/** Pages and themes of a store, as tables: decimals are exact text. */
export type ContentTables = {
  page_template: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    created_at: Generated<Date>
    updated_at: Generated<Date>
    version: Generated<number>
  }
  page_category: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    created_at: Generated<Date>
    updated_at: Generated<Date>
    version: Generated<number>
  }
  page: {
    store_id: number
    id: GeneratedAlways<number>
    title: string
    body: string | null
    status: Generated<'PUBLIC' | 'DRAFT' | 'HIDDEN'>
    legal: Generated<boolean>
    page_title: string | null
    meta_description: string | null
    permalink: string
    template_id: number | null
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  page_category_member: {
    store_id: number
    category_id: number
    page_id: number
    position: Generated<number>
  }
  page_image: {
    store_id: number
    id: GeneratedAlways<number>
    page_id: number
    position: number
    file_id: number
  }
  theme: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    label: string | null
    settings: unknown
    customised: Generated<unknown>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  theme_file: {
    store_id: number
    theme_id: number
    path: string
    content: string
  }
  theme_publication: {
    store_id: number
    id: GeneratedAlways<number>
    theme_id: number
    customised: unknown
    published_at: Date
  }
}
