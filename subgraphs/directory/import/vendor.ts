import type { Repository } from './url.ts'

/**
 * Owners on GitHub that are the company or foundation behind the product that their servers connect
 * to, in lower case. Kept by hand, from the organisations' own verified pages; a name that is
 * missing only costs the mark.
 */
const VENDORS: ReadonlySet<string> = new Set(
  `alibabacloud apify apollographql atlassian auth0 awslabs azure bitrise-io box-community brave browserbase browserstack buildkite chroma-core circleci-public
  clickhouse cloudflare cloudinary cockroachdb confluentinc couchbase-ecosystem dagster-io databricks datadog-labs dbt-labs digitalocean docker dynatrace-oss
  e2b-dev elastic elevenlabs exa-labs figma firecrawl getsentry github gitlab-org google-gemini googleapis grafana hashicorp heroku huggingface hubspot intercom
  jetbrains kagisearch langfuse launchdarkly linear mapbox meilisearch microsoft milvus-io mongodb-js mondaycom neo4j-contrib neondatabase netlify newrelic
  nvidia oceanbase octopusdeploy okta openai oxylabs pagerduty paypal perplexityai pinecone-io planetscale playwright posthog postmanlabs prisma pulumi qdrant
  redis resend salesforcecli sanity-io semgrep shopify singlestore-labs snowflake-labs sonarsource sourcegraph square stackhawk stripe supabase tavily-ai
  tinybirdco twilio-labs upstash vercel weaviate webflow wix xeroapi zilliztech makenotion notionhq`.split(/\s+/),
)

/** Whether the owner of a repository is the vendor of what it connects to. */
export const isVendor = ({ host, owner }: Repository): boolean => host === 'github.com' && VENDORS.has(owner.toLowerCase())
