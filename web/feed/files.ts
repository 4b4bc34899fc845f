import { FeedDocument } from '#generated/operations.ts'
import { type FileRow, XML, XML_HEAD } from '../frame/file.ts'
import { html, textOf } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { KIND_LABELS } from '../item/kind.ts'

/** An empty feed must have a time as well (RFC 4287 §4.1.1). */
const NEVER = '1970-01-01T00:00:00Z'

/**
 * The last change of any entry (RFC 4287 §4.2.15), which need not be of the newest. Times are in
 * UTC, so they sort as texts.
 */
const lastOf = (times: readonly string[]): string => times.toSorted().at(-1) ?? NEVER

export const feedFiles: readonly FileRow[] = [
  {
    path: '/feed.xml',
    contentType: 'application/atom+xml; charset=utf-8',
    operations: [FeedDocument],
    async text({ run, site: { publicUrl } }) {
      const { newestItems } = dataOf(await run(FeedDocument, {}))
      return (
        XML_HEAD +
        textOf(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${publicUrl}/feed.xml</id>
<title>Atrium: new in the directory</title>
<subtitle>MCP servers, plugins and agent skills, newest first.</subtitle>
<updated>${lastOf(newestItems.map(({ updatedAt }) => updatedAt))}</updated>
<author><name>Atrium</name></author>
<rights>CC-BY 4.0</rights>
<link rel="self" type="application/atom+xml" href="${publicUrl}/feed.xml"/>
<link rel="alternate" type="text/html" href="${publicUrl}/"/>
${newestItems.map(
  (item) => html`<entry>
<id>${item.url}</id>
<title>${item.name}</title>
<link rel="alternate" type="text/html" href="${item.url}"/>
<published>${item.createdAt}</published>
<updated>${item.updatedAt}</updated>
<category term="${item.category}"/>
<summary>${KIND_LABELS[item.kind].one}${item.description !== '' && `: ${item.description}`}</summary>
</entry>
`,
)}</feed>
`)
      )
    },
  },
  {
    path: '/opensearch.xml',
    contentType: XML,
    operations: [],
    text: ({ site: { publicUrl, asset } }) =>
      XML_HEAD +
      textOf(html`<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Atrium</ShortName>
<Description>MCP servers, plugins and agent skills</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image type="image/svg+xml">${new URL(asset('icon.svg'), publicUrl).href}</Image>
<Url type="text/html" template="${publicUrl}/search?q={searchTerms}"/>
</OpenSearchDescription>
`),
  },
]
