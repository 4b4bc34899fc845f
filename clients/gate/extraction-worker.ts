import { parentPort, workerData } from 'node:worker_threads'
import { contentOfText, textOf } from '../evidence/content.ts'
import { contentOfPage } from '../evidence/page.ts'
import { rateContentRisk } from '../evidence/risk.ts'
import type { ExtractedPage, PageText } from './extraction.ts'

/** Worker thread, so that extraction of a large page can be terminated. */
function extracted({ format, text }: PageText): ExtractedPage {
  const content = format === 'html' ? contentOfPage(text) : contentOfText(null, text)
  const { title, hidden = [] } = content
  return { content, risk: rateContentRisk({ text: textOf(content), title, hidden }) }
}

// The parent passes a `PageText`.
parentPort?.postMessage(extracted(workerData as PageText))
