import createClient from 'openapi-fetch'
import type { paths } from '#generated/trust-client.ts'

/** Decides and reads back through a client whose types come from the contract. */
export async function runDecisions(baseUrl: string, apiKey: string) {
  const trust = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey } })
  const { data: one } = await trust.POST('/v1/decide', {
    body: { target: { type: 'domain', value: 'bad-place.com' }, interaction: { kind: 'fetch' } },
  })
  const { data: record } = await trust.GET('/v1/decisions/{id}', { params: { path: { id: one?.request_id ?? '' } } })
  const { data: batch } = await trust.POST('/v1/decide/batch', {
    body: {
      requests: [{ target: { type: 'domain', value: 'good-place.com' } }, { target: { type: 'domain', value: 'no host' } }],
    },
  })
  const { data: job } = await trust.POST('/v1/decide/jobs', { body: { requests: ['good-place.com'] } })
  const { error, response } = await trust.GET('/v1/decisions/{id}', { params: { path: { id: 'dec_nobody' } } })
  // Another media type of the answer is a stream of rows.
  const rows = batch && 'results' in batch ? batch.results : []
  return {
    action: one?.decision.recommended_action,
    recorded: record?.recommended_action,
    batch: rows.map((row) => ('decision' in row ? row.decision.decision.recommended_action : row.problem.errors?.[0]?.code)),
    job: job?.targets,
    missing: [response.status, error?.code],
  }
}
